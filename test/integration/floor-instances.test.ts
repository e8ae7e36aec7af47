import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainAddress } from '../../controller/runtime/broker-target.js';
import { demoRules } from '../../controller/runtime/demo/table.js';
import { LightTable } from '../../controller/runtime/load/light-table.js';
import { RealScheduler } from '../../controller/runtime/real-scheduler.js';
import { MemoryJournal } from '../../storage/memory.js';
import { FloorStore } from '../../surveillance/floor/store/floor-store.js';
import { makeCommandKey } from '../../surveillance/mqtt/command-sign.js';
import { Cutcard } from '../support/cutcard.js';
import { aroundAll } from '../support/needs.js';
import { PostgresCluster, whyNoPostgres } from '../support/postgres.js';
import { freePort, Mosquitto, until, whyNoMosquitto } from './mqtt-tools.js';

const SLOW_MS = 420_000;
const WAIT_MS = 300_000;
const TABLES = 5;

const missing = whyNoPostgres() ?? whyNoMosquitto();

/** Two instances of the built service over one PostgreSQL, and tables that play. */
class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'cutcard-floors-'));
  readonly scheduler = new RealScheduler();
  readonly keys = ['one', 'two'].map((name) => ({ name, ...makeCommandKey() }));
  readonly tables: LightTable[] = [];
  readonly floors: Cutcard[] = [];
  cluster!: PostgresCluster;
  broker!: Mosquitto;
  database = '';

  async start(): Promise<void> {
    this.scheduler.trust(true);
    this.cluster = PostgresCluster.start(await freePort());
    this.database = this.cluster.database();
    this.broker = await Mosquitto.start();
    for (let i = 0; i < TABLES; i += 1) this.tables.push(this.newTable(i));
    for (const { name } of this.keys) this.floors.push(await this.newFloor(name));
    for (const table of this.tables) {
      await table.start();
      table.play();
    }
  }

  newTable(i: number): LightTable {
    return new LightTable({
      place: { site: 'north', pit: 'p1', table: `t-${i + 1}` },
      rules: demoRules('pa/631a-baccarat'),
      journal: new MemoryJournal(),
      scheduler: this.scheduler,
      address: plainAddress(`mqtt://127.0.0.1:${this.broker.port}`, '5'),
      consumers: ['historian'],
      keys: this.keys.map(({ name, publicKey }) => ({ name, publicKey, role: 'floor' })),
      version: '0.0.0-test',
      seed: i + 1,
      mistakes: [],
      human: false,
      pace: () => 50,
    });
  }

  async newFloor(name: string): Promise<Cutcard> {
    const key = this.keys.find((one) => one.name === name);
    const config = join(this.folder, `${name}.yaml`);
    writeFileSync(join(this.folder, `${name}.pem`), key?.pem ?? '', { mode: 0o600 });
    writeFileSync(
      config,
      [
        `broker: { url: "mqtt://127.0.0.1:${this.broker.port}" }`,
        `store: "${this.database}"`,
        `commandKey: { name: ${name}, file: ${name}.pem }`,
        'listen: { port: 0 }',
        '',
      ].join('\n'),
    );
    const floor = new Cutcard(['floor', '--config', config, '--json']);
    await floor.says(/"wall":"http/);
    await floor.says(/connected to the broker/);
    return floor;
  }

  rows(): number {
    return this.tables.reduce((sum, table) => sum + table.loop.state().seq, 0);
  }

  async played(more: number): Promise<void> {
    const goal = this.rows() + more;
    await until(`${more} rows more`, () => this.rows() >= goal, WAIT_MS);
  }

  async stop(): Promise<void> {
    await Promise.all(this.tables.map((table) => table.stop()));
    for (const floor of this.floors) if (floor.child.exitCode === null) await floor.end('SIGTERM');
    await this.broker.stop();
    this.cluster.stop();
    this.scheduler.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe('two instances of the floor over one PostgreSQL', () => {
  const bench = new Bench();
  aroundAll(missing, bench, SLOW_MS);

  it('lose no row while one is killed and the broker is killed and wiped', {
    timeout: SLOW_MS,
  }, async () => {
    await bench.played(300);
    await bench.floors[0]?.end('SIGKILL');
    await bench.played(300);
    await bench.broker.kill();
    bench.broker.wipe();
    await bench.played(200);
    await bench.broker.up();
    bench.floors.push(await bench.newFloor('one'));
    await bench.played(200);
    for (const table of bench.tables) table.pause();
    await until(
      'every table was acknowledged to its end',
      () => bench.tables.every(({ publisher, loop }) => publisher.delivered === loop.state().seq),
      WAIT_MS,
    );
    const store = await FloorStore.open(bench.database);
    const marks = await store.rows.marks();
    for (const table of bench.tables) {
      const { seq } = table.loop.state();
      const mark = marks.find((one) => one.table === table.name);
      expect({ table: table.name, held: mark?.seq }).toEqual({ table: table.name, held: seq });
      const rows = await store.rows.rows(table.name, 1, seq, seq + 1);
      expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: seq }, (_, i) => i + 1));
    }
    await store.close();
  });
});
