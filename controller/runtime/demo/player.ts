import type { Rules } from '../../core/decide.js';
import type { Rank } from '../../core/cards.js';
import { exempt } from '../../core/exemption.js';
import { expectedCount } from '../../core/procedure.js';
import { expectedStub } from '../../core/stub.js';
import type { TableState } from '../../core/state.js';
import { type Move, nextMove, whyStuck } from '../scenario/dealer.js';
import { attend } from './floor.js';
import { MISTAKES, type Mistake } from './mistakes.js';
import { card, CARD_MS, cover, floor, press } from './moves.js';
import { Random } from './random.js';

/** Chance that the next moment of play goes wrong where nothing was asked for. */
const MISTAKE_CHANCE = 0.004;
const BETS_MS = 9000;
const SETTLE_MS = 7000;
const HAND_ROUND_MS = 40_000;
/** Cards of a round whose number depends on the players. */
const FREE_ROUND = { min: 2, max: 6 };
/** Rounds a dealer stays. */
const SHIFT_ROUNDS = 40;
const COVER_SPREAD = 12;
const DEFAULT_BEHIND = 14;
/** Moves in a row that change nothing before the player gives up. */
const STUCK_MOVES = 12;
const FIRST_CARDS: readonly Rank[] = [
  'A',
  '2',
  '3',
  '4',
  '5',
  '6',
  '7',
  '8',
  '9',
  'T',
  'J',
  'Q',
  'K',
];

export interface PlayerOptions {
  readonly rules: Rules;
  readonly seed: number;
  /** Made once in each shoe, at the first chance. */
  readonly mistakes: readonly Mistake[];
  /** Makes a mistake of its own now and then. */
  readonly human: boolean;
  /** Ends after so many shoes; null plays on. */
  readonly shoes: number | null;
}

export type Turn =
  | {
      readonly kind: 'move';
      readonly move: Move;
      readonly story: string | null;
      /** The finding it is about: once that is closed by somebody else there is nothing to do. */
      readonly finding: string | null;
    }
  | { readonly kind: 'done' }
  | { readonly kind: 'stuck'; readonly why: string };

interface Queued {
  readonly move: Move;
  readonly finding: string | null;
}

/** Of what the floor does about a finding: seen, and the first step of the remedy. */
const UNTIL_CLOSED = 2;
const NONE: ReadonlySet<string> = new Set();

const isOpen = ({ findings }: TableState, id: string | null): boolean =>
  id === null || findings.some((finding) => finding.id === id);

/**
 * A practised dealer with a floorperson beside: plays shoe after shoe, makes the mistakes that
 * were asked for, and puts them right as the remedy says. Decides from the durable state only.
 */
export class Player {
  readonly #options: PlayerOptions;
  readonly #random: Random;
  #queue: Queued[] = [];
  #tried = new Map<string, number>();
  #due: Mistake[] = [];
  #shoe = -1;
  #round = -1;
  #roundCards = 0;
  #behind = DEFAULT_BEHIND;
  #coverOut = false;
  #forgets: Mistake['leaves'] | null = null;
  #dealer = 1;
  /** Shoe at whose making the mistakes were last due. */
  #renewedAt = -1;
  /** Where the cover card wrongly lies in the stack about to be loaded, then in the one loaded. */
  #nextBehind: number | null = null;
  #loadWith: number | null = null;
  /** Shoe and round after which the dealer last changed. */
  #changed = '';
  #still = 0;
  #lastSeq = -1;

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  /** Whether the floor has begun to attend to a finding. */
  hasAttended(id: string): boolean {
    return this.#tried.has(id);
  }

