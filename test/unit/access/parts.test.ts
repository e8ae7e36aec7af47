import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { AuditFault, AuditFile } from '../../../surveillance/access/audit.js';
import { Buckets, neighbourhood } from '../../../surveillance/access/buckets.js';
import { listenFault } from '../../../surveillance/access/listen.js';
import {
  fitsPassword,
  hashPassword,
  isPasswordHash,
  passwordFault,
  PasswordsBusy,
} from '../../../surveillance/access/password.js';
import { foreignRequest } from '../../../surveillance/access/same-origin.js';
import { Sessions } from '../../../surveillance/access/sessions.js';
import { UsersBook } from '../../../surveillance/access/users-book.js';
import {
  loadUsers,
  readUsers,
  saveUsers,
  type User,
} from '../../../surveillance/access/users-file.js';

vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'cutcard-access-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hash = await hashPassword('correct horse battery');
const user = (name: string, change: Partial<User> = {}): User => ({
  name,
  roles: ['operator'],
  press: ['floor'],
  badge: null,
  password: hash,
  ...change,
});

describe('passwords', () => {
  test('fit their own hash and no other, whatever keyboard typed them', async () => {
    expect(await fitsPassword('correct horse battery', hash)).toBe(true);
    expect(await fitsPassword('correct horse batterz', hash)).toBe(false);
    const composed = await hashPassword('caf\u00e9 au lait 2026');
    expect(await fitsPassword('cafe\u0301 au lait 2026', composed)).toBe(true);
  });

  test('are hashed with a salt of their own, and the text does not stand in the hash', async () => {
    const again = await hashPassword('correct horse battery');
    expect(again).not.toBe(hash);
    expect(again).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
    expect(again).not.toContain('horse');
  });

  test('never fit a hash that is none, is unknown or costs too much', async () => {
    const dear = hash.replace('ln=15', 'ln=30');
    const cheap = hash.replace('ln=15', 'ln=01');
    for (const wrong of [null, '', 'plain text', dear, cheap, `${hash}x`]) {
      expect(await fitsPassword('correct horse battery', wrong)).toBe(false);
    }
    expect([hash, dear, cheap, ''].map(isPasswordHash)).toEqual([true, false, false, false]);
  });

  test('are refused where they are too short, too long, too even or the name', () => {
    expect(passwordFault('short', 'floor-1')).toMatch(/at least 12/);
    expect(passwordFault('ab'.repeat(100), 'floor-1')).toMatch(/at most 128/);
    expect(passwordFault('aaaaaaaaaaaaaa', 'floor-1')).toMatch(/repeats/);
    expect(passwordFault('I am Floor-1 indeed', 'floor-1')).toMatch(/the name/);
    expect(passwordFault('correct horse battery', 'floor-1')).toBeNull();
  });

  test('wait in a queue that has an end', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => fitsPassword('correct horse battery', null)),
    );
    const busy = all.filter(
      (one) => one.status === 'rejected' && one.reason instanceof PasswordsBusy,
    );
    const judged = all.filter((one) => one.status === 'fulfilled' && !one.value);
    expect([judged.length, busy.length]).toEqual([17, 3]);
    expect(await fitsPassword('correct horse battery', hash)).toBe(true);
  });
});

