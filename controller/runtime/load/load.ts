import { MemoryJournal } from '../../../storage/memory.js';
import { connectDesk, DeskError } from '../../../surveillance/mqtt/desk.js';
import type { AllowedKey } from '../../../surveillance/mqtt/command-guard.js';
import { ackSchema } from '../../../surveillance/contract/messages.js';
import { parseTopic, tablePath, TOPIC_PREFIX } from '../../../surveillance/contract/topics.js';
import { plainAddress } from '../broker-target.js';
import { demoRules } from '../demo/table.js';
import { EXIT, Refusal } from '../exit.js';
import { RealScheduler } from '../real-scheduler.js';
import { LightTable } from './light-table.js';
import { LoadMeter, type Spread } from './meter.js';
import { watchWall } from './watch-wall.js';

const PROCEDURES = [
  'pa/627a-minibaccarat',
  'pa/631a-baccarat',
  'pa/633a-blackjack',
  'pa/651a-casino-war',
] as const;
const TABLES_A_PIT = 50;
/** Tables that start at once: a floor does not come up in one moment either. */
const START_AT_ONCE = 20;
const START_GAP_MS = 100;
const WARM_UP_MS = 5000;
/** Longest wait for what is under way at the end, ms. */
const DRAIN_MS = 120_000;
const LOOK_MS = 500;

export interface LoadOptions {
  readonly broker: string;
  readonly mqtt: '5' | '3.1.1';
  /** Address of the floor's wall; null: the wall is not watched. */
  readonly floor: string | null;
  readonly tables: number;
  /** Acts a second at each table. */
  readonly rate: number;
  readonly seconds: number;
  readonly consumer: string;
  readonly site: string;
  readonly seed: number;
  /** Keys that may order rows again. */
  readonly keys: readonly AllowedKey[];
  readonly version: string;
  readonly progress: (text: string) => void;
}

