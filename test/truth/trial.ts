import type { FindingCode } from '../../controller/core/finding.js';
import { Random } from '../../firmware-bridge/virtual/random.js';
import { Box } from './box.js';
import type { Deed, Step } from './deeds.js';
import type { Fault } from './fault.js';
import type { TruthParams } from './params.js';
import { correctPlay, Playing } from './play.js';
import type { TruthTable } from './tables.js';

/** Cards, steps and simulated time after the departure until it counts as missed. */
const AFTER_CARDS = 8;
const AFTER_STEPS = 60;
/** A machine whose word did not arrive is asked to say it again so often. */
const SAID_MAX = 5;
/** Shoes of a trial; the fault lies in one of the first. */
const SHORT_SHOES = 6;
/** One trial in so many is played with whole shoes. */
const WHOLE_EVERY = 200;
const MS = 1e6;

export interface TrialSpec {
  /** null: correct play only. */
  readonly fault: Fault | null;
  readonly table: TruthTable;
  readonly noise: number;
  readonly seed: number;
  readonly params: TruthParams;
  /** Correct play ends after so many cards. */
  readonly cards?: number;
}

/** What came of one trial. `never`: the fault found no place to be made. */
export type Outcome = 'found' | 'missed' | 'wrong' | 'false-alarm' | 'miscount' | 'clean' | 'never';

export interface TrialResult {
  readonly outcome: Outcome;
  /** Cards out after the departure until it was found. */
  readonly cardsToFind: number | null;
  readonly code: FindingCode | null;
  readonly observed: string;
  /** Cards that physically left the shoe. */
  readonly cards: number;
  /** Cards played correctly, over which any finding is a false alarm. */
  readonly cleanCards: number;
}

/** One table, one seed: plays until the verdict. */
export class Trial {
  readonly #spec: TrialSpec;
  readonly #box: Box;
  readonly #playing: Playing;
  readonly #random: Random;
  #cards = 0;
  #shoeCards = 0;
  /** Set when the departure has begun. */
  #brokeAt: number | null = null;
  #seen = 0;
  #stepsAfter = 0;
  #verdict: TrialResult | null = null;

  constructor(spec: TrialSpec) {
    this.#spec = spec;
    const { table, noise, seed, params } = spec;
    const { rules } = table;
    this.#random = new Random(seed * 2 + 1);
    this.#box = new Box({ rules, seed, noise, model: params.model });
    const whole = spec.fault === null || seed % WHOLE_EVERY === 0;
    const isSensed = table.rules.table.dealing !== 'hand';
    const shoes = spec.fault === null && isSensed ? Infinity : SHORT_SHOES;
    this.#playing = new Playing(rules, this.#random, shoes, !whole);
  }

