import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { fitsPassword } from '../../../surveillance/access/password.js';
import { loadUsers } from '../../../surveillance/access/users-file.js';
import { CLI } from '../../support/cutcard.js';
import { needsProgram, testWith } from '../../support/needs.js';

vi.setConfig({ testTimeout: 180_000 });
const folder = mkdtempSync(join(tmpdir(), 'cutcard-user-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
}

/** Runs a program to its end; `answers`: what is typed each time a text ending in `: ` comes. */
const run = (
  program: string,
  args: readonly string[],
  answers: readonly string[],
  waits = false,
): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(program, args, { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
    const left = [...answers];
    let out = '';
    const heard = (text: string): void => {
      out += text;
      if (waits && text.includes(': ')) child.stdin.write(left.shift() ?? '');
    };
    child.stdout.setEncoding('utf8').on('data', heard);
    child.stderr.setEncoding('utf8').on('data', heard);
    child.on('close', (code) => {
      resolve({ code, out });
    });
    if (!waits) child.stdin.end(left.join(''));
  });

const user = (line: string, ...answers: string[]): Promise<Ended> =>
  run(process.execPath, [CLI, 'user', ...line.split(' ')], answers);

const hashOf = (name: string): string | null =>
  loadUsers(join(folder, 'users.yaml')).people.find((one) => one.name === name)?.password ?? null;

test('people are added, listed, given a new password and taken off', async () => {
  const added = await user(
    'add floor-1 --role operator --press floor --badge F-1',
    'correct horse battery\n',
  );
  expect(added).toEqual({ code: 0, out: 'users.yaml: floor-1 may log in as operator\n' });
  expect(statSync(join(folder, 'users.yaml')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, 'users.yaml'), 'utf8')).not.toContain('horse');
  expect(await fitsPassword('correct horse battery', hashOf('floor-1'))).toBe(true);

  const vouched = await user('add eye-1 --role auditor --role viewer --no-password');
  expect(vouched.out).toMatch(/by single sign-on only/);
  const { out } = await user('list');
  expect(out).toMatch(/^floor-1 +operator +presses as floor {2}badge F-1$/m);
  expect(out).toMatch(/^eye-1 +auditor,viewer +presses nothing {2}no password$/m);
  const json = await user('list --json');
  expect(json.out).not.toContain('scrypt');
  expect(JSON.parse(json.out)).toMatchObject([{ name: 'floor-1', hasPassword: true }, {}]);

  const changed = await user('password eye-1', 'another long word\r\n');
  expect(changed.code).toBe(0);
  expect(await fitsPassword('another long word', hashOf('eye-1'))).toBe(true);

  expect((await user('remove floor-1')).code).toBe(0);
  expect(loadUsers(join(folder, 'users.yaml')).people.map(({ name }) => name)).toEqual(['eye-1']);
});

test('what somebody may do is changed, and what is not named stays', async () => {
  const file = '--file changed.yaml';
  const who = () => loadUsers(join(folder, 'changed.yaml')).people[0];
  await user(`add d-1 ${file} --role viewer --press dealer --badge D-1`, 'a long enough word\n');
  const before = who()?.password;
  const more = await user(`change d-1 ${file} --press dealer --press floor`);
  expect(more.out).toMatch(/presses as dealer,floor {2}badge D-1/);
  expect(who()).toMatchObject({ roles: ['viewer'], press: ['dealer', 'floor'], password: before });
  await user(`change d-1 ${file} --no-press --no-badge --role operator`);
  expect(who()).toMatchObject({ roles: ['operator'], press: [], badge: null, password: before });
  await user(`change d-1 ${file} --new-password`, 'quite another word\n');
  expect(await fitsPassword('quite another word', who()?.password ?? null)).toBe(true);
  const wrong = await user(`change d-1 ${file} --press boss`);
  expect(wrong.code).toBe(2);
  expect(wrong.out).toContain('press: `boss` is no role here; there are dealer, floor, tech');
  expect((await user(`change d-1 ${file}`)).out).toMatch(/say what to change: --role/);
  expect((await user(`change d-9 ${file} --role viewer`)).out).toMatch(/there is no `d-9`/);
  expect(who()).toMatchObject({ roles: ['operator'], press: [] });
});

test('what cannot be done is said, and changes nothing', async () => {
  const file = '--file other.yaml';
  const cases: readonly [string, string, RegExp][] = [
    [`add floor-1 ${file} --role chief`, '', /roles: .*viewer/],
    [`add Floor_One! ${file} --role viewer`, '', /name: a name is lower-case/],
    [`add floor-1 ${file} --role viewer`, 'short\n', /at least 12 characters; nothing is changed/],
    [`add floor-1 ${file} --role viewer`, '', /stdin holds no password/],
    [`add floor-1 ${file}`, '', /required option/],
    [`list ${file}`, '', /other\.yaml: the list of users cannot be read/],
    [`remove floor-9`, '', /there is no `floor-9`/],
    [`add eye-1 --role viewer`, 'correct horse battery\n', /`eye-1` is on the list/],
  ];
  for (const [line, input, why] of cases) {
    const ended = await user(line, input);
    expect(ended.code).toBe(2);
    expect(ended.out).toMatch(why);
  }
  expect(existsSync(join(folder, 'other.yaml'))).toBe(false);
});

/** A terminal of its own for the command: `script` gives it one. */
const atTerminal = (line: string, answers: readonly string[]): Promise<Ended> =>
  run('script', ['-qec', `${process.execPath} ${CLI} user ${line}`, '/dev/null'], answers, true);

testWith(needsProgram('script'), 'a password typed at a terminal is not shown', async () => {
  const file = '--file typed.yaml --role viewer';
  const typed = ['typed and unseen\r', 'typed and unseen\r'];
  const { code, out } = await atTerminal(`add floor-1 ${file}`, typed);
  expect(code).toBe(0);
  expect(out).toContain('New password of floor-1: ');
  expect(out).not.toContain('unseen');
  const [first] = loadUsers(join(folder, 'typed.yaml')).people;
  expect(await fitsPassword('typed and unseen', first?.password ?? null)).toBe(true);

  const differing = await atTerminal(`add floor-2 ${file}`, ['typed and unseen\r', 'or not\r']);
  expect(differing.code).toBe(2);
  expect(differing.out).toMatch(/not the same; nothing is changed/);
  const given = await atTerminal(`add floor-2 ${file}`, ['\u0003']);
  expect(given.code).toBe(2);
  expect(given.out).toMatch(/no password was given/);
  expect(loadUsers(join(folder, 'typed.yaml')).people).toHaveLength(1);
});
