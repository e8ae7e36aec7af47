import type { Rank, Role } from './cards.js';
import type { Batch } from './observation.js';

/**
 * A compiled procedure: one game chapter as the core reads it. Written by people as a pack
 * (controller/procedures/packs), checked and compiled by controller/procedures.
 */
export interface Procedure {
  /** `pa/631a-baccarat` */
  readonly id: string;
  readonly title: string;
  readonly version: string;
  /** SHA-256 of the pack's canonical form, hex: recorded in every checkpoint. */
  readonly hash: string;
  readonly deck: DeckRule;
  readonly dealing: readonly Dealing[];
  readonly shuffle: ShuffleRule;
  readonly count: CountRule;
  readonly cut: CutRule | null;
  readonly marker: MarkerRule | null;
  readonly burn: BurnRule | null;
  readonly dealerBurn: DealerBurnRule | null;
  readonly cover: CoverRule | null;
  readonly round: RoundRule;
  readonly stub: StubRule | null;
  readonly handDealing: HandDealingRule | null;
  readonly idle: IdleRule | null;
  readonly exemption: ExemptionRule | null;
  /** Demands that no device can see (which hand holds the deck, who handles cards). */
  readonly unseen: readonly UnseenRule[];
}

/** A paragraph and whether its text was read in full when the value was written down. */
export interface Cite {
  /** As printed: `631a.5(f)`; `policy:<name>` where no clause exists. */
  readonly clause: string;
  readonly verified: boolean;
}

export type Dealing = 'shoe' | 'hand' | 'auto-shoe';
export type ShuffleSource = 'hand' | 'machine' | 'preshuffled';

export interface DeckRule {
  readonly cite: Cite;
  /** 52; 53 with a joker; 48 without the tens. */
  readonly cardsPerDeck: number;
  readonly decksMin: number;
  readonly decksMax: number;
  /** Hours a deck may stay in use; null where the pack sets no limit. */
  readonly maxAgeHours: number | null;
  /** The same where cards are dealt from the hand; null: as `maxAgeHours`. */
  readonly maxAgeHandHours: number | null;
  readonly maxAgeCite: Cite;
  /** Two batches of different backs take turns, one shoe each. */
  readonly alternate: boolean;
  readonly alternateCite: Cite;
}

export interface ShuffleRule {
  readonly cite: Cite;
  readonly when: 'shoe-end' | 'each-round';
  readonly sources: readonly ShuffleSource[];
  /** Cards are washed before a hand shuffle. */
  readonly wash: boolean;
  /** Each dealer of the crew shuffles on his own. */
  readonly eachDealer: boolean;
}

export interface CountRule {
  readonly cite: Cite;
  /** What a wrong machine count demands: the deck leaves, or it is counted again. */
  readonly onWrong: 'remove-deck' | 'recount';
}

export interface CutRule {
  /** Who cuts and in which order. */
  readonly orderCite: Cite;
  readonly depthCite: Cite;
  /** Whether stacks of each source must be cut, with the paragraph that says so. */
  readonly requiredFor: Readonly<Record<ShuffleSource, boolean>>;
  readonly requiredCite: Cite;
  readonly minFromTop: number;
  /** null where only the top has a minimum. */
  readonly minFromBottom: number | null;
  readonly cutter: 'players' | 'dealer';
  /** Whom the players' first offer goes to in a new game; `any` where no text names anybody. */
  readonly firstOffer: 'highest-seat' | 'any';
  /** The cover card used to cut ends below the last card: when it comes out the stack is done. */
  readonly coverToBottom: boolean;
  readonly recut: RecutRule | null;
}

export interface RecutRule {
  readonly cite: Cite;
  readonly authority: Role;
  /** A recut may be ordered until the stack is in the shoe / until a card is dealt. */
  readonly until: 'load' | 'deal';
  readonly by: 'next-entitled' | 'dealer';
}

export interface MarkerRule {
  readonly cite: Cite;
  /** Cards that must lie behind the marker; null where the text gives no number. */
  readonly minBehind: number | null;
  /** A second cover card lies at the bottom of the stack: when it comes out the shoe is done. */
  readonly bottomCover: boolean;
}

export type BurnRule =
  | {
      readonly kind: 'first-card-value';
      readonly cite: Cite;
      /** Burn value by rank: NOT the point value (a ten burns ten and scores nothing). */
      readonly values: Readonly<Record<Rank, number>>;
      readonly to: 'bucket' | 'rack';
    }
  | {
      readonly kind: 'fixed';
      readonly cite: Cite;
      readonly cards: number;
      /** Nobody may learn the rank. */
      readonly secret: boolean;
      readonly to: 'bucket' | 'rack';
    }
  | {
      /** As many cards as there are decks in the shoe. */
      readonly kind: 'deck-count';
      readonly cite: Cite;
      readonly secret: boolean;
      readonly to: 'bucket' | 'rack';
    };

