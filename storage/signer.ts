import type { JournalRow, TableStep } from '../controller/core/ports.js';
import { type DeviceKey, readCheckpoint } from './checkpoint.js';
import type { SignedCheckpoint } from './store.js';

/** Between two checkpoints at most so many rows, or so much watched time with rows in it. */
export const CHECKPOINT_ROWS = 1000;
export const CHECKPOINT_NS = 300e9;

/** Under which rules the rows are made, as the last start said. */
interface Start {
  readonly boot: number;
  readonly procedure: string | null;
  readonly table: string | null;
}

/** Whether the shoe came to its end in this step: a good place to swear. */
export const endsShoe = ({ decisions }: TableStep): boolean =>
  decisions.some(
    (decision) =>
      decision.do === 'noted' &&
      decision.part === 'shoe' &&
      'isLoaded' in decision.set &&
      !decision.set.isLoaded,
  );

/** Decides after which rows a checkpoint is due, and signs it. Idle tables need none. */
export class CheckpointSigner {
  readonly #key: DeviceKey;
  readonly #rows: number;
  readonly #ns: number;
  #start: Start | null = null;
  #lastSeq = 0;
  #lastNs = 0;

  constructor(
    key: DeviceKey,
    limits: { readonly checkpointRows?: number; readonly checkpointNs?: number } = {},
  ) {
    this.#key = key;
    this.#rows = limits.checkpointRows ?? CHECKPOINT_ROWS;
    this.#ns = limits.checkpointNs ?? CHECKPOINT_NS;
  }

  /** Goes on behind the newest checkpoint of the file, which ends at `atNs`. */
  startAfter(newest: SignedCheckpoint | null, atNs: number): void {
    this.#lastSeq = newest?.seq ?? 0;
    this.#lastNs = atNs;
    const said = newest === null ? null : readCheckpoint(newest.body);
    if (said !== null) {
      this.#start = { boot: said.boot, procedure: said.procedure, table: said.table };
    }
  }

  /** Checkpoints due behind some of these rows. */
  after(steps: readonly TableStep[], rows: readonly JournalRow[]): readonly SignedCheckpoint[] {
    const signed: SignedCheckpoint[] = [];
    for (const [i, step] of steps.entries()) {
      const { observation } = step;
      const row = rows[i];
      if (observation.kind === 'power.boot') {
        const { boot, procedure, table } = observation;
        this.#start = { boot, procedure: procedure ?? null, table: table ?? null };
      }
      if (this.#start === null || row === undefined) continue;
      const isDue =
        observation.seq - this.#lastSeq >= this.#rows ||
        observation.atNs - this.#lastNs >= this.#ns ||
        observation.kind === 'power.boot' ||
        observation.kind === 'power.off' ||
        endsShoe(step);
      if (!isDue) continue;
      const { seq, atNs, wallMs, wallTrusted } = observation;
      signed.push(
        this.#key.checkpoint({ ...this.#start, seq, hash: row.hash, wallMs, wallTrusted }),
      );
      this.#lastSeq = seq;
      this.#lastNs = atNs;
    }
    return signed;
  }
}
