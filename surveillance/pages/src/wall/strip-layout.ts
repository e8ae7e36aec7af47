import type { Strip, StripMark } from '../../../floor/api-table.js';

/** Share of the strip for what happens before the shoe is loaded: nothing of it has a card. */
const PREPARATION = 0.08;

type Of<K extends StripMark['kind']> = Extract<StripMark, { readonly kind: K }>;

export interface At<M extends StripMark = StripMark> {
  /** Place on the strip, 0 to 1. */
  readonly x: number;
  readonly mark: M;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface StripLayout {
  /** Every mark with its place, oldest first. */
  readonly all: readonly At[];
  /** Rows that have a mark, each once: what an arrow key walks. */
  readonly rows: readonly number[];
  readonly cards: readonly At<Of<'card'>>[];
  readonly rounds: readonly (Span & { readonly round: number; readonly isVoid: boolean })[];
  readonly findings: readonly At<Of<'raised'>>[];
  readonly presses: readonly At<Of<'press'>>[];
  /** A card that went back in, two at once. */
  readonly oddities: readonly At[];
  readonly covers: readonly At[];
  readonly gaps: readonly At<Of<'gap'>>[];
  readonly locked: readonly Span[];
  /** Where the stack begins; 0 where nothing was seen before it. */
  readonly begin: number;
}

const is =
  <K extends StripMark['kind']>(kind: K) =>
  (at: At): at is At<Of<K>> =>
    at.mark.kind === kind;

/** Places: preparation evenly, then one slot a card; what has no card stands behind the last. */
const placed = (strip: Strip, begin: number, loadedAt: number): readonly At[] => {
  const { marks, loaded } = strip;
  const cards = Math.max(loaded, marks.at(-1)?.out ?? 0, 1);
  const slot = (1 - begin) / cards;
  const behind = new Map<number, number>();
  marks.forEach((mark, i) => {
    if (i > loadedAt && mark.kind !== 'card') behind.set(mark.out, (behind.get(mark.out) ?? 0) + 1);
  });
  const taken = new Map<number, number>();
  return marks.map((mark, i): At => {
    if (i <= loadedAt) return { x: (begin * (i + 0.5)) / (loadedAt + 1), mark };
    if (mark.kind === 'card') return { x: begin + (mark.out - 0.5) * slot, mark };
    const n = (taken.get(mark.out) ?? 0) + 1;
    taken.set(mark.out, n);
    const share = n / ((behind.get(mark.out) ?? 0) + 1);
    return { x: begin + (mark.out - 0.5 + share) * slot, mark };
  });
};

const roundsOf = (all: readonly At[]): StripLayout['rounds'] => {
  const rounds: (Span & { round: number; isVoid: boolean })[] = [];
  let open: { from: number; round: number } | null = null;
  for (const { x, mark } of all) {
    if (mark.kind === 'round-begin') open = { from: x, round: mark.round };
    if ((mark.kind === 'round-end' || mark.kind === 'round-void') && open !== null) {
      rounds.push({ ...open, to: x, isVoid: mark.kind === 'round-void' });
      open = null;
    }
  }
  const last = all.at(-1);
  if (open !== null && last !== undefined) rounds.push({ ...open, to: last.x, isVoid: false });
  return rounds;
};

const lockedOf = (all: readonly At[]): readonly Span[] => {
  const spans: Span[] = [];
  let from: number | null = null;
  for (const { x, mark } of all) {
    if (mark.kind !== 'gate') continue;
    if (mark.locked) from ??= x;
    else if (from !== null) {
      spans.push({ from, to: x });
      from = null;
    }
  }
  const last = all.at(-1);
  return from === null || last === undefined ? spans : [...spans, { from, to: last.x }];
};

/** Where everything lies on the strip of a shoe. */
export const layoutOf = (strip: Strip): StripLayout => {
  const loadedAt = strip.marks.findIndex(({ kind }) => kind === 'loaded');
  const begin = loadedAt < 0 ? 0 : PREPARATION;
  const all = placed(strip, begin, loadedAt);
  return {
    all,
    rows: [...new Set(strip.marks.map(({ seq }) => seq))],
    cards: all.filter(is('card')),
    rounds: roundsOf(all),
    findings: all.filter(is('raised')),
    presses: all.filter(is('press')),
    oddities: all.filter(({ mark }) => mark.kind === 'card-back' || mark.kind === 'double'),
    covers: all.filter(({ mark }) => mark.kind === 'cover'),
    gaps: all.filter(is('gap')),
    locked: lockedOf(all),
    begin,
  };
};

/** A deck: the axis counts in these, or in several of them where the strip is narrow. */
const DECK = 52;
/** Room a number on the axis takes, px. */
const NUMBER_PX = 34;
/** Room the word before the first number takes, with half of that number, px. */
const BEFORE_PX = 56;

/** The numbers on the axis, from 0 to the last card, as many as `widthPx` has room for. */
export const axisCounts = (cards: number, widthPx: number): readonly number[] => {
  const decks = Math.max(1, Math.ceil((NUMBER_PX * cards) / (widthPx * DECK)));
  const every = decks * DECK;
  const counts = Array.from({ length: Math.ceil(cards / every) }, (_, i) => i * every);
  // The last number stands left of its place: it needs the room of two.
  const spareOf = (count: number): number => ((cards - count) * widthPx) / cards;
  return [...counts.filter((count) => spareOf(count) >= 1.5 * NUMBER_PX), cards];
};

/** Whether what lies before the stack has room for its word. */
export const saysBefore = (begin: number, widthPx: number): boolean => begin * widthPx >= BEFORE_PX;

/** The mark nearest to a place, 0 to 1; null on an empty strip. */
export const nearest = ({ all }: StripLayout, x: number): StripMark | null => {
  let best: At | null = null;
  for (const at of all) {
    if (best === null || Math.abs(at.x - x) <= Math.abs(best.x - x)) best = at;
  }
  return best?.mark ?? null;
};

/** Where a row lies, 0 to 1: at its mark, or at the last one before it; null before the first. */
export const placeOfRow = ({ all }: StripLayout, seq: number): number | null =>
  all.findLast(({ mark }) => mark.seq <= seq)?.x ?? null;

/** The shoe in one sentence, for those who do not see the strip. */
export const stripText = (strip: Strip): string => {
  const layout = layoutOf(strip);
  const burnt = layout.cards.filter(({ mark }) => mark.use === 'burn').length;
  const [cover] = layout.covers;
  return [
    `Shoe ${strip.shoe}: ${strip.loaded} cards loaded, ${layout.cards.length} came out`,
    `${burnt} of them burnt`,
    `${layout.rounds.length} rounds`,
    cover === undefined
      ? 'the cover card was not seen'
      : `cover card after ${cover.mark.out} cards`,
    `${layout.findings.length} findings`,
    ...(layout.gaps.length === 0 ? [] : [`${layout.gaps.length} gaps in what is held`]),
  ].join(', ');
};
