import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainAddress } from '../../controller/runtime/broker-target.js';
import { demoRules } from '../../controller/runtime/demo/table.js';
import { mistakeOf } from '../../controller/runtime/demo/mistakes.js';
import { type RunningFloor, startFloor } from '../../controller/runtime/floor/start-floor.js';
import { LightTable } from '../../controller/runtime/load/light-table.js';
import { silentLog } from '../../controller/runtime/log-port.js';
import { RealScheduler } from '../../controller/runtime/real-scheduler.js';
import { DeviceKey } from '../../storage/checkpoint.js';
import { verifyEvidence } from '../../storage/evidence-file.js';
import { MemoryJournal } from '../../storage/memory.js';
import { OWN_HEADER } from '../../surveillance/access/same-origin.js';
import { isTile, isWall } from '../../surveillance/floor/api.js';
import { commandKeyOf, makeCommandKey } from '../../surveillance/mqtt/command-sign.js';
import { aroundAll } from '../support/needs.js';
import { StreamReader } from '../support/event-stream.js';
import { Mosquitto, until, whyNoMosquitto } from './mqtt-tools.js';

const SLOW_MS = 240_000;
const WAIT_MS = 120_000;
const VERSION = '0.0.0-test';
const PLACE = { site: 'north', pit: 'p1', table: 'bac-04' };
const KEY = 'north/p1/bac-04';
const BASE = '/api/tables/north/p1/bac-04';

const missing = whyNoMosquitto();

