import type { Rules } from '../../core/decide.js';
import type { Happening } from '../../core/observation.js';
import type { Cancel, Journal, Scheduler, TableStep } from '../../core/ports.js';
import type { TableState } from '../../core/state.js';
import type { BrokerAddress } from '../../../surveillance/mqtt/mqtt-transport.js';
import { MqttTransport } from '../../../surveillance/mqtt/mqtt-transport.js';
import { Publisher } from '../../../surveillance/mqtt/publisher.js';
import type { AllowedKey } from '../../../surveillance/mqtt/command-guard.js';
import {
  tablePath,
  type TableName,
  type TopicKind,
} from '../../../surveillance/contract/topics.js';
import type { DeviceKey } from '../../../storage/checkpoint.js';
import { CheckpointSigner } from '../../../storage/signer.js';
import { checkpointMessageOf, documentsOf } from '../documents.js';
import { silentLog } from '../log-port.js';
import { TableLoop } from '../loop.js';
import type { Mistake } from '../demo/mistakes.js';
import { Player } from '../demo/player.js';
import type { HandAct } from '../scenario/schema.js';

const NS_PER_MS = 1e6;
/** A poker-size card pulled across its short side at an easy pace. */
const CARD = { kind: 'card.out', lengthMm: 63, speedMmS: 600 } as const;
const DOUBLE_MM = 80;
/** A table without hardware makes few rows a minute: whoever watches waits for the signature. */
const CHECKPOINT_ROWS = 100;
/** A table says how it is so often, ms. */
const HEALTH_MS = 10_000;
/** After a player is stuck, so long before the floor is asked to reshuffle, ms. */
const STUCK_MS = 5000;

export interface LightTableParts {
  readonly place: TableName;
  readonly rules: Rules;
  readonly journal: Journal;
  readonly scheduler: Scheduler;
  readonly address: BrokerAddress;
  readonly consumers: readonly string[];
  readonly keys: readonly AllowedKey[];
  /** Signs checkpoints of its rows; left out: none are signed, and nothing proves them. */
  readonly key?: DeviceKey;
  readonly version: string;
  readonly seed: number;
  /** Mistakes made once in each shoe; `human`: now and then one of its own. */
  readonly mistakes: readonly Mistake[];
  readonly human: boolean;
  /** How long a thing takes here that takes a practised person so long, ms. */
  readonly pace: (tookMs: number) => number;
  /** Each durable row, in order. */
  readonly onRow?: (step: TableStep) => void;
  /** Each message as it goes out. */
  readonly onSent?: (kind: TopicKind, payload: string) => void;
}

/** What the devices would tell of an act; empty for what this table has no device for. */
const happeningsOf = (act: HandAct): readonly Happening[] => {
  switch (act.do) {
    case 'cards':
      return act.cards.map(({ back }) => (back === undefined ? CARD : { ...CARD, back }));
    case 'cover':
      return Array.from({ length: act.n }, () => ({ kind: 'cover.out' }) as const);
    case 'back':
      return Array.from({ length: act.n }, () => ({ kind: 'card.back' }) as const);
    case 'double':
      return Array.from({ length: act.n }, () => ({ kind: 'card.double', lengthMm: DOUBLE_MM }));
    case 'block':
      return [{ kind: 'mouth.blocked' }, { kind: 'mouth.clear' }];
    case 'press':
      return [act.press];
    case 'shuffler':
      return [act.message];
    case 'lid':
      return [{ kind: act.open ? 'lid.open' : 'lid.closed' }];
    case 'shoe':
      return [{ kind: act.loaded ? 'shoe.loaded' : 'shoe.empty' }];
    case 'link':
      return [
        act.state === 'up'
          ? { kind: 'link.up', device: act.device }
          : { kind: 'link.down', device: act.device },
      ];
    default:
      return [];
  }
};

/**
 * A table without hardware: the real loop, rules, chain and publisher, played by the demo's
 * dealer in real time. Hundreds fit into a process.
 */
export class LightTable {
  readonly loop: TableLoop;
  readonly publisher: Publisher;
  readonly #parts: LightTableParts;
  readonly #player: Player;
  readonly #signer: CheckpointSigner | null;
  #next: Cancel | null = null;
  #health: Cancel | null = null;
  #isPlaying = false;

