import type { Rank } from '../core/cards.js';
import { RANKS } from '../core/cards.js';
import type {
  BurnRule,
  Cite,
  CutRule,
  MarkerRule,
  Procedure,
  RoundRule,
  StubRule,
  UnseenRule,
} from '../core/procedure.js';
import { canonicalJson } from './canonical.js';
import { CARDS_PER_DECK, cardsOf } from './deck-size.js';
import { type Fraction, lint } from './lint.js';
import { PackError, type Problem } from './problem.js';
import { type Choices, resolvePack, type ResolvePack } from './resolve.js';
import { type Pack, packSchema } from './schema.js';
import { keysAt } from './schema-keys.js';
import { schemaProblems } from './schema-problems.js';
import { type MapNode, markAt, type Path, pathText, placeOf, plain, readTree } from './tree.js';
import { type PackValue, packValues, verifiedShare } from './values.js';

export interface CompileOptions {
  /** File name for messages. */
  readonly file: string;
  /** Finds the pack named by `extends`. */
  readonly resolve: ResolvePack;
  /** SHA-256 of the UTF-8 text, hex: this layer has no Node. */
  readonly sha256: (text: string) => string;
  /** The house's choices, over those the pack makes itself. */
  readonly choose?: Choices;
}

/** A procedure with what people want to know of it beside the rules. */
export interface CompiledPack {
  readonly procedure: Procedure;
  readonly pack: Pack;
  readonly file: string;
  /** Every value written in the pack, with its clause and how far it was read. */
  readonly values: readonly PackValue[];
  readonly verified: Fraction;
  readonly chosen: Readonly<Record<string, string | number>>;
}

type CiteOf = (...path: (string | number)[]) => Cite;

/** Finds cites in the tree; a rule without a clause is a problem, told once per field. */
const citer = (tree: MapNode, problems: Problem[]): CiteOf => {
  const told = new Set<string>();
  return (...path) => {
    const mark = markAt(tree, path);
    const field = pathText(path);
    if (mark.clause === undefined && !told.has(field)) {
      told.add(field);
      problems.push({
        ...placeOf(tree, path),
        field,
        cause: 'The rule names no paragraph.',
        cure: 'Add clause: "..." to the block, or clause: policy:name for a house rule.',
      });
    }
    return { clause: mark.clause ?? 'policy:unnamed', verified: mark.verified ?? false };
  };
};

const cutRule = (pack: Pack, cite: CiteOf): CutRule | null => {
  const { cut } = pack;
  if (cut === null) return null;
  const after = cut.requiredAfter;
  return {
    orderCite: cite('cut', 'cutter'),
    depthCite: cite('cut', 'minFromTop'),
    requiredCite: cite('cut', 'requiredAfter'),
    requiredFor: {
      hand: after.includes('hand'),
      machine: after.includes('machine'),
      preshuffled: after.includes('preshuffled'),
    },
    minFromTop: cardsOf(pack, cut.minFromTop),
    minFromBottom: cut.minFromBottom === null ? null : cardsOf(pack, cut.minFromBottom),
    cutter: cut.cutter,
    firstOffer: cut.firstOffer,
    coverToBottom: cut.coverToBottom,
    recut: cut.recut === null ? null : { cite: cite('cut', 'recut'), ...cut.recut },
  };
};

const markerRule = (pack: Pack, cite: CiteOf): MarkerRule | null =>
  pack.marker === null
    ? null
    : {
        cite: cite('marker'),
        minBehind: pack.marker.minBehind,
        bottomCover: pack.marker.bottomCover,
      };

const burnRule = (pack: Pack, cite: CiteOf): BurnRule | null => {
  const { burn } = pack;
  if (burn === null) return null;
  if (burn.kind !== 'first-card-value') return { cite: cite('burn'), ...burn };
  const value = (rank: Rank): [Rank, number] => [rank, burn.values[rank] ?? 0];
  const values = new Map(RANKS.map(value));
  const of = (rank: Rank): number => values.get(rank) ?? 0;
  return {
    kind: burn.kind,
    cite: cite('burn'),
    to: burn.to,
    values: {
      A: of('A'),
      '2': of('2'),
      '3': of('3'),
      '4': of('4'),
      '5': of('5'),
      '6': of('6'),
      '7': of('7'),
      '8': of('8'),
      '9': of('9'),
      T: of('T'),
      J: of('J'),
      Q: of('Q'),
      K: of('K'),
    },
  };
};

const roundRule = (pack: Pack, cite: CiteOf): RoundRule => {
  const { round } = pack;
  return {
    bets: round.noMoreBets ? cite('round', 'noMoreBets') : null,
    cards: { cite: cite('round', 'cards'), ...round.cards },
    faceUp: round.faceUp,
    countsCalled:
      round.countsCalled === null
        ? null
        : { cite: cite('round', 'countsCalled'), after: round.countsCalled.after },
    tableau:
      round.tableau === null
        ? null
        : {
            kind: round.tableau.kind,
            cite: cite('round', 'tableau'),
            orderCite: cite('round', 'tableau', 'order'),
          },
  };
};

