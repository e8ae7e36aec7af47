import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { BrokerAddress } from '../mqtt/mqtt-transport.js';
import { Acks } from './acks.js';
import { Ages } from './ages.js';
import type { FloorHealth, RowRange, ServiceState, TableId } from './api.js';
import { Asker, type CommandKey } from './asker.js';
import { Complaints } from './complaints.js';
import { Marks } from './marks.js';
import { Papers } from './papers.js';
import { Historian, subscriptionsOf } from './historian.js';
import { Ingest } from './ingest.js';
import { Line } from './line.js';
import type { FloorLog } from './log.js';
import { FloorFigures } from './metrics.js';
import { Projector } from './projector.js';
import { mayBeBoot } from './store/boots.js';
import { StoreHealth } from './store-health.js';
import { FloorStore } from './store/floor-store.js';
import type { Appended, HeardRow } from './store/row-store.js';
import type { Escalation, TableRecord } from './tile.js';
import { WallBook } from './wall-book.js';
import { WallFeed } from './wall-feed.js';
import { whyOf } from './why.js';

const TICK_MS = 100;
/** Findings' lives, shoes and reports are this far behind the wall at least, ms. */
const FOLLOW_MS = 500;
const SECOND_MS = 1000;
/** Where several instances share a store, the others' marks are looked up so often, ms. */
const MARKS_MS = 2000;
const RETAIN_MS = 3_600_000;
const YEAR_MS = 365.25 * 86_400_000;
/** A broker that stays away is said again after so long, ms. */
const AWAY_AGAIN_MS = 60_000;
/** What the store takes or refuses: the tables' rows. */
const ROWS = 'rows';
/** Acknowledgements taken back into memory at the start: open findings are seldom older, ms. */
const ACKNOWLEDGED_MS = 30 * 86_400_000;

export interface ServiceParts {
  /** A file for SQLite, or `postgres://…`. */
  readonly store: string;
  readonly broker: () => BrokerAddress;
  /** Name of this consumer in `ack/{consumer}` and on the tables' lists. */
  readonly consumer: string;
  /** One site only; null: all that the broker lets us hear. */
  readonly site: string | null;
  /** Several instances share the rows out among them; MQTT 5 and PostgreSQL. */
  readonly isShared: boolean;
  readonly commandKey: CommandKey | null;
  /** Tables that are shown though they were never heard. */
  readonly expected: readonly TableId[];
  readonly escalation?: Escalation;
  readonly retentionYears: number;
  readonly version: string;
  readonly log: FloorLog;
  /** Name of this instance; a made one where several may run on one machine. */
  readonly instance?: string;
}

/** The floor service without its web side: rows in, wall and acks out. */
export class FloorService {
  readonly store: FloorStore;
  readonly book: WallBook;
  readonly feed: WallFeed;
  readonly figures = new FloorFigures();
  readonly projector: Projector;
  readonly papers: Papers;
  readonly instance: string;
  readonly #parts: ServiceParts;
  readonly #ingest: Ingest;
  readonly #acks: Acks;
  readonly #line: Line;
  readonly #asker: Asker;
  readonly #storeHealth: StoreHealth;
  readonly #marks: Marks;
  readonly #complaints: Complaints;
  readonly #timers: NodeJS.Timeout[] = [];
  #lineSinceMs: number | null = null;
  #wasUp: boolean | null = null;
  #lineWhy = '';
  #lineSaidMs = 0;
  readonly #ages: Ages;
  #isStopped = false;

