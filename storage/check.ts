import { isSigned, keyName, readCheckpoint, readPublicKey } from './checkpoint.js';
import type { Damage } from './diagnose.js';
import { type Absent, checkDocuments } from './documents.js';
import { JournalFault } from './fault.js';
import { JournalReader, type Pruning } from './reader.js';
import { checkMarks, markText, type Rebuilt } from './rebuilt.js';
import { checkSavedStates, compareSaved } from './saved-check.js';
import type { SignedCheckpoint } from './store.js';
import { type MissingCheckpoint, missingCheckpoint } from './uncovered.js';
import { type ChainVerdict, verifyChain, type VerifyOptions } from './verify.js';
import { readWhole } from './whole-file.js';

const CHECKPOINTS_AT_A_TIME = 1000;
const MAX_KEYS = 64;
const PRUNINGS_SHOWN = 5;

export interface CheckOptions extends VerifyOptions {
  /** File with the device's public key. Without it any key is taken that signs consistently. */
  readonly keyFile?: string;
  /** `seq:hash` of a row known from elsewhere. */
  readonly expect?: string;
}

export interface JournalVerdict extends ChainVerdict {
  readonly checkpoints: number;
  /** Names of the keys that signed them. */
  readonly keys: readonly string[];
  /** Last row a signature covers; 0 where none does. */
  readonly signedSeq: number;
  /** The first checkpoint that should be behind `signedSeq`; null without any checkpoint. */
  readonly missing: MissingCheckpoint | null;
  /** Where older rows were let go, oldest first; empty where the journal begins at row 1. */
  readonly prunings: readonly Pruning[];
  /** Where rows were put back from lines kept elsewhere; empty where that never was. */
  readonly rebuilt: readonly Rebuilt[];
  /** What was asked for and cannot be shown, though nothing is damaged: plain words. */
  readonly unproved: readonly string[];
}

/**
 * Chain, signed checkpoints and what is known from elsewhere, in constant memory.
 * @throws JournalFault when the file cannot be read, or an option is unusable
 */
export const checkJournal = async (
  path: string,
  options: CheckOptions = {},
): Promise<JournalVerdict> => {
  const key =
    options.keyFile === undefined
      ? null
      : readPublicKey(readKeyFile(options.keyFile), options.keyFile);
  const expected = options.expect === undefined ? null : expectedRow(options.expect);
  const chain = await verifyChain(path, options);
  const none = { ...chain, ...NOTHING };
  if (chain.damage !== null) return none;
  const reader = JournalReader.open(path);
  try {
    const signed = checkCheckpoints(reader, key);
    // A journal without a key never signs: that is said, and only a demanded key forbids it.
    const missing = signed.checkpoints === 0 ? null : missingCheckpoint(reader, signed.signedSeq);
    const prunings = reader.prunings();
    const marks = checkMarks(reader, key);
    const last = marks.rebuilt.at(-1);
    const cover = key === null ? COVERED : coverOf(chain, signed, missing, keyName(key), last);
    const papers = options.deep === true ? checkDocuments(reader, marks.rebuilt) : NO_PAPERS;
    const damage =
      signed.damage ??
      unsignedBeginning(reader, prunings.at(-1)) ??
      marks.damage ??
      cover.damage ??
      unexpected(reader, expected) ??
      checkSavedStates(reader, key) ??
      papers.damage ??
      (options.deep === true ? compareSaved(reader) : null);
    const unproved = damage === null ? [...cover.unproved, ...papers.absent.map(absentText)] : [];
    return { ...none, ...signed, missing, prunings, rebuilt: marks.rebuilt, unproved, damage };
  } finally {
    reader.close();
  }
};

/** Where rows were let go, the first that stays carries a signature that holds what was before. */
const unsignedBeginning = (reader: JournalReader, last: Pruning | undefined): Damage | null => {
  if (last === undefined || reader.checkpoints(last.seq, 1)[0]?.seq === last.seq) return null;
  const what =
    'the rows before it are said to have been let go, and no signed checkpoint stands at it: ' +
    'nothing shows that the chain went on from them';
  return { kind: 'checkpoint', seq: last.seq, what };
};