/** Hands dealt whether or not anybody wagers are a fixed number of cards, like the board. */
const stubRule = (pack: Pack, cite: CiteOf): StubRule | null => {
  const { stub } = pack;
  if (stub === null) return null;
  const fixed = stub.fixedHands === null ? 0 : stub.fixedHands * stub.perHand;
  return {
    cite: cite('stub', 'everyRounds'),
    everyRounds: stub.everyRounds,
    appliesTo: stub.dealing,
    goodCite: cite('stub', 'onGood'),
    wrongCite: cite('stub', 'onWrong'),
    perHand: stub.fixedHands === null ? stub.perHand : 0,
    dealerHand: stub.fixedHands === null && stub.dealerHand,
    community: stub.community + fixed,
    burns: stub.burns,
    exemptIfCounting: stub.exemptIfCounting,
  };
};

const shareText = ({ min, max }: { min: number | null; max: number | null }): string => {
  const part = (n: number): string => `${Math.round(n * 100)} %`;
  if (min === null) return max === null ? 'some' : `at most ${part(max)}`;
  if (max === null) return `at least ${part(min)}`;
  return min === max ? `about ${part(min)}` : `${part(min)} to ${part(max)}`;
};

/** What the pack says and no rule of the core can judge: shown as a duty nobody can see. */
const unseenRules = (pack: Pack, cite: CiteOf): readonly UnseenRule[] => {
  const rules: UnseenRule[] = pack.unseen.map((rule, at) => ({
    cite: cite('unseen', at),
    duty: rule.duty,
    text: rule.text,
  }));
  const share = pack.marker?.share ?? null;
  if (share !== null) {
    const text = `The cover card goes in with ${shareText(share)} of the stack behind it`;
    rules.push({ cite: cite('marker', 'share'), duty: 'marker-share', text });
  }
  if (pack.deadGameBurn !== null) {
    const text = `Burn ${pack.deadGameBurn.cards} before a dead game goes on`;
    rules.push({ cite: cite('deadGameBurn'), duty: 'dead-game-burn', text });
  }
  if (pack.autoShoe !== null) {
    const text = `The automated shoe gives the cards in stacks of ${pack.autoShoe.stack}`;
    rules.push({ cite: cite('autoShoe'), duty: 'auto-shoe-stack', text });
  }
  if (pack.idle !== null && pack.idle.inspectors > 1) {
    const text = `${pack.idle.inspectors} players look at the spread cards before play`;
    rules.push({ cite: cite('idle', 'inspectors'), duty: 'inspection', text });
  }
  return rules;
};

const SOURCES = ['hand', 'machine', 'preshuffled'] as const;
const WAYS = ['shoe', 'hand', 'auto-shoe'] as const;

/** Lists that are sets: the order they were written in does not make another procedure. */
const inOrder = <T>(all: readonly T[], some: readonly T[]): readonly T[] =>
  all.filter((one) => some.includes(one));

const procedureOf = (pack: Pack, cite: CiteOf): Omit<Procedure, 'hash'> => ({
  id: pack.id,
  title: pack.title,
  version: pack.version,
  deck: {
    cite: cite('deck'),
    cardsPerDeck: CARDS_PER_DECK[pack.deck.composition],
    decksMin: pack.deck.decks.min,
    decksMax: pack.deck.decks.max,
    maxAgeHours: pack.deck.maxAge?.hours ?? null,
    maxAgeHandHours: pack.deck.maxAge?.handHours ?? null,
    maxAgeCite: cite('deck', 'maxAge'),
    alternate: pack.deck.batches.alternate,
    alternateCite: cite('deck', 'batches'),
  },
  dealing: inOrder(WAYS, pack.dealing),
  shuffle: {
    cite: cite('shuffle'),
    ...pack.shuffle,
    sources: inOrder(SOURCES, pack.shuffle.sources),
  },
  count: { cite: cite('count'), ...pack.count },
  cut: cutRule(pack, cite),
  marker: markerRule(pack, cite),
  burn: burnRule(pack, cite),
  dealerBurn: pack.dealerBurn === null ? null : { cite: cite('dealerBurn'), ...pack.dealerBurn },
  cover: pack.cover === null ? null : { cite: cite('cover'), ...pack.cover },
  round: roundRule(pack, cite),
  stub: stubRule(pack, cite),
  handDealing:
    pack.handDealing === null ? null : { cite: cite('handDealing'), ...pack.handDealing },
  idle: pack.idle === null ? null : { cite: cite('idle'), minutes: pack.idle.minutes },
  exemption: pack.exemption === null ? null : { cite: cite('exemption'), ...pack.exemption },
  unseen: unseenRules(pack, cite),
});

const inFileOrder = (problems: readonly Problem[]): readonly Problem[] =>
  [...problems].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));

/**
 * Reads, completes, checks and compiles a pack.
 * @throws PackError with every problem found, each naming file, line, field, cause and cure.
 */
export const compilePack = (text: string, options: CompileOptions): CompiledPack => {
  const own = readTree(text, options.file);
  const { tree, chosen } = resolvePack(own, options.resolve, options.choose ?? {});
  const value = plain(tree);
  const parsed = packSchema.safeParse(value);
  if (!parsed.success) {
    const problems = schemaProblems(parsed.error.issues, tree, value, (path: Path) => keysAt(path));
    throw new PackError(inFileOrder(problems));
  }
  const pack = parsed.data;
  const problems: Problem[] = [];
  const body = procedureOf(pack, citer(tree, problems));
  problems.push(...lint(pack, tree, chosen));
  if (problems.length > 0) throw new PackError(inFileOrder(problems));
  const values = packValues(tree);
  return {
    procedure: { ...body, hash: options.sha256(canonicalJson(body)) },
    pack,
    file: options.file,
    values,
    verified: verifiedShare(values),
    chosen: Object.fromEntries(chosen),
  };
};
