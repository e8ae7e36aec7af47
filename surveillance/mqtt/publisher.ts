import type { Happening } from '../../controller/core/observation.js';
import type { Cancel, Journal, Scheduler, TableStep } from '../../controller/core/ports.js';
import type { TableState } from '../../controller/core/state.js';
import type { CheckpointMessage, DocumentsMessage, StatusMessage } from '../contract/messages.js';
import {
  clientIdOf,
  parseTopic,
  tableNameFault,
  tablePath,
  tableRoot,
  type TableName,
  type TopicKind,
  topicOf,
} from '../contract/topics.js';
import { AckBook } from './ack-book.js';
import type { BackoffLimits } from './backoff.js';
import { type AllowedKey, CommandGuard } from './command-guard.js';
import { Answers } from './answers.js';
import { CommandDesk } from './commands.js';
import { EventLane } from './event-lane.js';
import { Kept } from './kept.js';
import { LateMark } from './late-mark.js';
import { NoticeLane } from './notice-lane.js';
import { type Outlet, roomForRows } from './outlet.js';
import { camerasText, healthPayload, statePayload, statusPayload } from './payloads.js';
import { ResendLane } from './resend-lane.js';
import type { BoxHealth, PublisherFault, PublisherStats, ShownFault } from './publisher-parts.js';
import { Session, type SessionOwner } from './session.js';
import type { InMessage, OutMessage, Transport } from './transport.js';

/**
 * Everything a table says to surveillance, and the orders it takes.
 *
 *     const publisher = new Publisher({
 *       table: { site, pit, table }, version, mqtt: '5',
 *       cameras: [], consumers: ['historian'], keys: [],
 *       journal, scheduler, transport: new MqttTransport({ host, port, mqtt: '5', tls }),
 *       random: Math.random,
 *       tell: (happening) => loop.tell(happening),      // commands become journal rows
 *       report: (kind, text) => log.warn({ kind }, text),
 *     });
 *     publisher.start(loop.state);                      // after the journal was replayed
 *     loop.onStep((step, state) => publisher.committed(step, state));   // after it is durable
 *     publisher.health({...}); publisher.checkpoint({...});             // as often as wanted
 *     await publisher.stop();                           // says `offline`, closes within 2 s
 *
 * `committed` must be called once for each row, in order, only when it is durable. Nothing here
 * throws, waits or grows on account of the network: rows wait in the journal, not in memory.
 */
export interface PublisherParts {
  readonly table: TableName;
  readonly version: string;
  readonly mqtt: '5' | '3.1.1';
  /** Cameras that see the table, as the site names them. */
  readonly cameras: readonly string[];
  /** Consumers whose acks decide what counts as delivered; none: `delivered` stays null. */
  readonly consumers: readonly string[];
  /** Who may command this table. */
  readonly keys: readonly AllowedKey[];
  readonly journal: Journal;
  readonly scheduler: Scheduler;
  readonly transport: Transport;
  /** From 0 to 1, for the jitter of the back-off. */
  readonly random: () => number;
  readonly tell: (happening: Happening) => void;
  /** Faults for the log; the same ones are counted in `health`. */
  readonly report: (kind: PublisherFault, text: string) => void;
  readonly window?: number;
  readonly backoff?: BackoffLimits;
  readonly keepAliveS?: number;
  readonly pubackTimeoutMs?: number;
  /** Shortest gap between two `state` messages, ms. */
  readonly stateGapMs?: number;
  /** Looks at each message before it goes; tests check the contract here. */
  readonly inspect?: (kind: TopicKind, payload: string) => void;
}

const STATE_GAP_MS = 50;
const RETRY_MS = 1000;
const SAID_MAX = 16;
const NS_PER_MS = 1e6;

export class Publisher {
  readonly #parts: PublisherParts;
  readonly #session: Session;
  readonly #events: EventLane;
  readonly #notices: NoticeLane;
  readonly #resends: ResendLane;
  readonly #acks: AckBook;
  readonly #desk: CommandDesk;
  readonly #guard: CommandGuard;
  readonly #late: LateMark;
  readonly #faults: Record<string, number> = {};
  #state: TableState | null = null;
  #shown: ShownFault | null = null;
  #isStateDue = false;
  #isStateOut = false;
  #stateGap: Cancel | null = null;
  #retry: Cancel | null = null;
  readonly #answers: Answers;
  readonly #kept = new Kept();
  #isPumping = false;
  #startedMs = 0;
  /** Our own last words on `status`. */
  readonly #said: string[] = [];

