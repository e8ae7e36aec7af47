import { redact, type Rules, step } from '../core/decide.js';
import type { Directive } from '../core/directive.js';
import type { Happening, Observation, Stamp } from '../core/observation.js';
import type { Cancel, Journal, Scheduler, TableStep } from '../core/ports.js';
import type { TableState } from '../core/state.js';
import { canonicalJson, hashText } from '../../storage/canonical.js';
import { type Arrived, Inbox } from './inbox.js';
import type { Log } from './log-port.js';
import { Outputs } from './outputs.js';
import { type RestoredTable, restoreTable } from './restore.js';
import { Timers } from './timers.js';

/** Steps in one group commit. */
const BATCH_MAX = 256;
/** Rows between two saved states: a start folds at most this many. */
const SNAPSHOT_ROWS = 2000;
/** Past 104 days of watched time a double no longer holds every single ns. */
const TIMER_SLACK_NS = 1000;

/** The rules, as functions: the real ones, or a test's own. */
export interface Core {
  readonly step: typeof step;
  readonly redact: typeof redact;
}

export interface LoopParts {
  readonly rules: Rules;
  readonly journal: Journal;
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** Carries out one directive; called only when its row is durable (gate locked may be first). */
  readonly perform: (directive: Directive) => void;
  /** Program version written into `power.boot`. */
  readonly version?: string;
  /** Keeps what is known of a broken invariant before the process ends. */
  readonly crashed?: (record: CrashRecord) => void;
  readonly core?: Core;
}

export interface CrashRecord {
  readonly reason: string;
  readonly stack: string;
  /** What could not be decided: its kind only, never a rank. */
  readonly kind: string;
  readonly seq: number;
}

/** `run`: taking happenings · `fault`: the journal cannot be written · `off`. */
export type LoopMode = 'off' | 'run' | 'fault' | 'crashed';
export type StepListener = (step: TableStep, state: TableState) => void;

interface Draft {
  readonly step: TableStep;
  readonly state: TableState;
  readonly settle: Arrived['settle'];
}

/**
 * The single writer of one table: takes happenings in, decides, makes the row durable, adopts the
 * state, then acts. Nothing else writes the journal or changes the state.
 */
