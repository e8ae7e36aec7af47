import type { Alert } from '../../surveillance/floor/api-records.js';
import type {
  SeenState,
  SeenStep,
  ShoeSummary,
  Strip,
  StripMark,
  VoidedRound,
} from '../../surveillance/floor/api-table.js';
import type { Tile } from '../../surveillance/floor/api.js';
import { FLOOR_START_MS } from './floor-tables.js';

/** One shoe of a baccarat table, with an incident: a card too many in the burn, and three more. */

const STEP_MS = 2500;
const LOADED = 416;
const BURN = 8;

type Row = Pick<SeenStep, 'kind' | 'text'> & { readonly marks: readonly Bare[] };
type Bare = StripMark extends infer M
  ? M extends StripMark
    ? Omit<M, 'seq' | 'atMs' | 'out'>
    : never
  : never;

const press = (key: string): Row => ({
  kind: 'press',
  text: `dealer pressed "${key}"`,
  marks: [{ kind: 'press', key, by: 'dealer', taken: true }],
});
const card = (use: 'burn' | 'round' | 'other', round: number): Row => ({
  kind: 'card.out',
  text: 'a card came out',
  marks: [{ kind: 'card', use, round }],
});

const RAISED: Bare = {
  kind: 'raised',
  id: '16.0',
  code: 'burn.over',
  severity: 'stop',
  clause: '631a.5(f)',
};

const opening = (): readonly Row[] => [
  press('open-table'),
  { kind: 'shuffler.done', text: 'the shuffler is done: 416 cards', marks: [] },
  press('cut'),
  press('marker-placed'),
  { kind: 'shoe.loaded', text: 'the shoe was loaded', marks: [{ kind: 'loaded' }] },
  ...Array.from({ length: BURN }, () => card('burn', 0)),
  press('first-card'),
  press('burn-done'),
];

const incident = (): readonly Row[] => [
  {
    ...card('other', 0),
    marks: [...card('other', 0).marks, RAISED, { kind: 'gate', locked: true }],
  },
  card('other', 0),
  card('other', 0),
  card('other', 0),
  {
    kind: 'press',
    text: 'floor pressed "clear"',
    marks: [
      { kind: 'press', key: 'clear', by: 'floor 41', taken: true },
      { kind: 'cleared', id: '16.0', code: 'burn.over', how: 'floor 41 cleared it' },
      { kind: 'gate', locked: false },
    ],
  },
];

const round = (no: number): readonly Row[] => [
  {
    ...press('no-more-bets'),
    marks: [...press('no-more-bets').marks, { kind: 'round-begin', round: no }],
  },
  ...Array.from({ length: 4 + (no % 3) }, () => card('round', no)),
  { ...press('round-end'), marks: [...press('round-end').marks, { kind: 'round-end', round: no }] },
];

/** Rows of a shoe up to `cards` cards out. */
const rowsOf = (cards: number): readonly Row[] => {
  const rows = [...opening(), ...incident()];
  const isOut = ({ marks }: Row): boolean => marks.some(({ kind }) => kind === 'card');
  let out = rows.filter(isOut).length;
  for (let no = 1; out < cards; no += 1) {
    const next = round(no);
    out += next.filter(isOut).length;
    rows.push(...next);
    if (no === 60)
      rows.push({ kind: 'cover.out', text: 'the cover card came out', marks: [{ kind: 'cover' }] });
  }
  return rows;
};

export class FakeShoe {
  readonly #tile: Tile;
  readonly #shoe: number;
  readonly #rows: readonly Row[];

  constructor(tile: Tile, shoe: number, cards = 330) {
    this.#tile = tile;
    this.#shoe = shoe;
    this.#rows = rowsOf(cards);
  }

  get lastSeq(): number {
    return this.#rows.length;
  }