  /** The next thing that happens at the table. `left`: findings that a person attends to. */
  next(state: TableState, left: ReadonlySet<string> = NONE): Turn {
    this.#watchShoe(state);
    const { shoes } = this.#options;
    if (shoes !== null && state.shoe.no >= shoes && this.#isShoeOver(state))
      return { kind: 'done' };
    this.#still = state.seq === this.#lastSeq ? this.#still + 1 : 0;
    this.#lastSeq = state.seq;
    if (this.#still > STUCK_MOVES) return { kind: 'stuck', why: whyStuck(state) };
    if (!isOpen(state, this.#queue[0]?.finding ?? null)) this.#queue = [];
    const queued = this.#queue.shift();
    if (queued !== undefined) return this.#turn(queued, null);
    const mistake = this.#mistake(state);
    if (mistake !== null) {
      const first = this.#make(mistake, state);
      if (first !== null) return this.#turn({ move: first, finding: null }, mistake.story);
    }
    const cure = this.#cure(state, left);
    if (cure !== null) return this.#turn(cure, null);
    const move = this.#play(state);
    if (move === null) return { kind: 'stuck', why: whyStuck(state) };
    return this.#turn({ move, finding: null }, null);
  }

  #turn({ move, finding }: Queued, story: string | null): Turn {
    const tookMs = this.#random.about(move.tookMs);
    return { kind: 'move', move: { ...move, tookMs }, story, finding };
  }

  /** The shoe was dealt to its end and the cards are being made ready again. */
  #isShoeOver({ phase, shoe }: TableState): boolean {
    return !shoe.isLoaded && shoe.no > 0 && phase === 'shuffle-due' && this.#queue.length === 0;
  }

  #watchShoe({ shoe, round }: TableState): void {
    if (shoe.no !== this.#shoe) {
      this.#shoe = shoe.no;
      this.#coverOut = false;
      this.#round = -1;
      const { marker } = this.#options.rules.procedure;
      this.#behind = (marker?.minBehind ?? DEFAULT_BEHIND) + this.#random.whole(1, COVER_SPREAD);
      if (this.#tried.size > 100) this.#tried = new Map();
    }
    if (shoe.isLoaded && round.no !== this.#round) {
      this.#round = round.no;
      this.#forgets = null;
      const { min, max } = this.#options.rules.procedure.round.cards;
      this.#roundCards = this.#random.whole(min ?? FREE_ROUND.min, max ?? FREE_ROUND.max);
    }
  }

  #mistake(state: TableState): Mistake | null {
    const { rules, human, mistakes } = this.#options;
    if (state.findings.some(({ severity }) => severity === 'stop' || severity === 'hold')) {
      return null;
    }
    if (state.phase === 'opening' || this.#due.length === 0) this.#renew(state);
    const asked = this.#due.find((mistake) => mistake.can(state, rules));
    if (asked !== undefined) {
      this.#due = this.#due.filter((mistake) => mistake !== asked);
      return asked;
    }
    if (!human || mistakes.length > 0 || !this.#random.chance(MISTAKE_CHANCE)) return null;
    const possible = MISTAKES.filter(
      (mistake) => mistake.rare !== true && mistake.fits(rules) && mistake.can(state, rules),
    );
    return this.#random.pick(possible) ?? null;
  }

  /** What was asked for is due again with each new stack. */
  #renew({ phase, shoe }: TableState): void {
    if (phase !== 'opening' && !(phase === 'shuffle-due' && shoe.no !== this.#renewedAt)) return;
    this.#renewedAt = shoe.no;
    this.#due = [...this.#options.mistakes];
  }

  #make(mistake: Mistake, state: TableState): Move | null {
    if (mistake.leaves !== undefined) {
      this.#forgets = mistake.leaves;
      if (mistake.leaves === 'counts-called') {
        this.#roundCards = this.#options.rules.procedure.round.cards.max ?? FREE_ROUND.max;
      }
    }
    if (mistake.coverBehind !== undefined) this.#nextBehind = mistake.coverBehind;
    const [first, ...rest] = mistake.moves?.(state, this.#options.rules) ?? [];
    this.#queue.push(...rest.map((move) => ({ move, finding: null })));
    return first ?? null;
  }

  #cure(state: TableState, left: ReadonlySet<string>): Queued | null {
    const attended = attend(state, this.#options.rules, this.#tried, left);
    if (attended === null) return null;
    const { finding, moves } = attended;
    this.#tried.set(finding.id, (this.#tried.get(finding.id) ?? 0) + 1);
    const [first, ...rest] = moves.map((move, i) => ({
      move,
      finding: i < UNTIL_CLOSED ? finding.id : null,
    }));
    this.#queue.push(...rest);
    return first ?? null;
  }

  #play(state: TableState): Move | null {
    const { rules } = this.#options;
    if (state.phase === 'round') return this.#deal(state);
    if (state.phase === 'ready') return this.#betweenRounds(state);
    if (state.phase === 'load-due' && this.#nextBehind !== null) {
      const move = nextMove(state, rules, { firstCard: this.#firstCard() });
      this.#loadWith = this.#nextBehind;
      this.#nextBehind = null;
      return move;
    }
    if (this.#loadWith !== null && state.shoe.isLoaded) {
      this.#behind = this.#loadWith;
      this.#loadWith = null;
    }
    return nextMove(state, rules, { firstCard: this.#firstCard() });
  }

  /** One first card for the whole burn, whatever is asked twice. */
  #firstCard(): Rank {
    const index = (this.#options.seed + Math.max(0, this.#shoe) * 5) % FIRST_CARDS.length;
    return FIRST_CARDS[index] ?? '5';
  }

  #betweenRounds(state: TableState): Move | null {
    const { rules } = this.#options;
    const own = nextMove(state, rules, { firstCard: this.#firstCard() });
    if (own !== null) return own;
    if (
      state.round.no > 0 &&
      state.round.no % SHIFT_ROUNDS === 0 &&
      this.#changed !== this.#key(state)
    ) {
      this.#changed = this.#key(state);
      this.#dealer = (this.#dealer % 3) + 1;
      return press({ key: 'dealer-in', dealer: `D-${this.#dealer}` }, 3000);
    }
    const counting = rules.procedure.stub !== null && rules.table.dealing === 'hand';
    const hands = counting ? { hands: this.#random.whole(1, Math.max(1, rules.table.seats)) } : {};
    return press({ key: 'no-more-bets', ...hands }, BETS_MS);
  }

  #key({ shoe, round }: TableState): string {
    return `${shoe.no}/${round.no}`;
  }

  #deal(state: TableState): Move | null {
    const { rules } = this.#options;
    const { round, shoe } = state;
    if (rules.table.dealing === 'hand') return this.#handRound(state);
    const left = shoe.loaded - shoe.out;
    if (left <= 0) return floor({ key: 'reshuffle' });
    if (!this.#coverOut && left <= this.#behind && rules.procedure.cover !== null) {
      this.#coverOut = true;
      return cover();
    }
    const { countsCalled } = rules.procedure.round;
    const calls = countsCalled !== null && round.cards === countsCalled.after;
    if (calls && !round.countsCalled && this.#forgets !== 'counts-called') {
      return press({ key: 'counts-called' }, 1500);
    }
    if (round.cards < this.#roundCards) return card(CARD_MS);
    return press({ key: 'round-end' }, SETTLE_MS);
  }

  /** Dealt from the hand: nothing is sensed but the keys. */
  #handRound(state: TableState): Move {
    const { procedure, table } = this.#options.rules;
    const { stub } = procedure;
    const { round, counting } = state;
    const owed =
      stub?.appliesTo.includes(table.dealing) === true &&
      !exempt(state, procedure, 'stub') &&
      counting.stub === null &&
      counting.roundsSince >= stub.everyRounds;
    if (owed && round.hands !== null && this.#forgets !== 'stub-count') {
      const n = expectedStub(stub, expectedCount(procedure, table), round.hands);
      return press({ key: 'stub-count', n }, 15_000);
    }
    return press({ key: 'round-end' }, HAND_ROUND_MS);
  }
}
