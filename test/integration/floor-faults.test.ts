import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainAddress } from '../../controller/runtime/broker-target.js';
import { demoRules } from '../../controller/runtime/demo/table.js';
import { startFloor } from '../../controller/runtime/floor/start-floor.js';
import { LightTable } from '../../controller/runtime/load/light-table.js';
import { silentLog } from '../../controller/runtime/log-port.js';
import { RealScheduler } from '../../controller/runtime/real-scheduler.js';
import { MemoryJournal } from '../../storage/memory.js';
import { OWN_HEADER } from '../../surveillance/access/same-origin.js';
import { FloorStore } from '../../surveillance/floor/store/floor-store.js';
import { commandKeyOf, makeCommandKey } from '../../surveillance/mqtt/command-sign.js';
import { Cutcard } from '../support/cutcard.js';
import { skipWhere } from '../support/needs.js';
import { Mosquitto, until, whyNoMosquitto } from './mqtt-tools.js';

const SLOW_MS = 420_000;
const WAIT_MS = 180_000;
const VERSION = '0.0.0-test';
const KEY = 'north/p1/bac-04';

const missing = whyNoMosquitto();

/** A broker and a table that plays; the floor is each test's own. */
class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'cutcard-floor-'));
  readonly store = join(this.folder, 'floor.db');
  readonly scheduler = new RealScheduler();
  readonly pair = makeCommandKey();
  readonly journal = new MemoryJournal();
  broker!: Mosquitto;
  table!: LightTable;

  async start(): Promise<void> {
    this.scheduler.trust(true);
    this.broker = await Mosquitto.start();
    this.table = new LightTable({
      place: { site: 'north', pit: 'p1', table: 'bac-04' },
      rules: demoRules('pa/631a-baccarat'),
      journal: this.journal,
      scheduler: this.scheduler,
      address: plainAddress(`mqtt://127.0.0.1:${this.broker.port}`, '5'),
      consumers: ['historian'],
      keys: [{ name: 'floor', publicKey: this.pair.publicKey, role: 'floor' }],
      version: VERSION,
      seed: 3,
      mistakes: [],
      human: false,
      pace: () => 5,
    });
    await this.table.start();
    this.table.play();
  }

  async played(rows: number): Promise<void> {
    const goal = this.table.loop.state().seq + rows;
    await until(`${rows} rows more`, () => this.table.loop.state().seq >= goal, WAIT_MS);
  }

  /** What the floor holds, against the table's own journal: row by row, byte by byte. */
  async compare(store: FloorStore, to: number): Promise<void> {
    const own = await this.journal.read(0, to);
    const held = await store.rows.rows(KEY, 1, to, to + 1);
    expect(held.map(({ seq }) => seq)).toEqual(own.map(({ seq }) => seq));
    const differing = own.filter(({ prev, hash, body }, i) => {
      const row = held[i];
      return row?.prev !== prev || row.hash !== hash || row.body !== body;
    });
    expect(differing.map(({ seq }) => seq)).toEqual([]);
  }

  async stop(): Promise<void> {
    await this.table.stop();
    await this.broker.stop();
    this.scheduler.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const writeNote = (url: string): Promise<Response> =>
  fetch(new URL('/api/notes', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', [OWN_HEADER]: '1' },
    body: JSON.stringify({ table: KEY, text: 'x'.repeat(400) }),
  });

describe('the floor service in trouble', () => {
  skipWhere(missing);
  let bench: Bench;
  beforeEach(async () => {
    bench = new Bench();
    if (missing === null) await bench.start();
  }, SLOW_MS);
  afterEach(async () => {
    if (missing === null) await bench.stop();
  }, SLOW_MS);

  it('on a full disk acknowledges nothing, says so, and goes on once there is room', {
    timeout: SLOW_MS,
  }, async () => {
    const errors: string[] = [];
    const floor = await startFloor({
      store: bench.store,
      broker: () => plainAddress(`mqtt://127.0.0.1:${bench.broker.port}`, '5'),
      port: 0,
      log: {
        ...silentLog,
        info: (_fields, text) => void errors.push(text),
        error: (fields, text) => void errors.push(`${text} ${JSON.stringify(fields)}`),
      },
      version: VERSION,
      commandKey: { name: 'floor', key: commandKeyOf(bench.pair.pem) },
    });
    const { service } = floor;
    const { db, rows } = service.store;
    try {
      await until('rows are held', () => (service.book.record(KEY)?.seq ?? 0) > 100, WAIT_MS);
      // As full as a disk: not one page more than there are.
      await db.all('PRAGMA max_page_count = 1');
      await until('rows are refused', () => !service.health().takesRows, WAIT_MS);
      await bench.played(150);
      const [mark] = await rows.marks();
      expect(bench.table.publisher.delivered).toBeLessThanOrEqual(mark?.seq ?? 0);
      const health = await fetch(new URL('/health', floor.url));
      expect(health.status).toBe(503);
      expect(await health.json()).toMatchObject({ ok: false, takesRows: false });
      const wall = await fetch(new URL('/api/wall', floor.url));
      expect(await wall.json()).toMatchObject({
        service: { storeFault: { why: expect.stringMatching(/full/) as unknown } },
      });
      // Some fit into the pages there are.
      let note = await writeNote(floor.url);
      for (let i = 0; i < 200 && note.ok; i += 1) note = await writeNote(floor.url);
      expect(note.status).toBe(503);
      expect(await note.text()).toMatch(/Nothing was written down: the store has no room/);
      const refusals = errors.filter((text) => text.startsWith('the store would not take rows'));
      expect(refusals.length).toBeGreaterThan(0);
      expect(refusals.length).toBeLessThan(5);

      await db.all('PRAGMA max_page_count = 1000000');
      bench.table.pause();
      await bench.table.loop.settled();
      const end = (): number => bench.table.loop.state().seq;
      await until(
        'all is held and acknowledged',
        () => bench.table.publisher.delivered === end() && service.book.record(KEY)?.seq === end(),
        WAIT_MS,
      );
      expect(errors).toContain('the store takes rows again');
      expect((await fetch(new URL('/health', floor.url))).status).toBe(200);
      await bench.compare(service.store, end());
    } finally {
      await floor.stop();
    }
  });

  it('killed in mid-stream, again and again, ends with the rows of the table, byte by byte', {
    timeout: SLOW_MS,
  }, async () => {
    const config = join(bench.folder, 'floor.yaml');
    writeFileSync(join(bench.folder, 'floor.pem'), bench.pair.pem, { mode: 0o600 });
    writeFileSync(
      config,
      [
        `broker: { url: "mqtt://127.0.0.1:${bench.broker.port}" }`,
        `store: ${bench.store}`,
        'commandKey: { name: floor, file: floor.pem }',
        'listen: { port: 0 }',
        '',
      ].join('\n'),
    );
    const start = async (): Promise<Cutcard> => {
      const floor = new Cutcard(['floor', '--config', config, '--json']);
      await floor.says(/connected to the broker/);
      return floor;
    };
    const acknowledged = (): number => bench.table.publisher.delivered ?? 0;
    let said = 0;
    for (let i = 0; i < 4; i += 1) {
      const floor = await start();
      const before = said;
      await until('rows are acknowledged', () => acknowledged() > before, WAIT_MS);
      await bench.played(40 + 13 * i);
      await floor.end('SIGKILL');
      said = acknowledged();
      // What was acknowledged is there, whatever the end cut short.
      const store = await FloorStore.open(bench.store);
      const [mark] = await store.rows.marks();
      expect(mark?.seq).toBeGreaterThanOrEqual(said);
      await bench.compare(store, said);
      await store.close();
      await bench.played(30);
    }
    const floor = await start();
    bench.table.pause();
    await bench.table.loop.settled();
    await until(
      'every row is acknowledged',
      () => bench.table.publisher.delivered === bench.table.loop.state().seq,
      WAIT_MS,
    );
    const { seq } = bench.table.loop.state();
    await floor.end('SIGTERM');
    const store = await FloorStore.open(bench.store);
    await bench.compare(store, seq);
    await store.close();
  });
});
