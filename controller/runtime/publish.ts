import type { Rules } from '../core/decide.js';
import type { Cancel } from '../core/ports.js';
import { MqttTransport } from '../../surveillance/mqtt/mqtt-transport.js';
import type { SqliteJournal } from '../../storage/journal.js';
import type { SignedCheckpoint } from '../../storage/store.js';
import { Renewal } from '../../surveillance/identity/renewal.js';
import { Publisher } from '../../surveillance/mqtt/publisher.js';
import type { BrokerTarget } from './broker-target.js';
import { checkpointMessageOf, documentsOf, type PublicHalf } from './documents.js';
import type { Health } from './health.js';
import { shownFault } from './outputs.js';
import type { Log } from './log-port.js';
import type { TableLoop } from './loop.js';
import { ReadQuality, type ReadingsNow } from './read-quality.js';
import type { RealScheduler } from './real-scheduler.js';
import type { StepsSince } from './steps-since.js';
import type { Supervisor } from './supervisor.js';

export interface PublishParts {
  readonly loop: TableLoop;
  readonly journal: SqliteJournal;
  /** Real time, even where the table runs on a simulated clock: a broker does not wait. */
  readonly scheduler: RealScheduler;
  readonly supervisor: Supervisor;
  readonly log: Log;
  readonly version: string;
  readonly rules: Rules;
  /** Signs checkpoints; null: none are signed. */
  readonly key: PublicHalf | null;
  readonly readings: ReadingsNow;
}

/** A table's line to surveillance: every durable step, alerts, state and health. */
export class Surveillance {
  readonly publisher: Publisher;
  readonly #parts: PublishParts;
  readonly #stops: Cancel[] = [];
  readonly #renewal: Renewal | null;
  readonly #quality: ReadQuality;
  #running = false;

  constructor(target: BrokerTarget, parts: PublishParts) {
    this.#parts = parts;
    this.#quality = new ReadQuality(parts.readings);
    this.#renewal = target.identity === undefined ? null : this.#renewalOf(target.identity);
    this.publisher = new Publisher({
      table: target.place,
      version: parts.version,
      mqtt: target.mqtt,
      cameras: target.cameras,
      consumers: target.consumers,
      keys: target.keys,
      journal: parts.journal,
      scheduler: parts.scheduler,
      transport: new MqttTransport(target.address),
      random: Math.random,
      tell: (happening) => {
        parts.loop.tell(happening);
      },
      report: (kind, text) => parts.log.warn({ kind }, text),
    });
  }

  /**
   * Begins to publish. The first rows of a run may be older than this object: `since` holds the
   * state before them and the steps, so that none of them goes unheard.
   */
  start(since: StepsSince): void {
    if (this.#running) return;
    this.#running = true;
    const { loop, journal, supervisor, rules, key } = this.#parts;
    this.#renewal?.start();
    // The will is written when the link is opened: with this start's row it names this boot.
    this.publisher.start(
      since.before,
      since.steps.map(({ step, state }) => [step, state]),
    );
    this.publisher.documents(documentsOf(rules, key));
    this.#stops.push(
      loop.onStep((step, state) => this.publisher.committed(step, state)),
      journal.onCheckpoint((signed) => this.#checkpoint(signed)),
      supervisor.onLook((health) => this.#health(health)),
      loop.onFault((reason) => this.#fault(reason)),
    );
    const { checkpoint } = journal;
    if (checkpoint !== null) this.#checkpoint(checkpoint);
    const fault = loop.fault();
    if (fault !== null) this.#fault(fault);
    void supervisor.look();
  }

  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    for (const stop of this.#stops.splice(0)) stop();
    this.#renewal?.stop();
    await this.publisher.stop();
    this.#parts.scheduler.close();
  }

  #renewalOf(identity: NonNullable<BrokerTarget['identity']>): Renewal {
    const { log, scheduler } = this.#parts;
    return new Renewal({
      ...identity,
      scheduler,
      report: (text) => log.warn({ kind: 'certificate' }, text),
      renewed: () => {
        log.info({ kind: 'certificate' }, 'a new certificate is in use');
        this.publisher.reconnect('a new certificate is in use');
      },
    });
  }

  /** There is no row for this: surveillance hears it beside the last durable state, and at once. */
  #fault(reason: string): void {
    const { loop, rules, supervisor } = this.#parts;
    this.publisher.journalFault(shownFault(reason, loop.state(), rules));
    void supervisor.look();
  }

  #checkpoint(signed: SignedCheckpoint): void {
    const message = checkpointMessageOf(signed);
    if (message !== null) this.publisher.checkpoint(message);
  }

  #health({ uptimeS, rssBytes, temperatureC, ...disk }: Health): void {
    const { diskFreeBytes, diskWrittenBytes, diskLifeUsedPercent } = disk;
    const quality = this.#quality.look();
    const devices = Object.fromEntries(
      Object.entries(this.#parts.loop.state().devices).map(([name, { up, stale }]) => [
        name,
        { up, stale, quality: quality[name] ?? null },
      ]),
    );
    const certificate = this.#renewal?.health();
    this.publisher.health({
      uptimeS,
      rssBytes,
      diskFreeBytes,
      diskWrittenBytes,
      diskLifeUsedPercent,
      temperatureC,
      devices,
      ...(certificate === undefined ? {} : { certificate }),
    });
  }
}