const NOTHING = {
  checkpoints: 0,
  keys: [],
  signedSeq: 0,
  missing: null,
  prunings: [],
  rebuilt: [],
  unproved: [],
};

interface Cover {
  readonly damage: Damage | null;
  readonly unproved: readonly string[];
}
const COVERED: Cover = { damage: null, unproved: [] };
const NO_PAPERS = { damage: null, absent: [] };

const absentText = ({ hash, seq }: Absent): string =>
  `the document ${hash} that the start at row ${seq} names was not among the lines the journal ` +
  'was rebuilt from: what was decided by it cannot be derived again';

/**
 * What a demanded key leaves open. In a journal that ends with the rows that were put back, a
 * checkpoint that was not among the lines is no damage, but nothing is proved by it either; behind
 * them the device signs its next start.
 */
const coverOf = (
  chain: ChainVerdict,
  signed: Signed,
  missing: MissingCheckpoint | null,
  name: string,
  last: Rebuilt | undefined,
): Cover => {
  const damage = unsigned(chain, signed, missing, name);
  if (damage === null || last === undefined || signed.signedSeq > last.seq) {
    return { damage, unproved: [] };
  }
  if (chain.head.seq > last.seq) {
    const what = 'no checkpoint signs the start behind the rows that were put back';
    return { damage: { kind: 'checkpoint', seq: last.seq + 1, what }, unproved: [] };
  }
  const from = Math.max(chain.firstSeq, signed.signedSeq + 1);
  const what =
    `nothing signed with the key ${name} stands behind rows ${from} to ${chain.head.seq}: the ` +
    'checkpoint due there was not among the lines the journal was rebuilt from';
  return { damage: null, unproved: [what] };
};

/** What the demanded key leaves open; rows behind the last checkpoint that none is due for may. */
const unsigned = (
  { firstSeq, head }: ChainVerdict,
  { checkpoints }: Signed,
  missing: MissingCheckpoint | null,
  name: string,
): Damage | null => {
  if (head.seq === 0) return null;
  if (checkpoints === 0) {
    const what = `no checkpoint is signed with the key ${name}: nothing shows whose rows these are`;
    return { kind: 'checkpoint', seq: firstSeq, what };
  }
  return missing === null
    ? null
    : { kind: 'checkpoint', seq: missing.seq, what: missingText(missing) };
};

const missingText = ({ seq, why }: MissingCheckpoint): string =>
  `no checkpoint signs row ${seq} or one behind it, and one was due there (${why})`;

const readKeyFile = (file: string): string => {
  try {
    return readWhole(file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new JournalFault('asked', `the key file ${file} cannot be read: ${why}`, cause);
  }
};

interface KnownRow {
  readonly seq: number;
  readonly hash: string;
}

const expectedRow = (text: string): KnownRow => {
  const match = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) {
    throw new JournalFault(
      'asked',
      `--expect \`${text}\` is not a row's number and hash, as \`4711:9f…\``,
    );
  }
  return { seq: Number(match[1]), hash: match[2] };
};

const unexpected = (reader: JournalReader, expected: KnownRow | null): Damage | null => {
  if (expected === null) return null;
  const hash = reader.hashAt(expected.seq);
  if (hash === expected.hash) return null;
  const what =
    hash === null
      ? `the journal has no row ${expected.seq}: rows were cut off, or it is not that table's`
      : `its hash is ${hash}: the rows up to it are not those that were published`;
  return { kind: 'other history', seq: expected.seq, what };
};

interface Signed {
  readonly checkpoints: number;
  readonly keys: readonly string[];
  readonly signedSeq: number;
  readonly damage: Damage | null;
}

