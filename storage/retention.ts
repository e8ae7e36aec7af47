import type { JournalReader } from './reader.js';
import { judgeSaved } from './snapshot.js';

export interface Retirement {
  /** How much watched time stays on the device, ns. */
  readonly keepNs: number;
  /** Who must have proved to hold a row before it may go; none named: nothing goes. */
  readonly consumers: readonly string[];
  /** Wall time noted beside the record of the pruning, ms. */
  readonly wallMs: number;
}

/**
 * The signed checkpoint that may become the journal's new beginning: proved by the consumers, old
 * enough, and with a sound saved state at or behind it; null where there is none.
 */
export const retirableTo = (
  reader: JournalReader,
  headSeq: number,
  { upTo, beforeNs }: { readonly upTo: number; readonly beforeNs: number },
): number | null => {
  const saved = reader
    .savedStates()
    .filter((state) => judgeSaved(state, reader.hashAt(state.seq)).ok)
    .map(({ seq }) => seq);
  if (saved.length === 0) return null;
  // The oldest saved state too: a replay of the pruned journal begins there.
  const most = Math.min(upTo, headSeq, ...saved);
  const old = reader.lastSeqBefore(beforeNs);
  const [checkpoint] = reader.checkpointsBackFrom(Math.min(most, old), 1);
  if (checkpoint === undefined || checkpoint.seq <= reader.oldestSeq()) return null;
  return checkpoint.seq;
};