  async run(): Promise<TrialResult> {
    await this.#box.start();
    const { fault, cards } = this.#spec;
    const placing = fault === null ? null : fault.place(this.#playing, this.#random);
    for (const step of correctPlay(this.#playing)) {
      const steps = placing === null ? [step] : placing(step);
      for (const each of steps) {
        await this.#perform(each);
        if (this.#verdict !== null) return this.#verdict;
      }
      if (cards !== undefined && this.#cards >= cards) return this.#end('clean', null);
    }
    return this.#end(
      this.#brokeAt === null ? (fault === null ? 'clean' : 'never') : 'missed',
      null,
    );
  }

  async #perform(step: Step): Promise<void> {
    const { people } = this.#spec.params;
    const isCard = step.deed.do === 'card';
    const own = isCard ? people.dealMs : people.pressMs;
    let afterMs = step.afterMs ?? this.#random.between(...own);
    // The house times the cut: late keys there would be a departure of their own (cut-slow).
    const isTimed = step.label === 'offer' || step.label === 'cut';
    if (!isCard && !isTimed && this.#random.chance(people.lateChance)) {
      afterMs += this.#random.between(...people.lateMs);
    }
    this.#box.run(this.#box.clock.nowNs() + afterMs * MS);
    this.#judge();
    if (this.#isOver()) return;
    const isFirst = step.breaks === true && this.#brokeAt === null;
    if (isFirst) this.#brokeAt = this.#cards;
    await this.#do(step.deed);
    // The card that is the departure itself does not count.
    if (isFirst) this.#brokeAt = this.#cards;
    this.#judge();
    if (!this.#isOver()) this.#checkCount(step);
    if (!this.#isOver() && this.#brokeAt !== null) this.#countDown();
  }

  #isOver(): boolean {
    return this.#verdict !== null;
  }

  async #do(deed: Deed): Promise<void> {
    if (deed.do === 'machine') this.#say(deed);
    else if (deed.do === 'power-cut') {
      const unread = Array.from({ length: deed.cards }, () => '?');
      this.#out(deed.cards);
      await this.#box.powerCut(deed.offMs, () =>
        this.#box.hands.cards(unread, this.#playing.batch),
      );
    } else this.#box.run(this.#act(deed));
  }

  /** Returns when everything that follows from it at once has been told, ns. */
  #act(deed: Exclude<Deed, { do: 'machine' | 'power-cut' }>): number {
    const { hands } = this.#box;
    const p = this.#playing;
    switch (deed.do) {
      case 'press': {
        const { act, role, badge } = deed;
        const by = badge === undefined ? {} : { badge };
        if (act.key === 'loaded') this.#shoeCards = 0;
        return hands.press({ kind: 'press', role, ...by, ...act });
      }
      case 'card':
        this.#out(1);
        return hands.cards([deed.face ?? '?'], deed.back ?? p.batch);
      case 'cover':
        return hands.cover();
      case 'back':
        this.#out(-1);
        return hands.back();
      case 'double':
        this.#out(2);
        return hands.double(p.batch, deed.shiftMm, deed.stops ?? false);
      case 'block':
        return hands.block(deed.ms);
      case 'lid':
        return hands.lid(deed.open);
      case 'link':
        return hands.link(deed.device, deed.up);
      case 'stick':
        return hands.stick(deed.beam, deed.covered);
      case 'mute':
        return hands.mute(deed.device);
      case 'lose-edges':
        return hands.loseEdges(deed.beam, deed.count);
      case 'wait':
        return this.#box.clock.nowNs() + deed.ms * MS;
    }
  }

  /** Whoever runs the machine sees that the table did not take its word, and has it repeated. */
  #say({ said }: Extract<Deed, { do: 'machine' }>): void {
    const before = this.#box.view().seq;
    for (let n = 0; n < SAID_MAX && this.#box.view().seq === before; n += 1) {
      this.#box.run(this.#box.hands.shuffler(said));
    }
  }

  #out(n: number): void {
    this.#cards += Math.max(n, 0);
    this.#playing.out += n;
    this.#shoeCards += n;
  }

  /** Any finding before the departure is a false alarm; after it, it must be the right one. */
  #judge(): void {
    const { fault } = this.#spec;
    const { raised } = this.#box;
    for (; this.#seen < raised.length && this.#verdict === null; this.#seen += 1) {
      const finding = raised[this.#seen];
      if (finding === undefined) return;
      const { code, observed } = finding;
      if (fault?.also.includes(code) === true) continue;
      if (this.#brokeAt === null) this.#verdict = this.#end('false-alarm', code, observed);
      else if (fault?.expects.includes(code) === true) {
        this.#verdict = this.#end('found', code, observed);
      } else this.#verdict = this.#end('wrong', code, observed);
    }
  }

  /** The box's count of cards against the hands', after each round of correct play. */
  #checkCount({ label }: Step): void {
    if (label !== 'end' || this.#brokeAt !== null || !this.#playing.inShoe) return;
    const { out, loaded } = this.#box.view();
    if (loaded === 0 || out === this.#shoeCards) return;
    this.#verdict = this.#end('miscount', null, `${out} counted, ${this.#shoeCards} out`);
  }

  #countDown(): void {
    this.#stepsAfter += 1;
    const cards = this.#cards - (this.#brokeAt ?? 0);
    if (cards >= AFTER_CARDS || this.#stepsAfter >= AFTER_STEPS) {
      this.#verdict = this.#end('missed', null);
    }
  }

  #end(outcome: Outcome, code: FindingCode | null, observed = ''): TrialResult {
    const broke = this.#brokeAt;
    return {
      outcome,
      cardsToFind: outcome === 'found' && broke !== null ? this.#cards - broke : null,
      code,
      observed,
      cards: this.#cards,
      cleanCards: broke ?? this.#cards,
    };
  }
}
