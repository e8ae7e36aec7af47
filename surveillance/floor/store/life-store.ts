import type { Finding, FindingCode, Severity } from '../../../controller/core/finding.js';
import { FINDING_CODES, SEVERITIES } from '../../../controller/core/finding.js';
import { z } from 'zod';
import { type Db, numberIn, numberOrNull, type Raw, textIn, textOrNull, type Value } from './db.js';

/** A finding's life, as the rows tell it. */
export interface FindingLife {
  readonly id: string;
  readonly code: FindingCode;
  readonly clause: string;
  readonly severity: Severity;
  readonly raisedSeq: number;
  readonly raisedMs: number;
  readonly shoe: number | null;
  readonly round: number | null;
  readonly dealer: string | null;
  readonly game: string | null;
  readonly cleared: { readonly atMs: number; readonly by: string; readonly how: string } | null;
  readonly detail: FindingDetail;
}

export type FindingDetail = Pick<Finding, 'expected' | 'observed' | 'remedy' | 'authority'> & {
  readonly cardsAfterWarning: number;
  readonly timeToStopMs: number;
  readonly acknowledgedAtTable: string | null;
};

export interface ShoeLife {
  readonly shoe: number;
  readonly batch: string | null;
  readonly loaded: number;
  readonly out: number;
  readonly rounds: number;
  readonly findings: number;
  readonly stops: number;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly isOpen: boolean;
}

export interface RoundLife {
  readonly shoe: number;
  readonly round: number;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromMs: number;
  readonly cards: number;
  readonly dealer: string | null;
}

export interface VoidLife {
  readonly seq: number;
  readonly atMs: number;
  readonly shoe: number;
  readonly round: number;
  readonly cards: number;
  readonly by: string;
  readonly findings: readonly { readonly id: string; readonly code: string }[];
}

export const MEASURES = ['time-to-stop', 'cut-dwell', 'count-age'] as const;
/** `time-to-stop` and `cut-dwell` in ms, `count-age` in rounds. */
export interface Measure {
  readonly seq: number;
  readonly kind: (typeof MEASURES)[number];
  readonly atMs: number;
  readonly amount: number;
}

export interface LifeChanges {
  readonly findings: readonly FindingLife[];
  readonly shoes: readonly ShoeLife[];
  readonly rounds: readonly RoundLife[];
  readonly voids: readonly VoidLife[];
  readonly measures: readonly Measure[];
}

const detailSchema = z.object({
  expected: z.string(),
  observed: z.string(),
  remedy: z.string(),
  authority: z.enum(['dealer', 'floor', 'tech', 'surveillance']),
  cardsAfterWarning: z.number(),
  timeToStopMs: z.number(),
  acknowledgedAtTable: z.string().nullable(),
});
const codeSchema = z.enum(FINDING_CODES);
const severitySchema = z.enum(SEVERITIES);
const voidFindings = z.array(z.object({ id: z.string(), code: z.string() }));

const upsert = (table: string, key: readonly string[], columns: readonly string[]): string => {
  const all = [...key, ...columns];
  const set = columns.map((name) => `${name} = excluded.${name}`).join(', ');
  return (
    `INSERT INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')}) ` +
    `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set}`
  );
};

const FINDING = upsert(
  'finding',
  ['place', 'id'],
  [
    ...['code', 'clause', 'severity', 'raised_seq', 'raised_ms', 'shoe', 'round', 'dealer'],
    ...['game', 'cleared_ms', 'cleared_by', 'cleared_how', 'detail'],
  ],
);
const SHOE = upsert(
  'shoe',
  ['place', 'shoe'],
  [
    ...['from_seq', 'to_seq', 'from_ms', 'to_ms', 'batch', 'loaded', 'cards_out', 'rounds'],
    ...['findings', 'stops', 'is_open'],
  ],
);
const ROUND = upsert(
  'round',
  ['place', 'shoe', 'round'],
  ['from_seq', 'to_seq', 'from_ms', 'cards', 'dealer'],
);
const VOIDED = upsert(
  'voided',
  ['place', 'seq'],
  ['at_ms', 'shoe', 'round', 'cards', 'by_whom', 'findings'],
);
const MEASURE = upsert('measure', ['place', 'seq', 'kind'], ['at_ms', 'amount']);

/** PostgreSQL holds no NUL in a text; the row itself keeps what was said. */
const holdable = (value: Value): Value =>
  typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;

