import type { Rank } from '../../core/cards.js';
import { exempt } from '../../core/exemption.js';
import type { Press, PressAct } from '../../core/press.js';
import type { Phase, TableState } from '../../core/state.js';
import { type DealerHabits, nextMove, usesMachine, whyStuck } from './dealer.js';
import type { Rig } from './rig.js';
import type { Act, CardOut, HandAct, RoundAct } from './schema.js';

/** From one entry to the next where the file does not say. */
const GAP_MS = 1_000;
/** From the end of the bets to the first card, and from the last card to the settlement. */
const BETS_MS = 1_500;
const SETTLE_MS = 6_000;
const CALL_MS = 1_500;
/** More steps than any stack takes on its way to the shoe: something goes round in circles. */
const MAX_MOVES = 500;
const FIRST_CARD: Rank = '5';

/** The practised dealer could not do what the entry asks for. */
export class PlayStuck extends Error {
  readonly expected: string;
  readonly seen: string;

  constructor(expected: string, seen: string) {
    super(`${expected}: ${seen}`);
    this.name = 'PlayStuck';
    this.expected = expected;
    this.seen = seen;
  }
}

const stopOpen = (state: TableState): boolean =>
  state.findings.some(({ severity }) => severity === 'stop');

/** Whether the stack has got as far as an `until` asks. */
const reached = (state: TableState, until: Phase): boolean =>
  state.phase === until ||
  (until === 'cut-made' && state.prep.cutDone && !state.shoe.isLoaded && !isRest(state.phase));

/** Phases a correct preparation ends in: what was not passed on the way will not come. */
const isRest = (phase: Phase): boolean =>
  phase === 'ready' || phase === 'round' || phase === 'stub-due';

/**
 * Plays a scenario's entries on a rig: single acts as they are written, the macros as a practised
 * dealer does them (docs/SCENARIOS.md, "Macros").
 */
export class Player {
  readonly #rig: Rig;
  #firstCard: Rank = FIRST_CARD;
  /** Gap before the next entry, ms; null: the usual one. */
  #gapMs: number | null = 0;
  /**
   * Hand dealing: `at-work` since the cards went back into the machine and it has not finished yet,
   * `new-deck` since a deck came to the table and nobody has said yet what was done with it.
   */
  #machine: 'still' | 'at-work' | 'new-deck' = 'still';

  constructor(rig: Rig) {
    this.#rig = rig;
  }

  /** Everything but `expect`. Throws `PlayStuck`, `CannotAct`. */
  async play(act: Exclude<Act, { do: 'expect' }>): Promise<void> {
    switch (act.do) {
      case 'wait':
        await this.#rig.advance(act.ms);
        return;
      case 'after':
        this.#gapMs = act.ms;
        return;
      case 'open':
        await this.#gap();
        this.#firstCard = act.firstCard;
        await this.prepare(act.until);
        return;
      case 'round':
        await this.#gap();
        await this.#rounds(act);
        return;
      default:
        await this.#gap();
        await this.#single(act);
    }
  }