describe('the list of users', () => {
  const path = join(folder, 'users.yaml');

  test('is written for its owner alone and read back the same', () => {
    const people = [user('floor-1'), user('eye-1', { roles: ['auditor'], badge: 'S-1' })];
    saveUsers(path, people);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(loadUsers(path).people).toEqual(people);
  });

  test('is refused while others may read it, with the cure', () => {
    saveUsers(path, [user('floor-1')]);
    chmodSync(path, 0o640);
    expect(() => loadUsers(path)).toThrow(/mode 640\); run chmod 600/);
  });

  test('is refused with file, line and field', () => {
    const entry = (more: string): string =>
      `users: 1\npeople:\n  - name: floor-1\n    roles: [operator]\n${more}`;
    const cases: readonly [string, RegExp][] = [
      [entry('    password: geheim\n'), /u\.yaml:5: people\.0\.password: no hash/],
      [entry('    password: null\n    pres: [floor]\n'), /u\.yaml:3: people\.0: .*pres/],
      [entry('    password: null\n').replace('operator', 'chief'), /u\.yaml:4: people\.0\.roles/],
      ['users: 2\npeople: []\n', /u\.yaml:1: users: the format is/],
      ['users: [1\n', /u\.yaml:\d: not readable as YAML/],
      ['', /u\.yaml:1: file/],
    ];
    for (const [text, why] of cases) expect(() => readUsers(text, 'u.yaml')).toThrow(why);
  });

  test('has no two people of one name or one badge', () => {
    expect(() => saveUsers(path, [user('a1'), user('a1')])).toThrow(/`a1` stands twice/);
    const both = [user('a1', { badge: 'F-1' }), user('a2', { badge: 'F-1' })];
    expect(() => saveUsers(path, both)).toThrow(/two people have badge `F-1`/);
  });

  test('changes under the program; a broken change changes nothing and is told once', () => {
    let nowMs = 0;
    const notices: string[] = [];
    saveUsers(path, [user('floor-1')]);
    const book = new UsersBook(path, {
      notice: (text) => notices.push(text),
      nowMs: () => nowMs,
    });
    book.load();
    expect([book.size, book.find('floor-2')]).toEqual([1, null]);
    saveUsers(path, [user('floor-2')]);
    nowMs += 2000;
    expect([book.find('floor-1'), book.find('floor-2')?.name]).toEqual([null, 'floor-2']);
    writeFileSync(path, 'users: 1\npeople: nobody\n', { mode: 0o600 });
    for (let i = 0; i < 3; i += 1) {
      nowMs += 2000;
      expect(book.find('floor-2')?.name).toBe('floor-2');
    }
    rmSync(path);
    nowMs += 2000;
    expect(book.find('floor-2')?.name).toBe('floor-2');
    expect(notices).toHaveLength(2);
    expect(notices[0]).toMatch(/goes on as it was: .*people/);
  });
});

describe('sessions', () => {
  const people = new Map<string, User>();
  const find = (name: string): User | null => people.get(name) ?? null;
  let nowMs = 0;
  const fresh = (): Sessions => {
    people.clear();
    people.set('floor-1', user('floor-1')).set('eye-1', user('eye-1'));
    return new Sessions({ idleMs: 1000, absoluteMs: 5000 }, () => nowMs);
  };

  test('end when nobody uses them, and in any case', () => {
    const sessions = fresh();
    const idle = sessions.open(user('floor-1'));
    nowMs += 900;
    expect(sessions.find(idle, find, false)?.name).toBe('floor-1');
    nowMs += 100;
    expect(sessions.find(idle, find)).toBeNull();
    const used = sessions.open(user('floor-1'));
    for (let i = 0; i < 5; i += 1) {
      nowMs += 900;
      expect(sessions.find(used, find)?.name).toBe('floor-1');
    }
    nowMs += 900;
    expect(sessions.find(used, find)).toBeNull();
  });

  test('end with logout, with a new password and when the person leaves the list', () => {
    const sessions = fresh();
    const [a, b, c] = [0, 1, 2].map(() => sessions.open(user('floor-1')));
    sessions.close(a!);
    expect([sessions.find(a!, find), sessions.find(b!, find)?.name]).toEqual([null, 'floor-1']);
    people.set('floor-1', user('floor-1', { password: hash.replace('A', 'B') }));
    people.set('floor-1', { ...user('floor-1'), password: null });
    expect(sessions.find(b!, find)).toBeNull();
    people.delete('floor-1');
    expect(sessions.find(c!, find)).toBeNull();
  });

  test('follow the roles the list has now', () => {
    const sessions = fresh();
    const token = sessions.open(user('floor-1'));
    people.set('floor-1', user('floor-1', { roles: ['viewer'], press: [] }));
    expect(sessions.find(token, find)).toMatchObject({ roles: ['viewer'], press: [] });
  });

  test('are limited for one person and for all', () => {
    const sessions = fresh();
    const own = Array.from({ length: 10 }, () => sessions.open(user('floor-1')));
    expect(own.map((token) => sessions.find(token, find) !== null)).toEqual([
      ...[false, false],
      ...new Array<boolean>(8).fill(true),
    ]);
    for (let i = 0; i < 1000; i += 1) sessions.open(user(`other-${i}`));
    expect(sessions.size).toBe(512);
    expect(sessions.find('no token at all', find)).toBeNull();
  });
});