/** A floor over a real broker, with one table that has played before the floor was there. */
class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'cutcard-floor-'));
  readonly scheduler = new RealScheduler();
  readonly pair = makeCommandKey();
  broker!: Mosquitto;
  table!: LightTable;
  floor!: RunningFloor;

  async start(): Promise<void> {
    this.scheduler.trust(true);
    this.broker = await Mosquitto.start();
    const rules = demoRules('pa/627a-minibaccarat');
    const mistake = mistakeOf('card.back');
    this.table = new LightTable({
      place: PLACE,
      rules,
      journal: new MemoryJournal(),
      scheduler: this.scheduler,
      address: plainAddress(`mqtt://127.0.0.1:${this.broker.port}`, '5'),
      consumers: ['historian'],
      keys: [{ name: 'floor', publicKey: this.pair.publicKey, role: 'floor' }],
      key: DeviceKey.generate(),
      version: VERSION,
      seed: 7,
      mistakes: mistake === undefined ? [] : [mistake],
      human: false,
      pace: () => 5,
    });
    await this.table.start();
    this.table.play();
    await until('the table played', () => this.table.loop.state().seq >= 200, WAIT_MS);
    this.floor = await this.newFloor();
  }

  newFloor(): Promise<RunningFloor> {
    return startFloor({
      store: join(this.folder, 'floor.db'),
      broker: () => plainAddress(`mqtt://127.0.0.1:${this.broker.port}`, '5'),
      port: 0,
      log: silentLog,
      version: VERSION,
      commandKey: { name: 'floor', key: commandKeyOf(this.pair.pem) },
    });
  }

  /** Everything the table has is held, without a gap. */
  async held(): Promise<void> {
    this.table.pause();
    await this.table.loop.settled();
    // An order for rows is a row itself: the end moves while they are asked for.
    await until(
      'all rows are held',
      () => this.floor.service.book.record(KEY)?.seq === this.table.loop.state().seq,
      WAIT_MS,
    );
  }

  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(new URL(path, this.floor.url), init);
  }

  async json(path: string): Promise<unknown> {
    const response = await this.ask(path);
    expect(`${path} ${response.status}`).toBe(`${path} 200`);
    return response.json();
  }

  post(path: string, body: unknown, method = 'POST'): Promise<Response> {
    return this.ask(path, {
      method,
      headers: { 'content-type': 'application/json', [OWN_HEADER]: '1' },
      ...(method === 'DELETE' ? {} : { body: JSON.stringify(body) }),
    });
  }

  async stop(): Promise<void> {
    await this.table.stop();
    await this.floor.stop();
    await this.broker.stop();
    this.scheduler.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe('the floor service over mosquitto', () => {
  const bench = new Bench();
  aroundAll(missing, bench, SLOW_MS);

  it('asks for the rows it never heard and acknowledges once all are committed', {
    timeout: SLOW_MS,
  }, async () => {
    await bench.held();
    // What is played is known once the first rows say so.
    const { book } = bench.floor.service;
    await until('the game is proven', () => book.record(KEY)?.game != null, WAIT_MS);
    const { seq } = bench.table.loop.state();
    await until('the table knows', () => bench.table.publisher.delivered === seq, WAIT_MS);
    const rows = await bench.floor.service.store.rows.rows(KEY, 1, seq, seq);
    expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: seq }, (_, i) => i + 1));
    expect(rows.some(({ isHistorical }) => isHistorical)).toBe(true);
  });

  it('shows the table on the wall, and a page that comes back only what it missed', {
    timeout: SLOW_MS,
  }, async () => {
    const first = await StreamReader.open(`${bench.floor.url}/api/wall/stream`);
    await until('a wall', () => first.events.length > 0, WAIT_MS);
    const wall = first.events[0]?.data;
    expect(first.events[0]?.event).toBe('wall');
    if (!isWall(wall)) throw new Error('no wall');
    expect(wall.tables).toMatchObject([
      { key: KEY, game: { id: 'pa/627a-minibaccarat' }, link: { state: 'online' } },
    ]);
    const { id } = first.events[0] ?? {};
    first.cut();
    const { seq } = bench.table.loop.state();
    bench.table.play();
    await until('the table played on', () => bench.table.loop.state().seq > seq + 5, WAIT_MS);
    await bench.held();
    const again = await StreamReader.open(`${bench.floor.url}/api/wall/stream?after=${id ?? ''}`);
    await until('the tile', () => again.events.some(({ event }) => event === 'tile'), WAIT_MS);
    expect(again.events.some(({ event }) => event === 'wall')).toBe(false);
    const tile = again.events.find(({ event }) => event === 'tile')?.data;
    expect(isTile(tile) && tile.key).toBe(KEY);
    again.cut();
  });

  it('tells of shoes, strips and what each role saw, never of a rank', {
    timeout: SLOW_MS,
  }, async () => {
    await bench.held();
    const { seq } = bench.table.loop.state();
    const { store } = bench.floor.service;
    let followed = 0;
    await until(
      'the rows are followed',
      () => {
        void store.followedTo(KEY).then((to) => {
          followed = to;
        });
        return followed === seq;
      },
      WAIT_MS,
    );
    const shoes = await bench.json(`${BASE}/shoes`);
    expect(JSON.stringify(shoes)).toContain('"loaded":416');
    const strip = await bench.json(`${BASE}/shoes/1/strip`);
    expect(strip).toMatchObject({ shoe: 1, loaded: 416 });
    const text = JSON.stringify(strip);
    expect(text).toContain('"kind":"card"');
    expect(text).not.toMatch(/rank|suit/);
    const steps = await bench.json(`${BASE}/steps?from=1&to=${seq}`);
    const last = await bench.json(`${BASE}/steps?from=${seq}&to=${seq}`);
    const state = bench.table.loop.state();
    expect(last).toMatchObject({
      steps: [
        {
          seq,
          state: {
            phase: state.phase,
            out: state.shoe.out,
            dealer: { line1: state.outputs.display?.line1 },
            gate: state.outputs.gateLocked ? 'locked' : 'open',
          },
        },
      ],
    });
    expect(JSON.stringify(steps)).not.toContain('"state":null');
    const empty = await bench.ask(`${BASE}/steps?from=0&to=5`);
    expect(empty.status).toBe(400);
    expect(await empty.text()).toContain('are rows, in order');
  });

  it('gives evidence that the verifier finds whole, and writes down who took it', {
    timeout: SLOW_MS,
  }, async () => {
    const response = await bench.ask(`${BASE}/evidence?from=10&to=60`);
    expect(response.headers.get('content-disposition')).toContain('attachment');
    const verdict = verifyEvidence(await response.text(), VERSION);
    // The table signs its rows: up to there the tile says that evidence is proved, and it is.
    expect(verdict).toMatchObject({ flaw: null, keys: [expect.any(String)], unproved: [] });
    expect(verdict.signedSeq).toBeGreaterThanOrEqual(60);
    expect(verdict.lastSeq).toBe(verdict.signedSeq);
    const { holding } = bench.floor.service.book.tile(KEY) ?? {};
    expect(holding?.signedSeq).toBeGreaterThanOrEqual(verdict.signedSeq);
    const audit = await bench.json('/api/audit?what=evidence');
    expect(audit).toMatchObject({ lines: [{ what: 'evidence' }] });
  });

  it('lets an alert be acknowledged once, by name, with a note', { timeout: SLOW_MS }, async () => {
    const page = await bench.json('/api/alerts?code=card.back');
    expect(page).toMatchObject({ alerts: [{ code: 'card.back', severity: 'stop' }] });
    const [alert] = JSON.stringify(page).match(/"id":"(\d+\.\d+)"/g) ?? [];
    const id = alert?.slice(6, -1) ?? '';
    const body = { table: KEY, id, note: 'seen on camera 2' };
    const done = await bench.post('/api/alerts/acknowledge', body);
    expect(await done.json()).toMatchObject({ id, acknowledged: { note: 'seen on camera 2' } });
    const twice = await bench.post('/api/alerts/acknowledge', body);
    expect(twice.status).toBe(409);
    const none = await bench.post('/api/alerts/acknowledge', { ...body, id: '999999.1' });
    expect(none.status).toBe(404);
    const foreign = await bench.ask('/api/alerts/acknowledge', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://elsewhere.example' },
      body: JSON.stringify(body),
    });
    expect(foreign.status).toBe(403);
    const handover = await bench.json('/api/handover');
    expect(handover).toMatchObject({
      dealtWith: [{ id, acknowledged: { note: 'seen on camera 2' } }],
    });
    const csv = await (await bench.ask(`/reports/table?table=${KEY}&from=0&format=csv`)).text();
    expect(csv).toContain('card.back');
    expect(csv).toContain('seen on camera 2');
    const html = await (await bench.ask(`/reports/shoe?table=${KEY}&shoe=1`)).text();
    expect(html).toContain('<h1>Shoe 1 of north/p1/bac-04</h1>');
  });

  it('goes on where it stood after its own restart and the broker\u2019s', {
    timeout: SLOW_MS,
  }, async () => {
    bench.table.play();
    await bench.floor.stop();
    const { seq } = bench.table.loop.state();
    await until('the table played on', () => bench.table.loop.state().seq > seq + 50, WAIT_MS);
    bench.floor = await bench.newFloor();
    await bench.broker.kill();
    bench.broker.wipe();
    await bench.broker.up();
    await bench.held();
    const rows = await bench.floor.service.store.rows.rows(KEY, 1, 1e9, 1e6);
    expect(rows.length).toBe(bench.table.loop.state().seq);
    const metrics = await (await bench.ask('/metrics')).text();
    expect(metrics).toMatch(/cutcard_floor_rows_total\{what="stored"\} \d+/);
    expect((await bench.ask('/health')).status).toBe(200);
  });

  it('does not listen beyond this machine without a login', { timeout: SLOW_MS }, async () => {
    await expect(
      startFloor({
        store: join(bench.folder, 'other.db'),
        broker: () => plainAddress(`mqtt://127.0.0.1:${bench.broker.port}`, '5'),
        host: '0.0.0.0',
        port: 0,
        log: silentLog,
        version: VERSION,
      }),
    ).rejects.toThrow(/no login is set/);
  });
});