  async #gap(): Promise<void> {
    await this.#rig.advance(this.#gapMs ?? GAP_MS);
    this.#gapMs = null;
  }

  get habits(): DealerHabits {
    return { firstCard: this.#firstCard };
  }

  /** A word of the author's own about the machine ends what would have been done for them. */
  async #single(act: HandAct): Promise<void> {
    if (act.do === 'press') {
      if (act.press.key === 'no-more-bets') {
        if (this.#machine === 'at-work') await this.#finishMachine();
      } else if (CANCELS.includes(act.press.key)) this.#machine = 'still';
    } else if (act.do === 'shuffler' || act.do === 'serial') this.#machine = 'still';
    else if (act.do === 'power' || act.do === 'link') this.#machine = 'still';
    await this.#do(act);
  }

  /** Does one act and notices when a hand-dealt round puts the cards back into the machine. */
  async #do(act: HandAct): Promise<void> {
    const { rules } = this.#rig;
    const before = this.#rig.state().phase;
    await this.#rig.act(act);
    const after = this.#rig.state();
    if (act.do !== 'press' || after.phase !== 'shuffle-due') return;
    if (rules.table.dealing !== 'hand' || !usesMachine(after, rules)) return;
    if (act.press.key === 'deck-in') this.#machine = 'new-deck';
    else if (SETTLES.includes(act.press.key) && before !== 'shuffle-due') {
      this.#machine = 'at-work';
    }
  }

  async #press(act: PressAct): Promise<void> {
    const press: Press = { kind: 'press', role: 'dealer', ...act };
    await this.#do({ do: 'press', press });
  }

  /** What the machine was doing since the last hand-dealt round is done now. */
  async #finishMachine(): Promise<void> {
    this.#machine = 'still';
    if (this.#rig.state().phase === 'shuffle-due') await this.#moveOn('ready');
  }

  /**
   * Does everything right until the table is in phase `until`, and nothing beyond. Throws
   * `PlayStuck` when a correct dealer cannot get there.
   */
  async prepare(until: Phase): Promise<void> {
    const stuck = await this.#moveOn(until);
    if (stuck === null) return;
    throw new PlayStuck(`the table in phase ${until}`, stuck);
  }

  /** Null when the phase was reached; else why not. */
  async #moveOn(until: Phase): Promise<string | null> {
    const { rules } = this.#rig;
    for (let moves = 0; moves < MAX_MOVES; moves += 1) {
      const state = this.#rig.state();
      const move = nextMove(state, rules, this.habits);
      const owes = until === 'ready' && state.phase === 'ready' && move !== null;
      if (reached(state, until) && !owes) return null;
      if (state.phase === 'ready' && until === 'round' && move === null) {
        await this.#press({ key: 'no-more-bets' });
        return this.#rig.state().phase === 'round' ? null : whyStuck(this.#rig.state());
      }
      if (state.phase === 'ready' && until !== 'ready' && until !== 'round') {
        return `with this procedure and table no stack rests in ${until} on its way to the shoe`;
      }
      if (move === null) return whyStuck(state);
      await this.#rig.advance(move.tookMs);
      const { prep, burn, shoe, cover } = this.#rig.state();
      await this.#do(move.act);
      const after = this.#rig.state();
      const same = after.prep === prep && after.burn === burn && after.shoe === shoe;
      // What is refused once is refused again: nothing is tried without end.
      if (same && after.cover === cover && after.phase === state.phase) return whyStuck(after);
    }
    return `after ${MAX_MOVES} steps the table is still in ${this.#rig.state().phase}`;
  }

  async #rounds(act: RoundAct): Promise<void> {
    for (let i = 1; i <= act.times; i += 1) {
      const isFirst = i === 1;
      await this.#beforeRound(isFirst);
      if (!isFirst) await this.#rig.advance(GAP_MS);
      await this.round(act.cards, act.hands, i < act.times);
    }
  }

  /**
   * A game shuffled before each round is made ready as a matter of course; between repetitions so
   * is everything else a shoe demands. Where only the floor can go on, the dealer deals on.
   */
  async #beforeRound(isFirst: boolean): Promise<void> {
    const { rules } = this.#rig;
    if (this.#machine !== 'still') {
      await this.#finishMachine();
      return;
    }
    const state = this.#rig.state();
    if (stopOpen(state)) return;
    const eachRound = rules.procedure.shuffle.when === 'each-round';
    const byMachine = rules.table.dealing === 'hand' && usesMachine(state, rules);
    if (isFirst && !(eachRound && state.phase === 'shuffle-due' && !byMachine)) return;
    await this.#moveOn('ready');
  }

  /** One round as written: bets, cards, counts where the rule calls them, settlement. */
  async round(
    cards: readonly CardOut[] | null,
    hands: number | null,
    isFollowed: boolean,
  ): Promise<void> {
    const { countsCalled } = this.#rig.rules.procedure.round;
    await this.#press({ key: 'no-more-bets', ...(hands === null ? {} : { hands }) });
    if (cards !== null) {
      await this.#rig.advance(BETS_MS);
      const initial = countsCalled === null ? cards.length : countsCalled.after;
      await this.#do({ do: 'cards', cards: cards.slice(0, initial) });
      if (countsCalled !== null && cards.length >= initial) {
        await this.#callCounts();
        if (cards.length > initial) await this.#do({ do: 'cards', cards: cards.slice(initial) });
      }
    }
    await this.#rig.advance(SETTLE_MS);
    if (this.#stubDue(isFollowed)) await this.#countStub();
    await this.#press({ key: 'round-end' });
  }

  async #callCounts(): Promise<void> {
    await this.#rig.advance(CALL_MS);
    if (this.#rig.state().phase === 'round') await this.#press({ key: 'counts-called' });
    await this.#rig.advance(CALL_MS);
  }

  /** A game that counts its stub in each round does so in every `round`; others between them. */
  #stubDue(isFollowed: boolean): boolean {
    const state = this.#rig.state();
    const { procedure, table } = this.#rig.rules;
    const { stub } = procedure;
    if (stub === null || !stub.appliesTo.includes(table.dealing)) return false;
    if (!isFollowed && stub.everyRounds > 1) return false;
    if (state.phase !== 'round' || exempt(state, procedure, 'stub')) return false;
    return state.counting.stub === null && state.counting.roundsSince >= stub.everyRounds;
  }

  async #countStub(): Promise<void> {
    const { rules } = this.#rig;
    const move = nextMove({ ...this.#rig.state(), phase: 'stub-due' }, rules, this.habits);
    if (move === null) return;
    await this.#rig.advance(move.tookMs);
    await this.#do(move.act);
  }
}

/** Presses that end a round, or what was left open of it, and send the cards to the machine. */
const SETTLES: readonly Press['key'][] = ['round-end', 'void-round', 'misdeal'];

/** Presses with which the author takes the next shuffle into his own hands. */
const CANCELS: readonly Press['key'][] = ['washed', 'shuffled', 'preshuffled', 'reshuffle'];