test('a bucket gives so many at once, then one in a while, each key its own', () => {
  let nowMs = 0;
  const buckets = new Buckets({ burst: 3, refillMs: 1000 }, () => nowMs);
  expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([0, 0, 0, 1000]);
  expect(buckets.take('b')).toBe(0);
  nowMs += 400;
  expect(buckets.take('a')).toBe(600);
  nowMs += 600;
  expect([buckets.take('a'), buckets.take('a')]).toEqual([0, 1000]);
  for (let i = 0; i < 10_000; i += 1) buckets.take(`key ${i}`);
  expect(buckets.take('a')).toBe(0);
});

test('addresses of one neighbourhood share a limit', () => {
  expect(neighbourhood('::ffff:10.0.0.7')).toBe('10.0.0.7');
  expect(neighbourhood('2001:db8:1:2:a:b:c:d')).toBe(neighbourhood('2001:db8:1:2::1'));
  expect(neighbourhood('2001:db8:1:2::1')).not.toBe(neighbourhood('2001:db8:1:3::1'));
  expect(neighbourhood('::1')).toBe('0:0:0:0');
});

test('nobody listens beyond this machine without a login and without TLS', () => {
  const plan = { host: '10.0.0.5', hasLogin: true, tls: null, proxy: null };
  const tls = { certFile: 'c', keyFile: 'k' };
  const proxy = { addresses: ['10.0.0.9'], userHeader: null };
  expect(listenFault({ ...plan, host: '127.0.0.1', hasLogin: false })).toBeNull();
  expect(listenFault({ ...plan, host: '0.0.0.0', hasLogin: false, tls })).toMatch(/no login/);
  expect(listenFault(plan)).toMatch(/unprotected/);
  expect(listenFault({ ...plan, tls })).toBeNull();
  expect(listenFault({ ...plan, proxy })).toBeNull();
  expect(listenFault({ ...plan, proxy, hasLogin: false })).toMatch(/no list of users/);
  expect(listenFault({ ...plan, proxy: { ...proxy, addresses: [] } })).toMatch(/without an addr/);
  expect(listenFault({ ...plan, proxy: { ...proxy, addresses: ['lb'] } })).toMatch(/in numbers/);
});

test('a request that changes something comes from our own page', () => {
  const own = { 'x-cutcard': '1' };
  expect(foreignRequest(own, 'a:1')).toBeNull();
  expect(foreignRequest({ ...own, origin: 'https://a:1' }, 'a:1')).toBeNull();
  expect(foreignRequest({ ...own, 'sec-fetch-site': 'same-origin' }, 'a:1')).toBeNull();
  expect(foreignRequest({}, 'a:1')).toMatch(/header x-cutcard/);
  expect(foreignRequest({ ...own, origin: 'https://b:1' }, 'a:1')).toMatch(/another origin/);
  expect(foreignRequest({ ...own, origin: 'null' }, 'a:1')).toMatch(/another origin/);
  for (const site of ['cross-site', 'same-site', 'none']) {
    expect(foreignRequest({ ...own, 'sec-fetch-site': site }, 'a:1')).toMatch(/another site/);
  }
});

describe('the audit trail', () => {
  const entry = {
    wallMs: Date.UTC(2026, 0, 5, 14),
    who: 'floor-1',
    way: 'password',
    address: '10.0.0.7',
    action: 'press',
    outcome: 'done',
  } as const;

  test('only grows, for its owner alone, one line an entry', async () => {
    const path = join(folder, 'audit.jsonl');
    for (const detail of ['first', 'two\nlines \u2028 of it']) {
      const audit = new AuditFile(path, () => undefined);
      await audit.start();
      await Promise.all([audit.record({ ...entry, detail }), audit.record(entry)]);
      await audit.stop();
    }
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(JSON.parse(lines[2]!)).toEqual({
      at: '2026-01-05T14:00:00.000Z',
      who: 'floor-1',
      way: 'password',
      address: '10.0.0.7',
      action: 'press',
      outcome: 'done',
      detail: 'two lines   of it',
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('that cannot be written says so to the caller and to the log', async () => {
    const notices: string[] = [];
    const audit = new AuditFile(join(folder, 'shut.jsonl'), (text) => notices.push(text));
    await expect(audit.record(entry)).rejects.toThrow(AuditFault);
    expect(notices[0]).toMatch(/shut\.jsonl: the audit trail cannot be written: it is not open/);
    const nowhere = new AuditFile(join(folder, 'no', 'such', 'folder'), () => undefined);
    await expect(nowhere.start()).rejects.toThrow(/folder: the audit trail cannot be written/);
  });
});