export class TableLoop {
  readonly #parts: LoopParts;
  readonly #core: Core;
  readonly #inbox = new Inbox();
  readonly #timers: Timers;
  readonly #outputs: Outputs;
  readonly #listeners = new Set<StepListener>();
  readonly #faultListeners = new Set<(reason: string) => void>();
  #waiting: { resolve: () => void; reject: (cause: Error) => void }[] = [];
  #mode: LoopMode = 'off';
  #state: TableState | null = null;
  #restored: RestoredTable | null = null;
  /** Journal axis minus scheduler clock: watched time goes on where the last run ended. */
  #offsetNs = 0;
  #busy = false;
  #isClosing = false;
  #fault: string | null = null;
  #lost = 0;
  #snapshotSeq = 0;
  #crash: Error | null = null;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#core = parts.core ?? { step, redact };
    this.#timers = new Timers(parts.scheduler, (timer) => {
      this.tell({ kind: 'timer', timer });
    });
    this.#outputs = new Outputs({
      locks: parts.rules.table.enforcement === 'lock',
      perform: parts.perform,
      failed: (output, reason) => {
        parts.log.error({ output, reason }, 'an output did not obey');
        this.tell({ kind: 'link.down', device: output, reason });
      },
    });
  }

  /** Restores the table from the journal, once. Who publishes starts between this and `start`. */
  async restore(): Promise<TableState> {
    if (this.#restored === null) {
      this.#restored = await restoreTable(this.#parts.journal, this.#parts.rules.table);
      this.#state = this.#restored.state;
      this.#snapshotSeq = this.#state.seq - this.#restored.folded;
    }
    return this.state();
  }

  /**
   * Restores the table, keeps its documents and writes `power.boot` as the run's first row.
   * Resolves when that row is durable and its directives were performed.
   * @throws when the journal cannot be read or the first row cannot be written.
   */
  async start(): Promise<void> {
    if (this.#mode !== 'off') return;
    const { scheduler, version, log } = this.#parts;
    const state = await this.restore();
    const documents = await this.#keepDocuments();
    this.#offsetNs = state.atNs - scheduler.nowNs();
    this.#outputs.lockFirst();
    for (const [timer, dueNs] of Object.entries(state.timers)) this.#arm(timer, dueNs);
    this.#mode = 'run';
    const boot = state.house.boot + 1;
    const unclean = this.#restored?.clean === false;
    log.info({ seq: state.seq, folded: this.#restored?.folded, boot, unclean }, 'table restored');
    const about = version === undefined ? documents : { version, ...documents };
    this.tell({ kind: 'power.boot', unclean, boot, ...about });
    await this.settled();
    if (this.#fault !== null) throw new Error(this.#fault);
    this.#outputs.assert(this.state().outputs);
  }

  /**
   * Takes in what happened. `atNs`: when, on the scheduler's clock; now if left out.
   * @returns false when it was not taken (not started, journal fault, inbox full): then the gate
   * is locked and the loss is counted and shown.
   */
  tell(happening: Happening, atNs: number = this.#parts.scheduler.nowNs()): boolean {
    return this.#take(happening, atNs);
  }

  /**
   * Tells what happened now and waits for it. Resolves with its row once that is durable and
   * performed; with null where it became none (not running, journal fault, inbox full).
   */
  ask(happening: Happening): Promise<TableStep | null> {
    return new Promise((resolve) => {
      if (!this.#take(happening, this.#parts.scheduler.nowNs(), resolve)) resolve(null);
    });
  }

  #take(happening: Happening, atNs: number, settle?: Arrived['settle']): boolean {
    if (this.#mode !== 'run' || this.#isClosing) {
      if (this.#mode === 'fault') this.#lost += 1;
      return false;
    }
    const taken = this.#inbox.put(happening, atNs, settle);
    if (!taken) this.#outputs.lockFirst();
    if (!this.#busy) {
      this.#busy = true;
      queueMicrotask(() => void this.#work());
    }
    return taken;
  }

  /** The durable state. @throws before `start`. */
  state(): TableState {
    if (this.#state === null) throw new Error('the table was not started');
    return this.#state;
  }

  get mode(): LoopMode {
    return this.#mode;
  }

  /** Why nothing is written any more; null while all is well. */
  fault(): string | null {
    return this.#fault;
  }

  /** Happenings that could not be taken since the fault. */
  get lost(): number {
    return this.#lost;
  }

  get queued(): number {
    return this.#inbox.size;
  }

  /** True when nothing waits: everything told is durable and performed. */
  get idle(): boolean {
    return !this.#busy;
  }

  /** Tells every lasting output again what it should show. */
  reassert(): void {
    if (this.#mode === 'run') this.#outputs.assert(this.state().outputs);
    else this.#outputs.showFault();
  }

  /** Journal axis of a scheduler time, ns. */
  watchedNs(schedulerNs: number = this.#parts.scheduler.nowNs()): number {
    return schedulerNs + this.#offsetNs;
  }

  /**
   * Resolves when everything told so far and everything it led to is durable and performed, or
   * when a journal fault ended the writing. @throws what broke, when an invariant did.
   */
  settled(): Promise<void> {
    if (this.#crash !== null) return Promise.reject(this.#crash);
    if (!this.#busy) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Called after each durable and performed step, with the state after it. */
  onStep(listener: StepListener): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onFault(listener: (reason: string) => void): Cancel {
    this.#faultListeners.add(listener);
    return () => this.#faultListeners.delete(listener);
  }

  /** Stops on purpose: last row `power.off`, state saved. The journal stays open. */
  async stop(): Promise<void> {
    if (this.#mode === 'run') {
      this.tell({ kind: 'power.off' });
      // Nothing may follow that row: what comes now was not seen by a table that is off.
      this.#isClosing = true;
      await this.settled();
      this.#saveSnapshot();
    }
    this.abandon();
  }

  /** Ends as a power cut would: no row, no directive, nothing told is taken any more. */
  abandon(): void {
    if (this.#mode !== 'crashed') this.#mode = 'off';
    this.#timers.clear();
    this.#inbox.clear();
  }

  async #work(): Promise<void> {
    try {
      while (this.#mode === 'run' && this.#inbox.size > 0) {
        const { drafts, crash } = this.#draft();
        if (drafts.length > 0) await this.#commit(drafts);
        if (crash !== null) this.#breakDown(crash.error, crash.kind);
      }
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      if (this.#crash === null) this.#breakDown(error, 'step');
    }
    this.#busy = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { resolve, reject } of waiting) {
      if (this.#crash === null) resolve();
      else reject(this.#crash);
    }
  }

  /** Decides on what waits, on a working state that nobody sees yet. */
  #draft(): { drafts: readonly Draft[]; crash: { error: Error; kind: string } | null } {
    const drafts: Draft[] = [];
    let working = this.state();
    while (drafts.length < BATCH_MAX) {
      const arrived = this.#inbox.take();
      if (arrived === null) break;
      if (this.#isStaleTimer(arrived, working)) continue;
      try {
        const draft = this.#decide(working, arrived);
        working = draft.state;
        drafts.push(draft);
      } catch (cause) {
        const error = cause instanceof Error ? cause : new Error(String(cause));
        arrived.settle?.(null);
        return { drafts, crash: { error, kind: arrived.happening.kind } };
      }
    }
    return { drafts, crash: null };
  }

  #decide(working: TableState, arrived: Arrived): Draft {
    const { rules } = this.#parts;
    const happening = this.#core.redact(working, arrived.happening, rules);
    const observation: Observation = { ...this.#stamp(working, arrived.atNs), ...happening };
    const { decisions, state } = this.#core.step(working, observation, rules);
    if (state.outputs.gateLocked) this.#outputs.lockFirst();
    return { step: { observation, decisions }, state, settle: arrived.settle };
  }

  #stamp(working: TableState, atNs: number): Stamp {
    const { scheduler } = this.#parts;
    const agoMs = Math.max(0, Math.floor((scheduler.nowNs() - atNs) / 1e6));
    return {
      seq: working.seq + 1,
      atNs: Math.max(working.atNs, Math.round(atNs + this.#offsetNs)),
      wallMs: scheduler.wallMs() - agoMs,
      wallTrusted: scheduler.wallTrusted(),
    };
  }

  /** A timer that fired while the row that cancels or moves it was being written. */
  #isStaleTimer({ happening, atNs }: Arrived, working: TableState): boolean {
    if (happening.kind !== 'timer') return false;
    const dueNs = working.timers[happening.timer];
    return dueNs === undefined || dueNs > this.watchedNs(atNs) + TIMER_SLACK_NS;
  }

  async #commit(drafts: readonly Draft[]): Promise<void> {
    try {
      await this.#parts.journal.append(drafts.map((draft) => draft.step));
    } catch (cause) {
      this.#fail(cause instanceof Error ? cause.message : String(cause));
      for (const { settle } of drafts) settle?.(null);
      return;
    }
    // An abandoned table (a simulated power cut) acts no more, though its row became durable.
    if (this.#mode !== 'run') {
      for (const { settle } of drafts) settle?.(null);
      return;
    }
    const endsLocked = drafts.at(-1)?.state.outputs.gateLocked ?? true;
    let shoeEnded = false;
    for (const draft of drafts) {
      shoeEnded ||= this.state().shoe.isLoaded && !draft.state.shoe.isLoaded;
      this.#state = draft.state;
      this.#act(draft, endsLocked);
      for (const listener of this.#listeners) listener(draft.step, draft.state);
      draft.settle?.(draft.step);
    }
    if (this.#inbox.size === 0) {
      // Undoes a lock that came first and was not confirmed by what was decided.
      this.#outputs.perform({ to: 'gate', locked: this.state().outputs.gateLocked }, endsLocked);
    }
    const rows = this.state().seq - this.#snapshotSeq;
    if (shoeEnded || rows >= SNAPSHOT_ROWS) this.#saveSnapshot();
  }

  /** `endsLocked`: the gate is locked when this batch is done, so it is not opened meanwhile. */
  #act({ step, state }: Draft, endsLocked: boolean): void {
    for (const decision of step.decisions) {
      if (decision.do === 'timer') this.#arm(decision.timer, decision.dueNs);
      if (decision.do === 'direct') this.#outputs.perform(decision.directive, endsLocked);
    }
    // A device that comes back knows nothing: it is told again what it should show.
    if (step.observation.kind === 'link.up') this.#outputs.assert(state.outputs);
  }

  #arm(timer: string, dueNs: number | null): void {
    this.#timers.set(timer, dueNs === null ? null : dueNs - this.#offsetNs);
  }

  #saveSnapshot(): void {
    const state = this.state();
    const { seq, hash } = this.#parts.journal.head();
    if (seq !== state.seq || seq === 0) return;
    this.#parts.journal.saveSnapshot({ seq, hash, state });
    this.#snapshotSeq = seq;
  }

  /** The journal does not take rows any more: no card, no round, and everybody can see why. */
  #fail(reason: string): void {
    this.#mode = 'fault';
    this.#fault = `the journal cannot be written: ${reason}`;
    this.#lost += this.#inbox.clear();
    this.#timers.clear();
    this.#outputs.showFault();
    this.#parts.log.fatal({ reason }, 'journal fault: gate locked, no new round');
    for (const listener of this.#faultListeners) listener(this.#fault);
  }

  #breakDown(error: Error, kind: string): void {
    const seq = this.#state?.seq ?? 0;
    this.#crash = error;
    this.#mode = 'crashed';
    this.#timers.clear();
    this.#outputs.lockFirst();
    this.#parts.log.fatal({ kind, seq, reason: error.message }, 'an invariant is broken');
    this.#parts.crashed?.({ reason: error.message, stack: error.stack ?? '', kind, seq });
  }

  async #keepDocuments(): Promise<{ procedure: string; table: string }> {
    const { journal, rules } = this.#parts;
    const [procedureText, tableText] = [canonicalJson(rules.procedure), canonicalJson(rules.table)];
    const [procedure, table] = [hashText(procedureText), hashText(tableText)];
    await journal.putDocument('procedure', procedure, procedureText);
    await journal.putDocument('table', table, tableText);
    return { procedure, table };
  }
}