  constructor(parts: LightTableParts) {
    this.#parts = parts;
    const { rules, journal, scheduler, version, onSent, key } = parts;
    this.#signer =
      key === undefined ? null : new CheckpointSigner(key, { checkpointRows: CHECKPOINT_ROWS });
    this.loop = new TableLoop({
      rules,
      journal,
      scheduler,
      log: silentLog,
      version,
      perform: () => undefined,
    });
    this.publisher = new Publisher({
      table: parts.place,
      version,
      mqtt: parts.address.mqtt,
      cameras: [],
      consumers: parts.consumers,
      keys: parts.keys,
      journal,
      scheduler,
      transport: new MqttTransport(parts.address),
      random: Math.random,
      tell: (happening) => {
        this.loop.tell(happening);
      },
      report: () => undefined,
      ...(onSent === undefined ? {} : { inspect: onSent }),
    });
    this.#player = new Player({
      rules,
      seed: parts.seed,
      mistakes: parts.mistakes,
      human: parts.human,
      shoes: null,
    });
  }

  /** `site/pit/table` */
  get name(): string {
    return tablePath(this.#parts.place);
  }

  /** Begins to publish; the dealer begins with `play`. */
  async start(): Promise<void> {
    const { rules, onRow, key } = this.#parts;
    const state = await this.loop.restore();
    this.publisher.start(state);
    this.publisher.documents(documentsOf(rules, key ?? null));
    this.loop.onStep((step, after) => {
      this.publisher.committed(step, after);
      if (this.#signer !== null) void this.#sign(this.#signer, step);
      onRow?.(step);
    });
    await this.loop.start();
    const devices = ['mouth', 'keypad', ...(rules.table.shuffler === 'none' ? [] : ['shuffler'])];
    for (const device of devices) this.loop.tell({ kind: 'link.up', device });
    await this.loop.settled();
    this.#tellHealth();
  }

  play(): void {
    if (this.#isPlaying) return;
    this.#isPlaying = true;
    this.#later(this.#parts.pace(1000), () => this.#turn());
  }

  /** The dealer rests; the table goes on being there. */
  pause(): void {
    this.#isPlaying = false;
    this.#next?.();
  }

  async stop(): Promise<void> {
    this.pause();
    this.#health?.();
    await this.loop.stop();
    await this.publisher.stop();
  }

  /** The row is durable: a journal in memory keeps no checkpoints, so they are only published. */
  async #sign(signer: CheckpointSigner, step: TableStep): Promise<void> {
    const rows = await this.#parts.journal.read(step.observation.seq - 1, 1);
    for (const signed of signer.after([step], rows)) {
      const message = checkpointMessageOf(signed);
      if (message !== null) this.publisher.checkpoint(message);
    }
  }

  #turn(): void {
    const state: TableState = this.loop.state();
    const turn = this.#player.next(state);
    if (turn.kind !== 'move') {
      // Whatever it was, a floorperson has the cards shuffled anew.
      const reshuffle: Happening = { kind: 'press', key: 'reshuffle', role: 'floor', badge: 'F-1' };
      this.#later(STUCK_MS, () => this.#act([reshuffle]));
      return;
    }
    const { act, tookMs } = turn.move;
    this.#later(this.#parts.pace(tookMs), () => this.#act(happeningsOf(act)));
  }

  #act(happenings: readonly Happening[]): void {
    for (const happening of happenings) this.loop.tell(happening);
    this.loop.settled().then(
      () => {
        if (this.#isPlaying) this.#turn();
      },
      () => this.pause(),
    );
  }

  #later(ms: number, task: () => void): void {
    const { scheduler } = this.#parts;
    this.#next = scheduler.at(scheduler.nowNs() + ms * NS_PER_MS, () => {
      if (this.#isPlaying) task();
    });
  }

  #tellHealth(): void {
    const { scheduler } = this.#parts;
    const devices = Object.fromEntries(
      Object.entries(this.loop.state().devices).map(([name, { up, stale }]) => [
        name,
        { up, stale, quality: null },
      ]),
    );
    this.publisher.health({
      uptimeS: Math.round(process.uptime()),
      rssBytes: process.memoryUsage.rss(),
      diskFreeBytes: null,
      temperatureC: null,
      devices,
    });
    this.#health = scheduler.at(scheduler.nowNs() + HEALTH_MS * NS_PER_MS, () =>
      this.#tellHealth(),
    );
  }
}
