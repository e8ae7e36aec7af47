import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Missing } from './needs.js';

const ROOT = '/usr/lib/postgresql';
/** The server refuses to run as root: there it runs as the account its package made. */
const ACCOUNT = 'postgres';
const START_S = 120;

const binFolder = (): string | null => {
  if (!existsSync(ROOT)) return null;
  const newest = readdirSync(ROOT)
    .sort((a, b) => Number(a) - Number(b))
    .at(-1);
  const folder = newest === undefined ? null : join(ROOT, newest, 'bin');
  return folder !== null && existsSync(join(folder, 'initdb')) ? folder : null;
};

const isRoot = process.getuid?.() === 0;

const idOf = (flag: '-u' | '-g'): number | null => {
  const { status, stdout } = spawnSync('id', [flag, ACCOUNT], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : null;
};

/** Null where a cluster can be had; else the reason, said at the end of the run. */
export const whyNoPostgres = (): Missing => {
  if (binFolder() === null) {
    return 'PostgreSQL is not installed (npm run setup installs it)';
  }
  return isRoot && idOf('-u') === null ? `there is no account \`${ACCOUNT}\` to run it` : null;
};

/** A PostgreSQL of our own: a cluster in a temporary folder, reached on loopback. */
export class PostgresCluster {
  readonly #bin: string;
  readonly #folder: string;
  readonly #port: number;
  #databases = 0;

  private constructor(bin: string, folder: string, port: number) {
    this.#bin = bin;
    this.#folder = folder;
    this.#port = port;
  }

  /** `port`: a free one on 127.0.0.1. */
  static start(port: number): PostgresCluster {
    const bin = binFolder();
    if (bin === null) throw new Error('PostgreSQL is not installed');
    const folder = mkdtempSync(join(tmpdir(), 'cutcard-pg-'));
    const [uid, gid] = [idOf('-u'), idOf('-g')];
    if (isRoot && uid !== null && gid !== null) chownSync(folder, uid, gid);
    const cluster = new PostgresCluster(bin, folder, port);
    const data = join(folder, 'data');
    const auth = ['-A', 'trust', '-U', 'cutcard', '-E', 'UTF8', '--no-sync', '--locale=C'];
    cluster.#run('initdb', ['-D', data, ...auth]);
    const options =
      `-c listen_addresses=127.0.0.1 -c port=${port} ` +
      `-c unix_socket_directories='${folder}' -c fsync=off`;
    const log = join(folder, 'log');
    cluster.#run('pg_ctl', [
      '-D',
      data,
      '-w',
      '-t',
      `${START_S}`,
      '-l',
      log,
      '-o',
      options,
      'start',
    ]);
    return cluster;
  }

  /** A new, empty database. */
  database(): string {
    this.#databases += 1;
    const name = `floor_${this.#databases}`;
    const where = ['-h', '127.0.0.1', '-p', String(this.#port)];
    this.#run('createdb', [...where, '-U', 'cutcard', name]);
    return `postgres://cutcard@127.0.0.1:${this.#port}/${name}`;
  }

  stop(): void {
    this.#run('pg_ctl', ['-D', join(this.#folder, 'data'), '-m', 'immediate', '-w', 'stop']);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #run(program: string, args: readonly string[]): void {
    const uid = isRoot ? idOf('-u') : null;
    const gid = isRoot ? idOf('-g') : null;
    execFileSync(join(this.#bin, program), args, {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(uid === null || gid === null ? {} : { uid, gid }),
    });
  }
}
