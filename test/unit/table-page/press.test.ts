import { afterEach, describe, expect, test, vi } from 'vitest';
import type { AuditEntry } from '../../../surveillance/access/audit.js';
import { hashPassword } from '../../../surveillance/access/password.js';
import type { Who } from '../../../surveillance/access/roles.js';
import { anybodyHere } from '../../../surveillance/access/roles.js';
import type { User } from '../../../surveillance/access/users-file.js';
import type { PressAsk } from '../../../surveillance/table-page/press.js';
import type { PressAnswer } from '../../../surveillance/table-page/press-answer.js';
import { startTablePage, type TablePage } from '../../../surveillance/table-page/server.js';
import { FakeTable } from '../../fakes/table-page-source.js';

vi.setConfig({ testTimeout: 120_000 });

const PASSWORD = 'correct horse battery';
const hash = await hashPassword(PASSWORD);
const dealer: User = {
  name: 'dealer-1',
  roles: ['viewer'],
  press: ['dealer'],
  badge: 'D-1',
  password: hash,
};
const eye: User = { ...dealer, name: 'eye-1', roles: ['technician'], press: [], badge: null };

const open: TablePage[] = [];
afterEach(async () => {
  for (const page of open.splice(0)) await page.stop();
});

class Rig {
  readonly asked: PressAsk[] = [];
  readonly trail: AuditEntry[] = [];
  answer: PressAnswer = { is: 'taken', seq: 7, found: [] };
  #url = '';
  #cookie = '';

  async start(people: readonly User[] | null, anybody: Who = anybodyHere): Promise<this> {
    const page = await startTablePage({
      source: new FakeTable(),
      port: 0,
      press: (ask) => {
        this.asked.push(ask);
        return Promise.resolve(this.answer);
      },
      technician: () =>
        Promise.resolve({
          board: 'b',
          wallMs: 0,
          lines: [],
          registers: [],
          streams: [],
          devices: [],
          checks: [],
          figures: {},
        }),
      access: {
        users: people === null ? null : { find: (n) => people.find((p) => p.name === n) ?? null },
        anybody,
        audit: {
          record: (entry) => {
            this.trail.push(entry);
            return Promise.resolve();
          },
        },
        proxy: null,
        tls: null,
      },
    });
    open.push(page);
    this.#url = page.url;
    return this;
  }

