import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { hashPassword } from '../../surveillance/access/password.js';
import { saveUsers } from '../../surveillance/access/users-file.js';
import { Cutcard } from '../support/cutcard.js';
import { needsProgram, testWith } from '../support/needs.js';

vi.setConfig({ testTimeout: 240_000 });

const PASSWORD = 'correct horse battery';
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const CONFIG = `config: 1
place: { site: north, pit: p1, table: t1 }
procedure: pa/627a-minibaccarat
table: { decks: 8, shuffler: counting }
board: virtual
journal: table.journal
page:
  listen: 127.0.0.1:0
  usersFile: users.yaml
  auditFile: trail.jsonl
`;

const folderWith = async (more: string): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'cutcard-login-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const password = await hashPassword(PASSWORD);
  saveUsers(join(folder, 'users.yaml'), [
    { name: 'dealer-1', roles: ['viewer'], press: ['dealer'], badge: 'D-1', password },
  ]);
  writeFileSync(join(folder, 'cutcard.yaml'), CONFIG + more);
  return folder;
};

const run = async (folder: string): Promise<{ table: Cutcard; url: string }> => {
  const table = new Cutcard(['run', '--config', 'cutcard.yaml'], folder);
  closers.push(() => table.end('SIGKILL'));
  const [, url = ''] = await table.says(/"page":"(https?:[^"]+)"/);
  return { table, url };
};

const HEADERS = { 'content-type': 'application/json', 'x-cutcard': '1' };

const post = (url: string, body: unknown, cookie = ''): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, ...(cookie === '' ? {} : { cookie }) },
    body: JSON.stringify(body),
  });

const linesOf = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

test('a running table takes the presses of whoever is logged in, and of nobody else', async () => {
  const folder = await folderWith('');
  const { table, url } = await run(folder);
  const open = { key: 'open-table', role: 'dealer' };
  expect((await post(`${url}/api/press`, open)).status).toBe(401);
  const login = await post(`${url}/api/login`, { name: 'dealer-1', password: PASSWORD });
  const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';');
  const pressed = await post(`${url}/api/press`, open, cookie);
  expect([pressed.status, await pressed.json()]).toMatchObject([200, { is: 'taken' }]);
  const floor = await post(`${url}/api/press`, { key: 'reshuffle', role: 'floor' }, cookie);
  expect(floor.status).toBe(403);
  // Taken off the list: out at the next request that looks.
  saveUsers(join(folder, 'users.yaml'), []);
  await vi.waitFor(
    async () => {
      const look = await fetch(`${url}/api/me`, { headers: { cookie } });
      expect(look.status).toBe(204);
    },
    { timeout: 20_000, interval: 300 },
  );
  expect(await table.end('SIGTERM')).toBe(0);
  expect(linesOf(join(folder, 'trail.jsonl'))).toMatchObject([
    { who: 'dealer-1', action: 'login', outcome: 'done' },
    { who: 'dealer-1', action: 'press', outcome: 'done', detail: 'dealer: open-table' },
    { who: 'dealer-1', action: 'press', outcome: 'refused', detail: 'floor: reshuffle' },
  ]);
  const rows = new Cutcard(['journal', 'export', 'table.journal'], folder);
  expect(await rows.ended()).toBe(0);
  expect(rows.out).toMatch(/"badge":"D-1"[^\n]*"key":"open-table"/);
  expect(rows.out).not.toContain('reshuffle');
});

test('a table does not start where its page could be reached without TLS', async () => {
  const folder = await folderWith('');
  const open = CONFIG.replace('127.0.0.1:0', '192.0.2.1:8443');
  for (const [config, why] of [
    [open, /page\.listen: passwords would cross the network unprotected/],
    [open.replace('  usersFile: users.yaml\n', ''), /page\.listen: there is no login/],
    [CONFIG.replace('users.yaml', 'nobody.yaml'), /page\.usersFile: there is no file/],
  ] as const) {
    writeFileSync(join(folder, 'cutcard.yaml'), config);
    const table = new Cutcard(['run', '--config', 'cutcard.yaml'], folder);
    expect(await table.ended()).toBe(78);
    expect(table.err).toMatch(why);
  }
  writeFileSync(join(folder, 'cutcard.yaml'), CONFIG);
  writeFileSync(join(folder, 'users.yaml'), 'users: 1\npeople: 7\n');
  const table = new Cutcard(['run', '--config', 'cutcard.yaml'], folder);
  expect(await table.ended()).toBe(78);
  expect(table.err).toMatch(/page\.usersFile: .*people/);
});

testWith(needsProgram('openssl'), 'a page with a certificate speaks TLS 1.3 alone', async () => {
  const folder = await folderWith('  tls: { certFile: page.pem, keyFile: page.key }\n');
  const made = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ed25519', '-nodes', '-days', '2', '-subj', '/CN=table-7'],
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', 'page.key', '-out', 'page.pem'],
    ],
    { cwd: folder },
  );
  expect(made.status).toBe(0);
  const { url } = await run(folder);
  expect(url).toMatch(/^https:/);
  const ca = readFileSync(join(folder, 'page.pem'));
  const login = (maxVersion: 'TLSv1.2' | 'TLSv1.3'): Promise<string> =>
    new Promise((resolve) => {
      const options = { method: 'POST', ca, maxVersion, headers: HEADERS };
      const call = request(`${url}/api/login`, options, (response) => {
        response.resume();
        resolve(String(response.headers['set-cookie']));
      });
      call.on('error', ({ message }) => {
        resolve(message);
      });
      call.end(JSON.stringify({ name: 'dealer-1', password: PASSWORD }));
    });
  expect(await login('TLSv1.3')).toMatch(/^__Host-cutcard-table=.*HttpOnly; Secure;/);
  expect(await login('TLSv1.2')).toMatch(/protocol version|alert/i);
});