const checkCheckpoints = (reader: JournalReader, key: string | null): Signed => {
  const keys = new Set<string>();
  let [checkpoints, signedSeq] = [0, 0];
  const publicKeys = reader.keys();
  for (;;) {
    const some = reader.checkpoints(signedSeq + 1, CHECKPOINTS_AT_A_TIME);
    for (const { seq, body, signature } of some) {
      const what = wrongCheckpoint(reader, publicKeys, { seq, body, signature }, key);
      if (what !== null) {
        const damage: Damage = { kind: 'checkpoint', seq, what };
        return { checkpoints, keys: [...keys], signedSeq, damage };
      }
      if (keys.size < MAX_KEYS) keys.add(readCheckpoint(body)?.key ?? '');
      checkpoints += 1;
      signedSeq = seq;
    }
    if (some.length < CHECKPOINTS_AT_A_TIME) break;
  }
  return { checkpoints, keys: [...keys], signedSeq, damage: null };
};

/** Why a checkpoint does not fit its row or its key; null when it does. */
export const wrongCheckpoint = (
  rows: Pick<JournalReader, 'hashAt'>,
  publicKeys: ReadonlyMap<string, string>,
  { seq, body, signature }: SignedCheckpoint,
  demanded: string | null,
): string | null => {
  const said = readCheckpoint(body);
  if (said === null) return 'the checkpoint is not one of this program';
  if (said.seq !== seq) return `the checkpoint speaks of row ${said.seq}`;
  if (demanded !== null && said.key !== keyName(demanded)) {
    return `it is signed with the key ${said.key}, not with the device's ${keyName(demanded)}`;
  }
  const publicKey = publicKeys.get(said.key);
  if (publicKey === undefined) return `its key ${said.key} is not there`;
  if (keyName(publicKey) !== said.key) return `the key ${said.key} was changed`;
  if (!isSigned(body, signature, publicKey)) return 'the signature is not that of its text';
  const hash = rows.hashAt(seq);
  if (hash === null) return 'the checkpoint signs a row that is not there: rows were cut off';
  return hash === said.hash ? null : `the checkpoint signs the hash ${said.hash}, not the row's`;
};

/** The verdict in plain words, a line each. */
export const verdictLines = (path: string, verdict: JournalVerdict): readonly string[] => {
  const { firstSeq, head, damage, checkpoints, keys, signedSeq, missing } = verdict;
  const { prunings, rebuilt, unproved } = verdict;
  if (damage !== null) {
    const { kind, seq, what } = damage;
    return [`${path}: damaged at row ${seq}: ${kind}: ${what}`, CURE];
  }
  if (head.seq === 0) return [`${path}: empty, nothing to check`];
  const rows = head.seq - firstSeq + 1;
  const signed =
    checkpoints === 0
      ? 'no signed checkpoint'
      : `${checkpoints} signed checkpoints up to row ${signedSeq}, key ${keys.join(', ')}`;
  return [
    `${path}: ${rows} rows (${firstSeq} to ${head.seq}), chain whole, ${signed}`,
    `last row ${head.seq}:${head.hash}`,
    ...pruningLines(prunings),
    ...rebuilt.map(markText),
    ...(checkpoints === 0 ? ['no row is signed: nothing shows whose rows these are'] : []),
    ...(checkpoints > 0 && signedSeq < head.seq
      ? [`rows ${Math.max(firstSeq, signedSeq + 1)} to ${head.seq} are not signed yet`]
      : []),
    ...(missing === null ? [] : [missingText(missing)]),
    ...unproved.map((what) => `not damaged, but not proved: ${what}`),
  ];
};

/** The newest few, and how many there were before them. */
const pruningLines = (prunings: readonly Pruning[]): readonly string[] => {
  const shown = prunings.slice(-PRUNINGS_SHOWN);
  const earlier = prunings.length - shown.length;
  return [
    ...(earlier === 0 ? [] : [`rows were let go ${earlier} times before those named below`]),
    ...shown.map(
      ({ seq, consumer, wallMs }) =>
        `rows before ${seq} were let go on ${new Date(wallMs).toISOString()}, held by ${consumer}`,
    ),
  ];
};

const CURE =
  'nothing was changed; keep the file. Rows before this one are sound. To let the table start ' +
  'with a new journal, run `cutcard journal set-aside`';