  private constructor(parts: ServiceParts, store: FloorStore) {
    this.#parts = parts;
    this.store = store;
    this.instance = parts.instance ?? `${hostname()}-${randomBytes(4).toString('hex')}`;
    const { consumer, log } = parts;
    this.#storeHealth = new StoreHealth({ log, nowMs: Date.now });
    this.book = new WallBook({
      nowMs: Date.now,
      changed: (key) => this.feed.changed(key),
      ...(parts.escalation === undefined ? {} : { escalation: parts.escalation }),
    });
    this.feed = new WallFeed({
      tile: (key) => this.book.tile(key),
      tiles: () => this.book.tiles(),
      service: () => this.state(),
      nowMs: Date.now,
      run: randomBytes(6).toString('hex'),
    });
    this.papers = new Papers({
      store,
      book: this.book,
      nowMs: Date.now,
      failed: (what, why) => this.#storeFailed(what, why),
      drained: () => this.#line.drained(),
    });
    this.#acks = new Acks({
      consumer,
      publish: (topic, payload) => this.#line.publish(topic, payload, true),
      nowMs: Date.now,
    });
    const { book, papers } = this;
    const note = (what: string, about: string) => this.note(what, about);
    this.#complaints = new Complaints({ log, note, nowMs: () => performance.now() });
    this.#marks = new Marks({ store, book, papers, acks: this.#acks, log, note });
    this.#ingest = new Ingest({
      append: (rows) => store.rows.append(rows),
      stored: (rows, appended, tookMs) => this.#stored(rows, appended, tookMs),
      failed: (why) => this.#storeFailed(ROWS, why),
      took: () => this.#storeHealth.took(ROWS),
      setAside: (row, why) => this.#setAside(row, why),
      drained: () => this.#line.drained(),
    });
    const historian = new Historian({
      consumer,
      book: this.book,
      ingest: this.#ingest,
      acks: this.#acks,
      figures: this.figures,
      complaints: this.#complaints,
      nowMs: Date.now,
      checkpoint: (record, message) => void this.papers.checkpoint(record, message),
      documents: (record, message) => void this.papers.documents(record, message),
    });
    this.#line = new Line({
      address: parts.broker,
      clientId: `cutcard-floor:${consumer}:${this.instance}`,
      subscriptions: () => subscriptionsOf(consumer, parts.site, parts.isShared),
      message: (message) => historian.message(message),
      hasRoom: () => this.#ingest.hasRoom && papers.hasRoom,
      changed: (isUp, why) => this.#lineChanged(isUp, why),
      random: Math.random,
    });
    this.#asker = this.#newAsker();
    this.#ages = this.#newAges();
    this.projector = this.#newProjector();
  }

  /** Opens the store and begins. @throws StoreError in plain words. */
  static async start(parts: ServiceParts): Promise<FloorService> {
    const store = await FloorStore.open(parts.store);
    const service = new FloorService(parts, store);
    try {
      await service.#recall();
    } catch (cause) {
      await store.close();
      throw cause;
    }
    service.#begin();
    return service;
  }

  state(): ServiceState {
    return {
      broker: { up: this.#line.isUp, sinceMs: this.#lineSinceMs },
      store: this.store.db.kind,
      storeFault: this.#storeHealth.trouble(ROWS),
      queued: this.#ingest.queued,
      version: this.#parts.version,
      instance: this.instance,
    };
  }

  /** Whether the service does its work; `false` wants somebody to look. */
  health(): FloorHealth {
    const { broker, store, queued } = this.state();
    const takesRows = !this.#ingest.isRefused;
    return {
      ok: broker.up && takesRows,
      broker: broker.up,
      store,
      takesRows,
      queued,
      tables: this.book.size,
      historyStopped: this.projector.stopped,
    };
  }

  /** Stops taking in, commits what waits, closes. Safe twice. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.feed.stop();
    await this.#ingest.stop();
    this.#complaints.stop();
    this.#acks.tick();
    await this.#line.stop();
    await this.projector.stop();
    await this.store.close();
  }

  /** What the store knows of the tables from before. */
  async #recall(): Promise<void> {
    for (const id of this.#parts.expected) this.book.meet(id);
    for (const mark of await this.store.rows.marks()) this.#marks.take(mark);
    this.book.doubt(await this.store.rows.doubts());
    await this.papers.recall();
    const since = Date.now() - ACKNOWLEDGED_MS;
    for (const { table, id, by } of await this.store.desk.acknowledgements(since)) {
      const record = this.book.record(table);
      if (record !== null) this.book.acknowledged(record, id, by);
    }
  }

  #begin(): void {
    const guard = (what: string, work: () => Promise<unknown>) => () => {
      work().then(
        () => this.#storeHealth.took(what),
        (cause: unknown) => this.#storeFailed(what, whyOf(cause)),
      );
    };
    const every = (ms: number, run: () => void): void => {
      this.#timers.push(setInterval(run, ms));
    };
    every(TICK_MS, () => this.#acks.tick());
    const follow = guard('the history of the rows', () => this.projector.tick());
    const ask = guard('a look for missing rows', () => this.#asker.tick());
    const prove = guard('documents', () => this.papers.tick());
    every(FOLLOW_MS, follow);
    every(SECOND_MS, ask);
    every(SECOND_MS, prove);
    every(SECOND_MS, () => this.#ages.tick());
    every(SECOND_MS, () => this.#complaints.tick());
    every(
      MARKS_MS,
      guard('a look at the marks', () => this.#marks.lookUp()),
    );
    every(
      RETAIN_MS,
      guard('the end of old rows', () => this.#retire()),
    );
    this.feed.start();
    this.#line.start();
  }

  #newAges(): Ages {
    const { book, feed, figures } = this;
    const queued = () => this.#ingest.queued;
    return new Ages({ book, feed, figures, queued, isUp: () => this.#line.isUp });
  }

  #newProjector(): Projector {
    return new Projector({
      store: this.store,
      instance: this.instance,
      log: this.#parts.log,
      nowMs: Date.now,
      game: (table) => this.book.record(table)?.game?.id ?? null,
      configuration: (table) => this.papers.configurationOf(table),
      firstSeq: (table) => this.book.record(table)?.firstSeq ?? 1,
      stopped: (table, seq, text) => {
        const record = this.book.record(table);
        if (record !== null) this.book.historyFault(record, seq, text);
      },
    });
  }

  #newAsker(): Asker {
    const { log, commandKey } = this.#parts;
    return new Asker({
      records: () => this.#records(),
      gaps: (table, limit) => this.store.rows.gaps(table, limit),
      told: (record, gaps, more) => this.book.gaps(record, gaps, more),
      missing: (record, sinceMs) => this.book.missing(record, sinceMs),
      adopt: (record) => this.#marks.adopt(record),
      publish: (topic, payload) => this.#line.publish(topic, payload, false),
      key: commandKey,
      nowMs: Date.now,
      asked: (record, ranges: readonly RowRange[]) => {
        this.figures.asked.inc(ranges.length);
        log.info({ table: record.key, ranges }, 'rows are missing: asked the table for them');
      },
    });
  }

  *#records(): Generator<TableRecord> {
    for (const key of this.book.keys()) {
      const record = this.book.record(key);
      if (record !== null) yield record;
    }
  }

  #stored(rows: readonly HeardRow[], appended: Appended, tookMs: number): void {
    const { figures } = this;
    const nowMs = Date.now();
    figures.commit.observe(tookMs / 1000);
    for (const { heardMs } of rows) figures.delay.observe((nowMs - heardMs) / 1000);
    figures.rows.inc({ what: 'stored' }, appended.stored);
    figures.rows.inc({ what: 'repeated' }, appended.repeats);
    for (const mark of appended.marks) this.#marks.take(mark);
    for (const { table, seq } of rows.filter(mayBeBoot)) {
      this.papers.prove(table, seq).catch((cause: unknown) => {
        this.#storeFailed('documents', whyOf(cause));
      });
    }
    for (const { table, seq, hashes } of appended.forks) {
      figures.rows.inc({ what: 'forked' });
      this.#chainFault(table, seq, `row ${seq} came with two hashes: ${hashes.join(', ')}`);
    }
    for (const { table, seq } of appended.breaks) {
      figures.rows.inc({ what: 'broken' });
      this.#chainFault(table, seq, `row ${seq} does not follow from row ${seq - 1}`);
    }
  }

  #storeFailed(what: string, why: string): void {
    if (this.#isStopped) return;
    this.figures.storeFaults.inc();
    this.#storeHealth.failed(what, why);
  }

  /** The table will be asked for it again; meanwhile everybody can see which row it is. */
  #setAside({ table, seq }: HeardRow, why: string): void {
    const text = `row ${seq} cannot be stored: ${why}`;
    this.figures.refused.inc({ why: 'store' });
    const fields = { seq };
    this.#complaints.say({ table, what: 'store', level: 'error', text, fields });
    const record = this.book.record(table);
    if (record !== null) this.book.schemaFault(record, text.slice(0, 300));
  }

  #chainFault(table: string, seq: number, text: string): void {
    const record = this.book.record(table);
    if (record === null || record.chain?.seq === seq) return;
    this.book.chainFault(record, seq, text);
    const about = { table, what: 'chain', level: 'error', text } as const;
    this.#complaints.say({ ...about, fields: { seq }, isAudited: true });
  }

  /** Findings grow louder after so long here; for whoever shows them. */
  get escalation(): { readonly escalation?: Escalation } {
    const { escalation } = this.#parts;
    return escalation === undefined ? {} : { escalation };
  }

  /** Something broke that nobody outside is told about. */
  fault(what: string, cause: unknown): void {
    const why = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    this.#parts.log.error({ why }, `${what} failed`);
  }

  /** A line of the audit by the service itself. */
  async note(what: string, about: string): Promise<void> {
    await this.store.desk
      .audit({ atMs: Date.now(), who: 'system', what, about: about.slice(0, 500) })
      .catch(() => undefined);
  }

  async #retire(): Promise<void> {
    const before = Date.now() - this.#parts.retentionYears * YEAR_MS;
    for (const what of await this.store.rows.retire(before)) await this.note('retire', what);
  }

  #lineChanged(isUp: boolean, why: string): void {
    const { log } = this.#parts;
    const nowMs = Date.now();
    if (isUp) this.#acks.up();
    else this.#acks.down();
    this.figures.up.set(isUp ? 1 : 0);
    // Each attempt that fails is told here: the link is away since the first, not since the last.
    if (isUp !== this.#wasUp) this.#lineSinceMs = nowMs;
    const isAgain = isUp === this.#wasUp && why === this.#lineWhy;
    this.#wasUp = isUp;
    this.#lineWhy = why;
    if (isAgain && nowMs - this.#lineSaidMs < AWAY_AGAIN_MS) return;
    this.#lineSaidMs = nowMs;
    if (isUp) log.info({}, 'connected to the broker');
    else log.warn({ why }, 'no link to the broker');
  }
}