/** Writes what was followed. Within a transaction. */
export const writeLife = async (on: Db, place: number, changes: LifeChanges): Promise<void> => {
  const db: Pick<Db, 'runMany'> = {
    runMany: (sql, lists) =>
      on.runMany(
        sql,
        lists.map((values) => values.map(holdable)),
      ),
  };
  await db.runMany(
    FINDING,
    changes.findings.map((life): Value[] => [
      ...[place, life.id, life.code, life.clause, life.severity, life.raisedSeq],
      ...[Math.round(life.raisedMs), life.shoe, life.round, life.dealer, life.game],
      life.cleared === null ? null : Math.round(life.cleared.atMs),
      life.cleared?.by ?? null,
      life.cleared?.how ?? null,
      JSON.stringify(life.detail),
    ]),
  );
  await db.runMany(
    SHOE,
    changes.shoes.map((life): Value[] => [
      ...[place, life.shoe, life.fromSeq, life.toSeq, Math.round(life.fromMs)],
      ...[Math.round(life.toMs), life.batch, life.loaded, life.out, life.rounds],
      ...[life.findings, life.stops, life.isOpen ? 1 : 0],
    ]),
  );
  await db.runMany(
    ROUND,
    changes.rounds.map((life): Value[] => [
      ...[place, life.shoe, life.round, life.fromSeq, life.toSeq],
      ...[Math.round(life.fromMs), life.cards, life.dealer],
    ]),
  );
  await db.runMany(
    VOIDED,
    changes.voids.map((life): Value[] => [
      ...[place, life.seq, Math.round(life.atMs), life.shoe, life.round, life.cards, life.by],
      JSON.stringify(life.findings),
    ]),
  );
  await db.runMany(
    MEASURE,
    changes.measures.map((one): Value[] => [
      place,
      one.seq,
      one.kind,
      Math.round(one.atMs),
      one.amount,
    ]),
  );
};

export const findingOf = (row: Raw): FindingLife => {
  const clearedMs = numberOrNull(row, 'cleared_ms');
  return {
    id: textIn(row, 'id'),
    code: codeSchema.parse(textIn(row, 'code')),
    clause: textIn(row, 'clause'),
    severity: severitySchema.parse(textIn(row, 'severity')),
    raisedSeq: numberIn(row, 'raised_seq'),
    raisedMs: numberIn(row, 'raised_ms'),
    shoe: numberOrNull(row, 'shoe'),
    round: numberOrNull(row, 'round'),
    dealer: textOrNull(row, 'dealer'),
    game: textOrNull(row, 'game'),
    cleared:
      clearedMs === null
        ? null
        : {
            atMs: clearedMs,
            by: textIn(row, 'cleared_by'),
            how: textIn(row, 'cleared_how'),
          },
    detail: detailSchema.parse(JSON.parse(textIn(row, 'detail'))),
  };
};

export const shoeOf = (row: Raw): ShoeLife => ({
  shoe: numberIn(row, 'shoe'),
  batch: textOrNull(row, 'batch'),
  loaded: numberIn(row, 'loaded'),
  out: numberIn(row, 'cards_out'),
  rounds: numberIn(row, 'rounds'),
  findings: numberIn(row, 'findings'),
  stops: numberIn(row, 'stops'),
  fromSeq: numberIn(row, 'from_seq'),
  toSeq: numberIn(row, 'to_seq'),
  fromMs: numberIn(row, 'from_ms'),
  toMs: numberIn(row, 'to_ms'),
  isOpen: numberIn(row, 'is_open') === 1,
});

export const roundOf = (row: Raw): RoundLife => ({
  shoe: numberIn(row, 'shoe'),
  round: numberIn(row, 'round'),
  fromSeq: numberIn(row, 'from_seq'),
  toSeq: numberIn(row, 'to_seq'),
  fromMs: numberIn(row, 'from_ms'),
  cards: numberIn(row, 'cards'),
  dealer: textOrNull(row, 'dealer'),
});

export const voidOf = (row: Raw): VoidLife => ({
  seq: numberIn(row, 'seq'),
  atMs: numberIn(row, 'at_ms'),
  shoe: numberIn(row, 'shoe'),
  round: numberIn(row, 'round'),
  cards: numberIn(row, 'cards'),
  by: textIn(row, 'by_whom'),
  findings: voidFindings.parse(JSON.parse(textIn(row, 'findings'))),
});