  strip(after: number): Strip {
    let out = 0;
    const marks = this.#rows.flatMap((row, i) => {
      if (row.marks.some(({ kind }) => kind === 'card')) out += 1;
      const at = { seq: i + 1, atMs: FLOOR_START_MS + i * STEP_MS, out };
      return row.marks.map((mark): StripMark => ({ ...at, ...mark }));
    });
    return {
      table: this.#tile.id,
      shoe: this.#shoe,
      loaded: LOADED,
      marks: marks.filter(({ seq }) => seq > after),
      lastSeq: this.lastSeq,
      isOpen: this.#shoe === this.#tile.shoe,
    };
  }

  #stateAt(seq: number): SeenState {
    const done = this.#rows.slice(0, seq);
    const marks = done.flatMap((row) => row.marks);
    const out = marks.filter(({ kind }) => kind === 'card').length;
    const open = marks.findLast(({ kind }) => kind === 'raised' || kind === 'cleared');
    const isStopped = open?.kind === 'raised';
    const raisedAt = done.findIndex((row) => row.marks.includes(RAISED));
    return {
      phase: isStopped ? 'burn' : 'round',
      shoe: this.#shoe,
      round: marks.filter(({ kind }) => kind === 'round-begin').length,
      out,
      left: LOADED - out,
      dealer: isStopped
        ? { line1: 'STOP', line2: 'Call the floor', clause: '631a.5(f)', step: 'stop' }
        : { line1: 'DEAL', line2: 'One card at a time', clause: '627a.8', step: 'deal' },
      gate: isStopped ? 'locked' : 'open',
      tower: isStopped ? { colour: 'red', light: 'blink' } : { colour: 'green', light: 'steady' },
      floor: isStopped
        ? [
            {
              id: '16.0',
              code: 'burn.over',
              severity: 'stop',
              clause: '631a.5(f)',
              observed: '9 cards out before the first round',
              remedy: 'Call the floor.',
              cardsAfterWarning: seq - raisedAt - 1,
              acknowledgedAtTable: null,
            },
          ]
        : [],
      surveillance: raisedAt === seq - 1 ? ['raised burn.over (stop)'] : [],
    };
  }

  steps(from: number, to: number): readonly SeenStep[] {
    const first = Math.max(1, from);
    return this.#rows.slice(first - 1, Math.min(to, this.lastSeq)).map((row, i) => ({
      seq: first + i,
      atMs: FLOOR_START_MS + (first + i - 1) * STEP_MS,
      wallTrusted: true,
      atNs: (first + i) * STEP_MS * 1e6,
      kind: row.kind,
      text: row.text,
      historical: false,
      state: this.#stateAt(first + i),
    }));
  }

  summary(): ShoeSummary {
    return {
      shoe: this.#shoe,
      batch: 'red',
      loaded: LOADED,
      out: this.#rows.filter(({ kind }) => kind === 'card.out').length,
      rounds: this.#rows.filter(({ text }) => text.includes('round-end')).length,
      findings: 1,
      stops: 1,
      fromSeq: 1,
      toSeq: this.lastSeq,
      fromMs: FLOOR_START_MS,
      toMs: FLOOR_START_MS + this.lastSeq * STEP_MS,
      isOpen: this.#shoe === this.#tile.shoe,
    };
  }
}

export const voidedOf = (tile: Tile): readonly VoidedRound[] => [
  {
    seq: 88,
    atMs: FLOOR_START_MS - 3_000_000,
    shoe: (tile.shoe ?? 1) - 1,
    round: 9,
    cards: 5,
    by: 'floor 41',
    findings: [{ id: '86.0', code: 'round.overdrawn' }],
  },
];

/** The alerts of every open finding on the wall, and some that are over. */
export const alertsOf = (tiles: readonly Tile[]): Alert[] =>
  tiles.flatMap((tile) =>
    tile.findings.map(
      (finding): Alert => ({
        table: tile.id,
        id: finding.id,
        code: finding.code,
        clause: finding.clause,
        severity: finding.severity,
        expected: finding.expected,
        observed: finding.observed,
        remedy: finding.remedy,
        game: tile.game?.title ?? null,
        shoe: tile.shoe,
        round: tile.round,
        dealer: tile.dealer,
        raisedSeq: Number.parseInt(finding.id, 10),
        raisedMs: finding.sinceMs,
        cardsAfterWarning: finding.cardsAfterWarning,
        timeToStopMs: finding.cardsAfterWarning === 0 ? 0 : 4200,
        acknowledged: finding.acknowledged,
        acknowledgedAtTable: finding.acknowledgedAtTable,
        cleared: null,
        escalation: finding.escalation,
        cameras: tile.cameras,
      }),
    ),
  );

export const pastAlerts = (tiles: readonly Tile[]): Alert[] =>
  tiles.slice(0, 12).map((tile, i) => ({
    table: tile.id,
    id: `${300 + i}.0`,
    code: i % 2 === 0 ? 'bets.open' : 'burn.short',
    clause: i % 2 === 0 ? '651a.8(c)' : '631a.5(f)',
    severity: 'warn',
    expected: 'No card before "no more bets"',
    observed: '1 card out',
    remedy: 'Call "no more bets" first.',
    game: tile.game?.title ?? null,
    shoe: 2,
    round: 4 + i,
    dealer: tile.dealer,
    raisedSeq: 300 + i,
    raisedMs: FLOOR_START_MS - 7_200_000 + i * 60_000,
    cardsAfterWarning: 0,
    timeToStopMs: 0,
    acknowledged: null,
    acknowledgedAtTable: 'floor 41',
    cleared: { atMs: FLOOR_START_MS - 7_000_000 + i * 60_000, by: 'table', how: 'round ended' },
    escalation: 0,
    cameras: tile.cameras,
  }));
