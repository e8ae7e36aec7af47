import { canonicalJson } from './canonical.js';
import { jsonLine } from './export.js';
import { JournalFault } from './fault.js';
import type { JournalReader, Pruning, StoredDocument } from './reader.js';
import { marksOf, type StoredMark } from './rebuilt.js';
import type { SavedState, SignedCheckpoint } from './store.js';
import { walkRows } from './walk.js';
import { isMap } from './fields.js';

export const WHOLE_FORMAT = 'cutcard-whole-1';

/** The first line: how far the rows go, so that lines cut short are noticed. */
export interface WholeHead {
  readonly format: typeof WHOLE_FORMAT;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Hash of the last row, hex. */
  readonly hash: string;
}

export interface NamedKey {
  readonly name: string;
  /** 32 bytes, base64. */
  readonly publicKey: string;
}

/** A line beside the rows; each is a map with one key. */
export type ProofLine =
  | { readonly whole: WholeHead }
  | { readonly rebuilt: StoredMark }
  | { readonly pruned: Pruning }
  | { readonly key: NamedKey }
  | { readonly document: StoredDocument }
  | { readonly state: SavedState }
  | { readonly checkpoint: SignedCheckpoint };

export const proofLine = (line: ProofLine): string => canonicalJson(line);

const has = (value: unknown, texts: readonly string[], numbers: readonly string[]): boolean =>
  isMap(value) &&
  texts.every((field) => typeof value[field] === 'string') &&
  numbers.every((field) => Number.isSafeInteger(value[field]));
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

const SHAPES = {
  whole: (value: unknown): value is WholeHead =>
    has(value, ['hash'], ['fromSeq', 'toSeq']) && isMap(value) && value['format'] === WHOLE_FORMAT,
  rebuilt: (value: unknown): value is StoredMark =>
    has(value, ['body'], []) &&
    isMap(value) &&
    [value['key'], value['signature']].every(isTextOrNull),
  pruned: (value: unknown): value is Pruning => has(value, ['prev', 'consumer'], ['seq', 'wallMs']),
  key: (value: unknown): value is NamedKey => has(value, ['name', 'publicKey'], []),
  document: (value: unknown): value is StoredDocument => has(value, ['hash', 'kind', 'text'], []),
  state: (value: unknown): value is SavedState => has(value, ['hash', 'state', 'digest'], ['seq']),
  checkpoint: (value: unknown): value is SignedCheckpoint =>
    has(value, ['body', 'signature'], ['seq']),
};

/** A line of a kind beside the rows; null where it is none, `'bad'` where its shape is wrong. */
export const readProofLine = (value: unknown): ProofLine | 'bad' | null => {
  if (!isMap(value)) return null;
  const [name, ...others] = Object.keys(value);
  if (name === undefined || others.length > 0 || !Object.hasOwn(SHAPES, name)) return null;
  const { whole, rebuilt, pruned, key, document, state, checkpoint } = value;
  if (SHAPES.whole(whole)) return { whole };
  if (SHAPES.rebuilt(rebuilt)) return { rebuilt };
  if (SHAPES.pruned(pruned)) return { pruned };
  if (SHAPES.key(key)) return { key };
  if (SHAPES.document(document)) return { document };
  if (SHAPES.state(state)) return { state };
  return SHAPES.checkpoint(checkpoint) ? { checkpoint } : 'bad';
};

const CHECKPOINTS_AT_A_TIME = 1000;

/** Checkpoints one after the other, so that those between two rows need no memory. */
function* checkpointsFrom(reader: JournalReader, fromSeq: number): Generator<SignedCheckpoint> {
  let from = fromSeq;
  for (;;) {
    const some = reader.checkpoints(from, CHECKPOINTS_AT_A_TIME);
    yield* some;
    const last = some.at(-1);
    if (last === undefined || some.length < CHECKPOINTS_AT_A_TIME) return;
    from = last.seq + 1;
  }
}

/**
 * All of a journal as lines: heading, marks, prunings, keys, documents, then the rows, each signed
 * checkpoint behind its row. Rows written meanwhile are not taken along.
 * @throws JournalFault
 */
export function* wholeLines(reader: JournalReader): Generator<string> {
  const [fromSeq, toSeq] = [reader.firstSeq(), reader.lastSeq()];
  const hash = reader.hashAt(toSeq) ?? '';
  yield proofLine({ whole: { format: WHOLE_FORMAT, fromSeq, toSeq, hash } });
  for (const rebuilt of marksOf(reader)) yield proofLine({ rebuilt });
  for (const pruned of reader.prunings()) yield proofLine({ pruned });
  for (const [name, publicKey] of reader.keys()) yield proofLine({ key: { name, publicKey } });
  for (const document of reader.documents()) yield proofLine({ document });
  // Without its first rows a journal begins from a saved state; else the rows give it.
  if (fromSeq > 1) {
    for (const state of reader.savedStates()) {
      if (state.seq >= fromSeq && state.seq <= toSeq) yield proofLine({ state });
    }
  }
  const signed = checkpointsFrom(reader, fromSeq);
  let next = signed.next();
  let reached = fromSeq - 1;
  for (const row of walkRows(reader, fromSeq, toSeq)) {
    if (row.seq !== reached + 1) break;
    yield jsonLine(row);
    reached = row.seq;
    while (next.done !== true && next.value.seq <= row.seq) {
      yield proofLine({ checkpoint: next.value });
      next = signed.next();
    }
  }
  if (reached === toSeq) return;
  const what = `journal ${reader.path}: row ${reached + 1} is missing, or was let go meanwhile`;
  throw new JournalFault('corrupt', what);
}
