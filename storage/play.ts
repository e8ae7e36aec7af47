import type { TableStep } from '../controller/core/ports.js';

/** One round as the rows tell it. */
export interface PlayedRound {
  /** Null where the rows begin in the middle of a shoe. */
  readonly shoe: number | null;
  readonly round: number;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Wall time of its first row, ms. */
  readonly wallMs: number;
  readonly wallTrusted: boolean;
  /** Cards seen; 0 where nothing is sensed. */
  readonly cards: number;
}

/** Rounds remembered since the last proved count; more than a table plays in a week. */
const MAX_ROUNDS = 20_000;

/** Follows shoes, rounds and proved counts through the rows, without the rules. */
export class PlayFollower {
  #shoe: number | null = null;
  #round: PlayedRound | null = null;
  #sinceCount: PlayedRound[] = [];
  #countSeq = 0;

  /** `shoe`: the one in play before the first row; null where that is not known. */
  constructor(shoe: number | null = null) {
    this.#shoe = shoe;
  }

  /** Takes the next row. */
  follow({ observation, decisions }: TableStep): void {
    const { seq, wallMs, wallTrusted } = observation;
    for (const decision of decisions) {
      if (decision.do !== 'noted') continue;
      const { part, set } = decision;
      if (part === 'shoe' && 'no' in set && typeof set.no === 'number') this.#shoe = set.no;
      if (part === 'counting' && 'roundsSince' in set && set.roundsSince === 0) {
        this.#sinceCount = [];
        this.#countSeq = seq;
      }
      if (part !== 'round') continue;
      if ('no' in set && typeof set.no === 'number') {
        this.#end();
        const begun = { shoe: this.#shoe, round: set.no, fromSeq: seq, toSeq: seq };
        this.#round = set.no === 0 ? null : { ...begun, wallMs, wallTrusted, cards: 0 };
      }
      if ('cards' in set && typeof set.cards === 'number' && this.#round !== null) {
        this.#round = { ...this.#round, cards: set.cards };
      }
    }
    if (this.#round !== null) this.#round = { ...this.#round, toSeq: seq };
  }

  /** The round being played, or the last one; null before the first of a shoe. */
  get round(): PlayedRound | null {
    return this.#round;
  }

  /** The shoe in play; null where no row said. */
  get shoe(): number | null {
    return this.#shoe;
  }

  /** Row of the last count that proved the deck; 0 where none did. */
  get countSeq(): number {
    return this.#countSeq;
  }

  /** Rounds begun since then, the one being played included. */
  roundsSinceCount(): readonly PlayedRound[] {
    const rounds = this.#round === null ? this.#sinceCount : [...this.#sinceCount, this.#round];
    return rounds.filter(({ fromSeq }) => fromSeq > this.#countSeq);
  }

  #end(): void {
    if (this.#round === null) return;
    this.#sinceCount.push(this.#round);
    if (this.#sinceCount.length > MAX_ROUNDS) this.#sinceCount.shift();
  }
}