  post(path: string, body: unknown): Promise<Response> {
    return fetch(`${this.#url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-cutcard': '1',
        ...(this.#cookie === '' ? {} : { cookie: this.#cookie }),
      },
      body: JSON.stringify(body),
    });
  }

  get(path: string): Promise<Response> {
    return fetch(`${this.#url}${path}`, { headers: { cookie: this.#cookie } });
  }

  async login(name: string): Promise<void> {
    const answer = await this.post('/api/login', { name, password: PASSWORD });
    expect(answer.status).toBe(200);
    [this.#cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  }
}

describe('a press from a page', () => {
  test('goes with the role asked for and the badge of whoever is logged in', async () => {
    const rig = await new Rig().start([dealer]);
    await rig.login('dealer-1');
    const answer = await rig.post('/api/press', { key: 'cut', role: 'dealer', value: 'seat 3' });
    expect([answer.status, await answer.json()]).toEqual([200, rig.answer]);
    expect(rig.asked).toEqual([{ key: 'cut', role: 'dealer', value: 'seat 3', badge: 'D-1' }]);
    // Nobody lends himself another badge.
    const lent = { key: 'shuffled', role: 'dealer', badge: 'D-2' };
    await rig.post('/api/press', lent);
    expect(rig.asked.at(-1)?.badge).toBe('D-1');
    expect(rig.trail.at(-1)).toMatchObject({ who: 'dealer-1', detail: 'dealer: shuffled' });
  });

  test('is refused without a login, in a role not held, and from another site', async () => {
    const rig = await new Rig().start([dealer, eye]);
    expect((await rig.post('/api/press', { key: 'clear', role: 'floor' })).status).toBe(401);
    await rig.login('dealer-1');
    const floor = await rig.post('/api/press', { key: 'clear', role: 'floor', value: 'burn.over' });
    expect(floor.status).toBe(403);
    expect(await floor.json()).toEqual({ error: 'dealer-1 may not press as floor.' });
    expect(rig.trail.at(-1)).toMatchObject({ outcome: 'refused', detail: 'floor: clear' });
    await rig.login('eye-1');
    expect((await rig.post('/api/press', { key: 'cut', role: 'surveillance' })).status).toBe(403);
    expect(rig.asked).toEqual([]);
  });

  test('keeps its value out of the trail: it may be the rank of a card', async () => {
    const rig = await new Rig().start(null);
    await rig.post('/api/press', { key: 'first-card', role: 'dealer', value: 'Q' });
    expect(rig.asked).toHaveLength(1);
    expect(JSON.stringify(rig.trail)).not.toContain('Q');
  });

  test('says how it ended by its status', async () => {
    const rig = await new Rig().start(null);
    const clause = '631a.5(f)';
    const cases: readonly [PressAnswer, number][] = [
      [{ is: 'refused', seq: 3, clause, reason: 'the burn is not complete', found: [] }, 409],
      [{ is: 'unfit', reason: 'takes a rank' }, 400],
      [{ is: 'lost', reason: 'journal' }, 503],
    ];
    for (const [given, code] of cases) {
      rig.answer = given;
      const answer = await rig.post('/api/press', { key: 'no-more-bets', role: 'dealer' });
      expect([answer.status, await answer.json()]).toEqual([code, given]);
    }
  });

  test('of a strange form goes nowhere', async () => {
    const rig = await new Rig().start(null);
    for (const body of [
      {},
      { key: 'cut' },
      { key: 'cut', role: 'boss' },
      { key: 'cut', role: 'dealer', value: [1] },
      { key: 'cut', role: 'dealer', value: 'x'.repeat(65) },
      { key: 'cut', role: 'dealer', more: 1 },
      { key: 'cut', role: 'dealer', badge: 'a b' },
      { key: 'cut', role: 'dealer', value: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 } },
    ]) {
      expect((await rig.post('/api/press', body)).status).toBe(400);
    }
    expect((await rig.post('/api/press', { key: 'x'.repeat(2000) })).status).toBe(413);
    expect(rig.asked).toEqual([]);
  });

  test('comes at a rate a hand can keep up', async () => {
    const rig = await new Rig().start(null);
    const codes: number[] = [];
    for (let i = 0; i < 40; i += 1) {
      codes.push((await rig.post('/api/press', { key: 'spill', role: 'dealer' })).status);
    }
    const taken = codes.filter((code) => code === 200).length;
    expect(codes.slice(0, 12)).toEqual(new Array<number>(12).fill(200));
    expect(codes).toContain(429);
    expect(rig.asked).toHaveLength(taken);
  });

  test('is not possible where nobody may press', async () => {
    const page = await startTablePage({ source: new FakeTable(), port: 0 });
    open.push(page);
    const headers = { 'content-type': 'application/json', 'x-cutcard': '1' };
    const body = JSON.stringify({ key: 'spill', role: 'dealer' });
    const answer = await fetch(`${page.url}/api/press`, { method: 'POST', headers, body });
    expect(answer.status).toBe(404);
    expect(await (await fetch(`${page.url}/api/me`)).json()).toMatchObject({ press: [] });
  });
});

test('what a login guards is not shown without one, nor the inside to everybody', async () => {
  const rig = await new Rig().start([dealer, eye]);
  const codes = async (): Promise<number[]> => {
    const list: number[] = [];
    for (const path of ['/health', '/api/table', '/api/technician']) {
      list.push((await rig.get(path)).status);
    }
    return list;
  };
  expect(await codes()).toEqual([200, 401, 401]);
  expect((await rig.get('/api/stream')).status).toBe(401);
  await rig.login('dealer-1');
  expect(await codes()).toEqual([200, 200, 403]);
  await rig.login('eye-1');
  expect(await codes()).toEqual([200, 200, 200]);
});