export interface DealerBurnRule {
  readonly cite: Cite;
  readonly cards: number;
  readonly secret: boolean;
}

/** What follows when the cover card comes out first in a round, or in mid-round. */
export interface CoverConsequence {
  /** Rounds that may still begin after the round the cover card belongs to. */
  readonly roundsAfter: number;
  /** The last hand is announced before it begins. */
  readonly announce: boolean;
  /** The round does not begin at all: shuffle at once. */
  readonly shuffleNow: boolean;
}
export interface CoverRule {
  readonly cite: Cite;
  readonly first: CoverConsequence;
  readonly mid: CoverConsequence;
}

export interface RoundRule {
  /** "No more bets" comes before the first card. */
  readonly bets: Cite | null;
  /** Cards a round takes; null where it depends on the players. */
  readonly cards: {
    readonly cite: Cite;
    readonly min: number | null;
    readonly max: number | null;
  };
  /** Player cards lie face up: with a reading shoe their ranks may be recorded. */
  readonly faceUp: boolean;
  /** The point counts are called after this many cards. */
  readonly countsCalled: { readonly cite: Cite; readonly after: number } | null;
  /** The drawing rule judged where ranks are read. */
  readonly tableau: {
    readonly kind: 'baccarat';
    readonly cite: Cite;
    readonly orderCite: Cite;
  } | null;
}

export interface StubRule {
  /** The stub is counted at least once in so many rounds. */
  readonly cite: Cite;
  readonly everyRounds: number;
  /** Ways of dealing the duty belongs to: a chapter may ask it of hand dealing only. */
  readonly appliesTo: readonly Dealing[];
  readonly goodCite: Cite;
  readonly wrongCite: Cite;
  /** Expected stub = deck − perHand × (players + dealerHand) − community − burns. */
  readonly perHand: number;
  readonly dealerHand: boolean;
  readonly community: number;
  readonly burns: number;
  /** A machine that counts after each shuffle lifts the duty. */
  readonly exemptIfCounting: boolean;
}

export interface HandDealingRule {
  readonly cite: Cite;
  readonly needsMachineShuffle: boolean;
}

export interface IdleRule {
  readonly cite: Cite;
  readonly minutes: number;
}

export interface ExemptionRule {
  readonly cite: Cite;
  /** Duties an approved reshuffling-and-counting device lifts: `cut`, `count`, `idle`, `stub`. */
  readonly lifts: readonly ('cut' | 'count' | 'idle' | 'stub')[];
}

export interface UnseenRule {
  readonly cite: Cite;
  readonly duty: string;
  readonly text: string;
}

/** What the site says of one table. */
export interface Table {
  readonly decks: number;
  readonly crew: number;
  readonly seats: number;
  readonly dealing: Dealing;
  /** `counting` says a number after each shuffle; `not-counting` only that it finished. */
  readonly shuffler: 'none' | 'counting' | 'not-counting';
  readonly reader: 'none' | 'rank';
  readonly batches: readonly Batch[];
  /** `lock` drives the gate; `advise` shows and records the same but never locks. */
  readonly enforcement: 'lock' | 'advise';
  readonly policy: Policy;
}

/** House policies behind the `policy:` findings; units in the names. */
export interface Policy {
  readonly countStaleRounds: number | null;
  readonly countStaleMinutes: number | null;
  readonly escalateFloorS: number;
  readonly escalateSurveillanceS: number;
  readonly dwellCutS: number | null;
  readonly dwellLoadS: number | null;
  readonly blockedMs: number;
  /** A hand shuffle at a table that has a machine: allowed, or a stop. */
  readonly handShuffle: 'allow' | 'stop';
  readonly tamperLid: 'stop' | 'warn';
  readonly sensorFault: 'stop' | 'warn';
  readonly shufflerLost: 'stop' | 'warn';
  readonly clockUntrusted: 'stop' | 'warn' | 'info';
}

export const DEFAULT_POLICY: Policy = {
  countStaleRounds: null,
  countStaleMinutes: null,
  escalateFloorS: 30,
  escalateSurveillanceS: 120,
  dwellCutS: 20,
  dwellLoadS: 180,
  blockedMs: 2000,
  handShuffle: 'allow',
  tamperLid: 'warn',
  sensorFault: 'stop',
  shufflerLost: 'warn',
  clockUntrusted: 'warn',
};

/** Cards in a full, correct stack: decks × cards per deck. Cover cards never count. */
export const expectedCount = (procedure: Procedure, table: Table): number =>
  procedure.deck.cardsPerDeck * table.decks;
