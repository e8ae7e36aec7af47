import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OWN_HEADER } from '../../surveillance/access/same-origin.js';
import { Cutcard } from '../support/cutcard.js';
import { type Missing, needsProgram, aroundAll } from '../support/needs.js';
import { freePort, until } from './mqtt-tools.js';

const SLOW_MS = 180_000;
const NAME = 'wall.house';
const missing: Missing =
  needsProgram('nginx') === null ? null : '`nginx` is not installed (apt-get install nginx-light)';

const page = readFileSync(new URL('../../docs/FLOOR.md', import.meta.url), 'utf8');
const example = (language: string): string => {
  const section = page.slice(page.indexOf('## Behind a reverse proxy'));
  const text = new RegExp(`\`\`\`${language}\\n([^\`]*)\`\`\``).exec(section)?.[1];
  if (text === undefined) throw new Error(`docs/FLOOR.md shows no ${language} for a proxy`);
  return text;
};

interface Answer {
  readonly code: number;
  readonly text: string;
}

/** The example of docs/FLOOR.md, with ports and files of this test in their places. */
class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'cutcard-proxy-'));
  port = 0;
  inner = 0;
  #floor: Cutcard | null = null;
  #nginx: ChildProcess | null = null;

  at(name: string): string {
    return join(this.folder, name);
  }

  async start(): Promise<void> {
    this.port = await freePort();
    this.inner = await freePort();
    this.#people();
    const yaml = example('yaml').replace('8090', String(this.inner));
    writeFileSync(this.at('floor.yaml'), `broker: { url: "mqtt://127.0.0.1:1" }\n${yaml}`);
    const floor = new Cutcard(['floor', '--config', this.at('floor.yaml'), '--json'], this.folder);
    this.#floor = floor;
    await floor.says(/"wall":"http/);
    const server = example('nginx')
      .replace('listen 443', `listen 127.0.0.1:${this.port}`)
      .replace('8090', String(this.inner))
      .replaceAll('/etc/nginx/', `${this.folder}/`);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${this.at(kind)};`,
    );
    // The folder is nobody else's to look into.
    const user = process.getuid?.() === 0 ? 'user root; ' : '';
    writeFileSync(
      this.at('nginx.conf'),
      `${user}daemon off; pid ${this.at('pid')}; error_log stderr; events {}
       http { access_log off; ${paths.join(' ')}\n${server} }`,
    );
    this.#nginx = spawn('nginx', ['-p', this.folder, '-c', this.at('nginx.conf'), '-e', 'stderr'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    let isUp = false;
    await until('the proxy answers', () => {
      void this.ask('/health').then(
        () => (isUp = true),
        () => undefined,
      );
      return isUp;
    });
  }

  #people(): void {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const out = ['-keyout', this.at('wall.key'), '-out', this.at('wall.pem')];
    execFileSync('openssl', ['req', '-x509', ...key, ...out, '-subj', `/CN=${NAME}`], {
      stdio: 'ignore',
    });
    const secret = execFileSync('openssl', ['passwd', '-apr1', 'proxy'], { encoding: 'utf8' });
    writeFileSync(this.at('wall.users'), `mara:${secret}stranger:${secret}`);
    const people = ['mara operator', 'ada auditor'].map((line) => {
      const [name = '', role = ''] = line.split(' ');
      return `  - { name: ${name}, roles: [${role}], badge: null, password: null }`;
    });
    writeFileSync(this.at('users.yaml'), `users: 1\npeople:\n${people.join('\n')}\n`, {
      mode: 0o600,
    });
  }

  /** A request to the proxy; the stream's answer ends with its first event. */
  ask(path: string, headers: object = {}, user: string | null = null, body = ''): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asking = request({
        ...{ host: '127.0.0.1', port: this.port, path, rejectUnauthorized: false },
        method: body === '' ? 'GET' : 'POST',
        headers: { host: `${NAME}:${this.port}`, ...headers },
        ...(user === null ? {} : { auth: `${user}:proxy` }),
      });
      asking.on('error', reject);
      asking.on('response', (answer) => {
        let text = '';
        const told = () => resolve({ code: answer.statusCode ?? 0, text });
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
          if (!text.includes('event: beat')) return;
          told();
          asking.destroy();
        });
        answer.on('end', told);
      });
      asking.end(body);
    });
  }

  async stop(): Promise<void> {
    const nginx = this.#nginx;
    if (nginx !== null) {
      const gone = new Promise((resolve) => nginx.once('exit', resolve));
      nginx.kill('SIGTERM');
      await gone;
    }
    await this.#floor?.end('SIGTERM');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe('the proxy that docs/FLOOR.md shows', () => {
  const bench = new Bench();
  aroundAll(missing, bench, SLOW_MS);

  it('says who is there, and nobody else does', { timeout: SLOW_MS }, async () => {
    const me = async (headers: object, user: string | null) => {
      const { code, text } = await bench.ask('/api/me', headers, user);
      return code === 200 ? text : code;
    };
    const mara: unknown = expect.stringMatching(/^\{"name":"mara",.*"way":"proxy"/);
    expect(await me({}, 'mara')).toEqual(mara);
    expect(await me({ 'x-remote-user': 'ada' }, 'mara')).toEqual(mara);
    expect(await me({ 'X-REMOTE-USER': 'ada', x_remote_user: 'ada' }, 'mara')).toEqual(mara);
    expect(await me({ 'x-remote-user': 'ada' }, null)).toBe(401);
    expect(await me({ 'x-remote-user': 'ada' }, 'stranger')).toBe(204);
  });

  it('passes the stream on as it comes, and presses of its own pages only', {
    timeout: SLOW_MS,
  }, async () => {
    const stream = await bench.ask('/api/wall/stream', {}, 'mara');
    expect(stream).toMatchObject({ code: 200 });
    expect(stream.text).toContain('event: wall');
    const note = JSON.stringify({ table: 'n/p/a', text: 'through the proxy' });
    const write = async (origin: string) => {
      const headers = { 'content-type': 'application/json', [OWN_HEADER]: '1', origin };
      return (await bench.ask('/api/notes', headers, 'mara', note)).code;
    };
    expect(await write(`https://${NAME}:${bench.port}`)).toBeLessThan(300);
    expect(await write('https://elsewhere.example')).toBe(403);
  });
});