export interface LoadReport {
  readonly tables: number;
  readonly rate: number;
  readonly seconds: number;
  /** Rows published while measuring, a second. */
  readonly rowsPerSecond: number;
  readonly rows: number;
  /** From a row's publication to the historian's ack, which follows its commit. */
  readonly acked: Spread;
  /** To the wall's stream showing a state at or after the row. */
  readonly shown: Spread;
  /** To the wall's stream showing the row as held. */
  readonly held: Spread;
  /** Rows the historian does not acknowledge after the drain. */
  readonly lost: number;
  /** How long the last rows took after the play ended, s. */
  readonly drainedS: number;
  readonly rssMb: number;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const build = (options: LoadOptions, meter: LoadMeter, scheduler: RealScheduler): LightTable[] => {
  const { tables, rate, site, consumer, keys, version, seed, broker, mqtt } = options;
  const games = PROCEDURES.map((procedure) => demoRules(procedure));
  const gapMs = 1000 / rate;
  return Array.from({ length: tables }, (_, i) => {
    const place = {
      site,
      pit: `pit-${1 + Math.floor(i / TABLES_A_PIT)}`,
      table: `t-${String(i + 1).padStart(4, '0')}`,
    };
    const path = tablePath(place);
    const rules = games[i % games.length];
    if (rules === undefined) throw new Error('no game to play');
    return new LightTable({
      place,
      rules,
      journal: new MemoryJournal(),
      scheduler,
      address: plainAddress(broker, mqtt),
      consumers: [consumer],
      keys,
      version,
      seed: seed + i,
      mistakes: [],
      human: true,
      pace: () => gapMs * (0.5 + Math.random()),
      onSent: (kind, payload) => {
        if (kind !== 'event') return;
        const seq = Number(/^\{"seq":(\d+)/.exec(payload)?.[1] ?? 0);
        meter.published(path, seq, performance.now());
      },
    });
  });
};

const listen = async (options: LoadOptions, meter: LoadMeter): Promise<() => void> => {
  const { broker, mqtt, consumer, site } = options;
  try {
    let isStopped = false;
    let end = (): void => undefined;
    const open = async (): Promise<void> => {
      const client = await connectDesk({ broker, mqtt });
      end = () => client.end(true);
      client.on('message', (topic, payload) => {
        const name = parseTopic(topic)?.name;
        const ack = ackSchema.safeParse(JSON.parse(payload.toString('utf8')));
        if (name === undefined || !ack.success) return;
        meter.ack(tablePath(name), ack.data.seq, performance.now());
      });
      client.on('error', () => undefined);
      client.on('close', () => {
        if (!isStopped) void again();
      });
      client.subscribe(`${TOPIC_PREFIX}/${site}/+/+/ack/${consumer}`, { qos: 1 });
    };
    // The broker may be restarted on purpose while the tables play.
    const again = async (): Promise<void> => {
      while (!isStopped) {
        await pause(LOOK_MS);
        try {
          await open();
          return;
        } catch {
          continue;
        }
      }
    };
    await open();
    return () => {
      isStopped = true;
      end();
    };
  } catch (error) {
    if (error instanceof DeskError) throw new Refusal(EXIT.usage, error.message, error);
    throw error;
  }
};

const started = async (tables: readonly LightTable[], signal: AbortSignal): Promise<void> => {
  for (let i = 0; i < tables.length && !signal.aborted; i += START_AT_ONCE) {
    await Promise.all(tables.slice(i, i + START_AT_ONCE).map((table) => table.start()));
    for (const table of tables.slice(i, i + START_AT_ONCE)) table.play();
    await pause(START_GAP_MS);
  }
};

const drained = async (
  tables: readonly LightTable[],
  meter: LoadMeter,
  signal: AbortSignal,
): Promise<{ readonly lost: number; readonly tookS: number }> => {
  const startedMs = performance.now();
  const lost = (): number =>
    tables.reduce((sum, table) => {
      const { seq } = table.loop.state();
      return sum + Math.max(0, seq - meter.ackOf(table.name));
    }, 0);
  while (lost() > 0 && performance.now() - startedMs < DRAIN_MS && !signal.aborted) {
    await pause(LOOK_MS);
  }
  return { lost: lost(), tookS: Math.round((performance.now() - startedMs) / 100) / 10 };
};

/**
 * Plays many tables onto a broker and measures how long their rows take to the historian and to
 * the wall. Rows, broker and floor are real; the tables lack only hardware and a disk.
 * @throws Refusal where the broker cannot be used.
 */
export const runLoad = async (options: LoadOptions, signal: AbortSignal): Promise<LoadReport> => {
  const meter = new LoadMeter();
  const scheduler = new RealScheduler();
  scheduler.trust(true);
  const tables = build(options, meter, scheduler);
  const stopListening = await listen(options, meter);
  const wall =
    options.floor === null
      ? null
      : watchWall(options.floor, ({ key, seq, holding }) =>
          meter.tile(key, seq, holding.seq, performance.now()),
        );
  try {
    options.progress(`starting ${tables.length} tables`);
    await started(tables, signal);
    await pause(WARM_UP_MS);
    const before = meter.sent;
    const fromMs = performance.now();
    meter.measure();
    while (performance.now() - fromMs < options.seconds * 1000 && !signal.aborted) {
      await pause(LOOK_MS);
      const s = Math.round((performance.now() - fromMs) / 1000);
      options.progress(`${s} s, ${meter.sent} rows, ${meter.unacknowledged()} under way`);
    }
    const seconds = (performance.now() - fromMs) / 1000;
    const rowsPerSecond = Math.round((meter.sent - before) / seconds);
    for (const table of tables) table.pause();
    const { lost, tookS } = await drained(tables, meter, signal);
    return {
      tables: tables.length,
      rate: options.rate,
      seconds: Math.round(seconds),
      rowsPerSecond,
      rows: meter.sent,
      acked: meter.acked.spread(),
      shown: meter.shown.spread(),
      held: meter.held.spread(),
      lost,
      drainedS: tookS,
      rssMb: Math.round(process.memoryUsage.rss() / 1e6),
    };
  } finally {
    wall?.stop();
    stopListening();
    await Promise.all(tables.map((table) => table.stop()));
    scheduler.close();
  }
};
