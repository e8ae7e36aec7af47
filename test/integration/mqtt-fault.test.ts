import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plainAddress } from '../../controller/runtime/broker-target.js';
import { HealthProbe } from '../../controller/runtime/health.js';
import { silentLog } from '../../controller/runtime/log-port.js';
import { TableLoop } from '../../controller/runtime/loop.js';
import { Surveillance } from '../../controller/runtime/publish.js';
import { RealScheduler } from '../../controller/runtime/real-scheduler.js';
import { StepKeeper } from '../../controller/runtime/steps-since.js';
import { Supervisor } from '../../controller/runtime/supervisor.js';
import { openJournal } from '../../storage/journal.js';
import { messageFault } from '../../surveillance/contract/validate.js';
import { plainRules } from '../fakes/rules.js';
import { skipWhere } from '../support/needs.js';
import { Mosquitto, publishOnce, Subscriber, until, whyNoMosquitto } from './mqtt-tools.js';

skipWhere(whyNoMosquitto());

const PLACE = { site: 'north', pit: 'p1', table: 'bac-04' };
const ROOT = 'cutcard/v1/north/p1/bac-04';

it('a journal that takes no row: surveillance is told, and nothing is claimed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cutcard-fault-'));
  const broker = await Mosquitto.start();
  const subscriber = await Subscriber.start(broker.port, ['cutcard/v1/#']);
  const journal = await openJournal(join(folder, 'table.journal'), { writer: 'inline' });
  const scheduler = new RealScheduler();
  const loop = new TableLoop({
    rules: plainRules,
    journal,
    scheduler,
    log: silentLog,
    perform: () => undefined,
  });
  const health = new HealthProbe({ journalFolder: folder, queued: () => loop.queued });
  const supervisor = new Supervisor(health, scheduler, silentLog);
  const surveillance = new Surveillance(
    {
      place: PLACE,
      address: plainAddress(`mqtt://127.0.0.1:${broker.port}`, '5'),
      mqtt: '5',
      consumers: [],
      cameras: [],
      keys: [],
    },
    {
      loop,
      journal,
      scheduler,
      supervisor,
      log: silentLog,
      version: 'test',
      rules: plainRules,
      key: null,
      readings: () => ({}),
    },
  );
  const last = (kind: string): unknown =>
    JSON.parse(subscriber.of(`${ROOT}/${kind}`).at(-1) ?? 'null');
  try {
    await loop.restore();
    const keeper = new StepKeeper(loop);
    await loop.start();
    surveillance.start(keeper.handOver());
    await until('first row', () => subscriber.of(`${ROOT}/event`).length > 0);
    const { seq } = journal.head();
    // A row out of its place: the journal refuses it and takes none after it.
    await expect(
      journal.append([
        {
          observation: {
            kind: 'rack.count',
            n: 1,
            seq: seq + 7,
            atNs: 1e18,
            wallMs: 0,
            wallTrusted: false,
          },
          decisions: [],
        },
      ]),
    ).rejects.toThrow('row');
    loop.tell({ kind: 'press', role: 'dealer', key: 'open-table' });
    await loop.settled();
    expect(loop.fault()).toContain('cannot be written');
    const fault: unknown = expect.stringContaining('the journal cannot be written');
    await until('status', () => subscriber.of(`${ROOT}/status`).length > 1);
    expect(last('status')).toMatchObject({ status: 'online', reason: 'fault', fault, seq });
    await until('state', () => (subscriber.of(`${ROOT}/state`).at(-1) ?? '').includes('fault'));
    expect(last('state')).toMatchObject({
      fault,
      seq,
      gate: 'locked',
      tower: { colour: 'red', light: 'blink' },
      display: { line1: 'JOURNAL FAULT' },
    });
    await until('health', () => (subscriber.of(`${ROOT}/health`).at(-1) ?? '').includes('"fault"'));
    expect(last('health')).toMatchObject({ fault, seq });
    // An order cannot be recorded: it is answered with the reason, and not taken.
    publishOnce(broker.port, `${ROOT}/cmd`, '{}');
    await until('the answer', () => subscriber.of(`${ROOT}/cmd/reply`).length === 1);
    expect(last('cmd/reply')).toMatchObject({ taken: false, reason: fault, seq });
    // A consumer that comes now hears it from the retained state; a new link says it again.
    await broker.kill();
    await broker.up();
    const later = await Subscriber.start(broker.port, ['cutcard/v1/#']);
    await until('birth', () => later.of(`${ROOT}/status`).length > 0);
    expect(JSON.parse(later.of(`${ROOT}/status`)[0] ?? 'null')).toMatchObject({ fault });
    later.stop();
    const events = subscriber.of(`${ROOT}/event`).map((line): unknown => JSON.parse(line));
    expect(events.at(-1)).toMatchObject({ seq });
    for (const kind of ['status', 'state', 'health', 'event', 'cmd/reply'] as const) {
      for (const line of subscriber.of(`${ROOT}/${kind}`)) {
        expect([kind, messageFault(kind, JSON.parse(line))]).toEqual([kind, null]);
      }
    }
  } finally {
    await surveillance.stop();
    loop.abandon();
    scheduler.close();
    subscriber.stop();
    await journal.close();
    await broker.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