  /** @throws Error when the table's name cannot be a topic or a command key cannot be used. */
  constructor(parts: PublisherParts) {
    const fault = tableNameFault(parts.table);
    if (fault !== null) throw new Error(fault);
    this.#parts = parts;
    this.#late = new LateMark(parts.scheduler);
    this.#answers = new Answers(topicOf(parts.table, 'cmd/reply'));
    const { journal, cameras } = parts;
    const shared = {
      journal,
      outlet: this.#outlet(),
      fault: (kind: PublisherFault, text: string) => this.#fault(kind, text),
      pump: () => this.#pump(),
      retryLater: () => this.#pumpIn(RETRY_MS),
      lateSeq: () => this.#late.seq(),
    };
    this.#events = new EventLane({
      ...shared,
      cameras: camerasText(cameras),
      maximumPacketBytes: () => this.#session.maximumPacketBytes,
      passes: (rows) => this.#notices.passed(rows),
    });
    this.#notices = new NoticeLane({
      ...{ ...shared, cameras },
      readTo: () => this.#events.readTo,
      pumpSoon: () => this.#pumpIn(0),
    });
    this.#resends = new ResendLane({ ...shared, cameras: camerasText(cameras) });
    this.#acks = new AckBook({
      journal,
      consumers: parts.consumers,
      fault: shared.fault,
      wentBack: (seq) => {
        this.#events.rewind(seq);
        this.#pump();
      },
    });
    this.#guard = new CommandGuard(tablePath(parts.table), parts.keys);
    this.#desk = new CommandDesk({
      guard: this.#guard,
      scheduler: parts.scheduler,
      tell: parts.tell,
      headSeq: () => journal.head().seq,
      resend: (from, to) => this.#resends.add(from, to),
      answer: (reply, asker) => {
        this.#answers.add(reply, asker);
        this.#pump();
      },
    });
    this.#session = new Session({
      transport: parts.transport,
      scheduler: parts.scheduler,
      clientId: clientIdOf(parts.table),
      owner: this.#owner(),
      random: parts.random,
      ...(parts.window === undefined ? {} : { window: parts.window }),
      ...(parts.backoff === undefined ? {} : { backoff: parts.backoff }),
      ...(parts.keepAliveS === undefined ? {} : { keepAliveS: parts.keepAliveS }),
      ...(parts.pubackTimeoutMs === undefined ? {} : { pubackTimeoutMs: parts.pubackTimeoutMs }),
    });
  }

  /** Begins to connect. `state`: the table as the journal left it; `since`: rows durable by now. */
  start(state: TableState, since: readonly [TableStep, TableState][] = []): void {
    const { scheduler } = this.#parts;
    this.#state = state;
    this.#isStateDue = true;
    this.#startedMs = scheduler.wallMs();
    this.#notices.seed(state.findings);
    this.#guard.start({ wallMs: scheduler.wallMs(), wallTrusted: scheduler.wallTrusted() });
    for (const [step, after] of since) this.committed(step, after);
    this.#session.start();
  }

  /** A row has become durable. Called once for each, in order. */
  committed(step: TableStep, state: TableState): void {
    this.#state = state;
    this.#isStateDue = true;
    this.#late.committed(step.observation.seq);
    this.#notices.committed(step, state.findings);
    this.#desk.committed(step);
    this.#pump();
  }

  health(box: BoxHealth): void {
    const { scheduler, table } = this.#parts;
    const about = { state: this.#state, scheduler, shown: this.#shown };
    const payload = healthPayload(box, this.stats(), about);
    this.#parts.inspect?.('health', payload);
    this.#session.publish({ topic: topicOf(table, 'health'), payload, qos: 0, retain: false });
  }

  /** No row can be written any more: said at once, beside the last durable state. */
  journalFault(shown: ShownFault): void {
    this.#shown = shown;
    this.#isStateDue = true;
    this.#desk.closed(shown.fault);
    if (this.#session.room > 0) this.#session.publish(this.#status('online', 'fault'));
    this.#pump();
  }

  /** The newest checkpoint, once it is durable; the last one is sent again at each connect. */
  checkpoint(message: CheckpointMessage): void {
    this.#kept.put('checkpoint', JSON.stringify(message));
    this.#pump();
  }

  /** Procedure, configuration and public key in force; sent again at each connect. */
  documents(message: DocumentsMessage): void {
    this.#kept.put('documents', JSON.stringify(message));
    this.#pump();
  }

  stats(): PublisherStats {
    const { delivered } = this.#acks;
    return {
      isUp: this.#session.state === 'up',
      queued: this.#events.queued,
      undelivered:
        delivered === null ? null : Math.max(0, this.#parts.journal.head().seq - delivered),
      outstanding: this.#session.outstanding,
      connects: this.#session.connects,
      refusedCommands: this.#desk.refused,
      faults: this.#faults,
    };
  }

  /** Rows up to here may be retired: every named consumer proved to hold them. Null: none named. */
  get delivered(): number | null {
    return this.#acks.delivered;
  }

  /** Ends the link and makes a new one, with whatever certificate is now in use. */
  reconnect(reason: string): void {
    this.#session.reconnect(reason);
  }

  /** Says `offline` where there is a link and closes it; safe twice. */
  async stop(): Promise<void> {
    this.#retry?.();
    this.#stateGap?.();
    this.#notices.settle();
    await this.#session.stop(this.#status('offline', 'stop'));
  }

  #owner(): SessionOwner {
    const { table } = this.#parts;
    return {
      birth: () => this.#status('online', 'start'),
      will: () => this.#status('offline', 'lost'),
      subscriptions: () => [
        topicOf(table, 'cmd'),
        `${tableRoot(table)}/ack/+`,
        topicOf(table, 'status'),
      ],
      up: () => {
        this.#late.connected(this.#parts.journal.head().seq);
        this.#notices.up();
        this.#isStateDue = this.#state !== null;
        this.#isStateOut = false;
        this.#kept.up();
      },
      room: () => this.#pump(),
      message: (message) => this.#message(message),
      down: () => {
        this.#events.down();
        this.#notices.down();
        this.#resends.down();
        this.#answers.clear();
      },
      fault: (kind, text) => this.#fault(kind, text),
    };
  }

  #outlet(): Outlet {
    return {
      room: () => this.#session.room,
      send: (kind, payload, done) => this.#send(kind, payload, false, done),
    };
  }

  #send(kind: PublishedKind, payload: string, retain: boolean, done?: () => void): void {
    this.#parts.inspect?.(kind, payload);
    const topic = topicOf(this.#parts.table, kind);
    this.#session.publish({ topic, payload, qos: 1, retain }, done);
  }

  /**
   * Sends what there is room for, the most urgent first: answers and the state, then what was
   * decided just now, then rows in order. Rows leave some slots free, so that the urgent ones find
   * room at once even while a week of backlog goes out.
   */
  #pump(): void {
    if (this.#isPumping || this.#session.state !== 'up') return;
    this.#isPumping = true;
    while (this.#session.room > 0 && this.#answerOne());
    this.#sendKept();
    this.#sendState();
    while (this.#session.room > 0 && this.#notices.sendOne());
    const { window } = this.#session;
    for (let isSending = true; isSending; ) {
      if (roomForRows(this.#session.room, window) <= 0) break;
      isSending = this.#events.sendOne();
      if (this.#resends.isBusy && roomForRows(this.#session.room, window) > 0) {
        isSending = this.#resends.sendOne() || isSending;
      }
    }
    this.#isPumping = false;
  }

  #pumpIn(ms: number): void {
    const { scheduler } = this.#parts;
    this.#retry?.();
    this.#retry = scheduler.at(scheduler.nowNs() + ms * NS_PER_MS, () => this.#pump());
  }

  /** One `state` under way at a time, and not more than some twenty a second: the newest wins. */
  #sendState(): void {
    const { scheduler, cameras, stateGapMs } = this.#parts;
    if (!this.#isStateDue || this.#isStateOut || this.#stateGap !== null) return;
    if (this.#state === null || this.#session.room <= 0) return;
    this.#isStateDue = false;
    this.#isStateOut = true;
    this.#send('state', statePayload(this.#state, cameras, this.#shown), true, () => {
      this.#isStateOut = false;
    });
    const gapNs = (stateGapMs ?? STATE_GAP_MS) * NS_PER_MS;
    this.#stateGap = scheduler.at(scheduler.nowNs() + gapNs, () => {
      this.#stateGap = null;
      this.#pump();
    });
  }

  #sendKept(): void {
    while (this.#session.room > 0) {
      const next = this.#kept.next();
      if (next === null) return;
      this.#send(next.kind, next.payload, true);
    }
  }

  #answerOne(): boolean {
    const next = this.#answers.next();
    if (next === null) return false;
    this.#parts.inspect?.('cmd/reply', next.payload);
    this.#session.publish(next);
    return true;
  }

  #message(message: InMessage): void {
    const topic = parseTopic(message.topic);
    if (topic?.kind === 'cmd') this.#desk.message(message);
    else if (topic?.kind === 'status') this.#heardStatus(Buffer.from(message.payload).toString());
    else if (topic?.kind === 'ack' && topic.consumer !== null) {
      this.#acks.message(topic.consumer, message.payload);
    }
  }

  /** Our own name in somebody else's words: not every broker says that it let another in. */
  #heardStatus(payload: string): void {
    if (this.#said.includes(payload)) return;
    const since = /"sinceMs":(\d+)/.exec(payload)?.[1];
    if (since === undefined || Number(since) <= this.#startedMs) return;
    this.#session.yieldTo("another box speaks on this table's topics: two carry the same name");
  }

  #status(status: 'online' | 'offline', reason: StatusMessage['reason']): OutMessage {
    const { table, scheduler, journal, mqtt, version } = this.#parts;
    const { seq, hash } = journal.head();
    const payload = statusPayload({
      status,
      reason,
      boot: this.#state?.house.boot ?? 0,
      version,
      sinceMs: scheduler.wallMs(),
      wallTrusted: scheduler.wallTrusted(),
      mqtt,
      seq,
      hash,
      ...(this.#shown === null ? {} : { fault: this.#shown.fault }),
    });
    this.#parts.inspect?.('status', payload);
    this.#said.push(payload);
    if (this.#said.length > SAID_MAX) this.#said.shift();
    return { topic: topicOf(table, 'status'), payload, qos: 1, retain: true };
  }

  #fault(kind: PublisherFault, text: string): void {
    this.#faults[kind] = (this.#faults[kind] ?? 0) + 1;
    this.#parts.report(kind, text);
  }
}

type PublishedKind = Exclude<TopicKind, 'ack' | 'cmd'>;
