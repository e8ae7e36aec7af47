import type { Step } from './decision.js';
import type { Directive } from './directive.js';
import type { Happening, Observation } from './observation.js';
import type { TableState } from './state.js';

/** Stops what was scheduled; harmless when it already ran. */
export type Cancel = () => void;

/**
 * Time as every part of the box sees it. The real one follows CLOCK_MONOTONIC, the simulated one
 * is moved by whoever owns it; nothing in the product reads another clock.
 */
export interface Scheduler {
  /** Monotonic, ns. */
  nowNs(): number;
  /** Wall time, ms since the epoch: for people and video only. */
  wallMs(): number;
  wallTrusted(): boolean;
  /** Runs `task` once at `dueNs` or as soon after it as can be. */
  at(dueNs: number, task: () => void): Cancel;
}

/** One durable row as it is stored, published and exported. */
export interface JournalRow {
  readonly seq: number;
  /** SHA-256 of the row before, hex; 64 zeros before the first. */
  readonly prev: string;
  /** SHA-256 over `prev` and the canonical body (docs/JOURNAL.md), hex. */
  readonly hash: string;
  /** Canonical JSON of the step: what was hashed, byte for byte. */
  readonly body: string;
}

export type TableStep = Step<Observation>;

/** What the loop needs of a journal. Implementations: storage (SQLite), test fakes (memory). */
export interface Journal {
  /** Last durable row's place; seq 0 and 64 zeros in an empty journal. */
  head(): { readonly seq: number; readonly hash: string };
  /** Resolves when all steps are durable, in order. Rejects with a fault; then nothing more may
   *  be appended until the journal was opened again. */
  append(steps: readonly TableStep[]): Promise<void>;
  /** Rows with `seq > afterSeq`, oldest first, at most `limit`. */
  read(afterSeq: number, limit: number): Promise<readonly JournalRow[]>;
  /** Highest row a consumer of the outbox was acknowledged; 0 at first. */
  cursor(consumer: string): number;
  /** Moves a consumer's cursor; may be lazily durable (it may repeat, never skip). */
  moveCursor(consumer: string, seq: number): void;
  /** Newest saved state and the row it belongs to; null when none was saved or none is sound. */
  snapshot(): Promise<Snapshot | null>;
  /** Saves the state after row `seq` so that a start need not fold the whole journal. Lazy. */
  saveSnapshot(snapshot: Snapshot): void;
  /** Keeps a document (procedure pack, table configuration) under its SHA-256, once. */
  putDocument(kind: DocumentKind, hash: string, text: string): Promise<void>;
  document(hash: string): Promise<string | null>;
  close(): Promise<void>;
}

export type DocumentKind = 'procedure' | 'table';

export interface Snapshot {
  readonly seq: number;
  /** Hash of row `seq`: a snapshot of another history is not taken. */
  readonly hash: string;
  readonly state: TableState;
}

/** Hardware, or its simulated twin: tells what happened and does what it is told. */
export interface Bridge {
  /** `atNs`: when it happened on the scheduler's clock (kernel time), not when Node woke. */
  start(tell: (happening: Happening, atNs: number) => void): Promise<void>;
  perform(directive: Directive): void;
  stop(): Promise<void>;
}
