import { expect } from 'vitest';
import { redact, type Rules, step } from '../../../controller/core/decide.js';
import type { Rank, Role, Suit } from '../../../controller/core/cards.js';
import { isRank, isSuit } from '../../../controller/core/cards.js';
import type { Decision } from '../../../controller/core/decision.js';
import type { Finding, FindingCode } from '../../../controller/core/finding.js';
import type {
  Batch,
  Happening,
  Lamp,
  Observation,
  ShufflerMode,
} from '../../../controller/core/observation.js';
import { parsePress } from '../../../controller/core/press-parse.js';
import {
  DEFAULT_POLICY,
  expectedCount,
  type Policy,
  type Procedure,
  type Table,
} from '../../../controller/core/procedure.js';
import { initialState, type Phase, type TableState } from '../../../controller/core/state.js';
import { viewOf } from '../../../controller/core/view.js';
import { loadProcedure } from '../../../controller/runtime/procedure-files.js';
import { checkStep } from './invariants.js';

const S = 1e9;
/** Time between two steps where a test says nothing. */
const STEP_NS = 1 * S;
const WALL_MS = 1_800_000_000_000;
/** Steps to the phase asked for: more than any correct way takes. */
const MAX_MOVES = 60;

export type Setting = Partial<Omit<Table, 'policy'>> & {
  readonly policy?: Partial<Policy>;
  readonly choose?: Readonly<Record<string, string | number>>;
};

const packs = new Map<string, Procedure>();

const packOf = (id: string, choose: Setting['choose']): Procedure => {
  const key = `${id} ${JSON.stringify(choose ?? {})}`;
  const known = packs.get(key);
  if (known !== undefined) return known;
  const procedure = loadProcedure(id, choose === undefined ? {} : { choose });
  packs.set(key, procedure);
  return procedure;
};

/** A table of the game's usual size; whatever a test names overrides it. */
export const rulesOf = (id: string, { policy, choose, ...set }: Setting = {}): Rules => {
  const procedure = packOf(id, choose);
  return {
    procedure,
    table: {
      decks: procedure.deck.decksMax,
      crew: 1,
      seats: 7,
      dealing: procedure.dealing[0] ?? 'shoe',
      shuffler: 'counting',
      reader: 'none',
      batches: ['red'],
      enforcement: 'lock',
      policy: { ...DEFAULT_POLICY, ...policy },
      ...set,
    },
  };
};

export interface Who {
  readonly role?: Role;
  readonly badge?: string;
  readonly seat?: number;
}

export interface Done {
  readonly batch?: Batch;
  readonly mode?: ShufflerMode;
  readonly lamp?: Lamp;
}

/** `7h`, `?` (not read) or nothing at all. */
const faceOf = (card: string): { readonly rank?: Rank; readonly suit?: Suit } => {
  const [rank, suit] = [card.slice(0, -1), card.slice(-1)];
  return isRank(rank) && isSuit(suit) ? { rank, suit } : {};
};

/** A table that judges itself after every step; each method is one observation (or a few). */
export class CoreTable {
  readonly rules: Rules;
  state: TableState;
  /** What followed from the last step. */
  last: readonly Decision[] = [];
  readonly seen: Observation[] = [];
  #gapNs = STEP_NS;
  #waited = false;

  constructor(rules: Rules) {
    this.rules = rules;
    this.state = initialState(rules.table);
  }

  /** Happens now: redacted as the box does, decided, folded and checked. */
  see(happening: Happening): this {
    const before = this.state;
    const stamp = {
      seq: before.seq + 1,
      atNs: before.atNs + this.#gapNs,
      wallMs: WALL_MS + Math.round((before.atNs + this.#gapNs) / 1e6),
      wallTrusted: true,
    };
    this.#gapNs = STEP_NS;
    this.#waited = false;
    const seen: Observation = { ...stamp, ...redact(before, happening, this.rules) };
    const { decisions, state } = step(before, seen, this.rules);
    checkStep({ before, seen, decisions, after: state, rules: this.rules });
    this.state = state;
    this.last = decisions;
    this.seen.push(seen);
    return this;
  }

  press(key: string, value?: unknown, who: Who = {}): this {
    const parsed = parsePress({ key, value, ...who });
    if (!parsed.ok) throw new Error(parsed.why);
    return this.see(parsed.value);
  }

  floor(key: string, value?: unknown, badge = 'F-1'): this {
    return this.press(key, value, { role: 'floor', badge });
  }

  card(card = '?', back?: Batch): this {
    return this.see({
      kind: 'card.out',
      ...faceOf(card),
      ...(back === undefined ? {} : { back }),
      lengthMm: 88,
      speedMmS: 600,
    });
  }

  /** So many unread cards, or these. */
  cards(which: number | readonly string[]): this {
    const list = typeof which === 'number' ? Array.from({ length: which }, () => '?') : which;
    for (const card of list) this.card(card);
    return this;
  }

  cover(): this {
    return this.see({ kind: 'cover.out' });
  }

  back(): this {
    return this.see({ kind: 'card.back' });
  }

  double(): this {
    return this.see({ kind: 'card.double', lengthMm: 104 });
  }

  start(batch?: Batch): this {
    return this.see({ kind: 'shuffler.start', ...(batch === undefined ? {} : { batch }) });
  }

  done(count: number | null = this.full, rest: Done = {}): this {
    return this.see({ kind: 'shuffler.done', ...(count === null ? {} : { count }), ...rest });
  }

  /** A whole correct machine shuffle. */
  machine(batch?: Batch, count: number | null = this.full): this {
    const named = batch === undefined ? {} : { batch };
    return this.start(batch).done(count, { ...named, mode: 'shuffle', lamp: 'green' });
  }

  /** Time passes; timers that fall due are told in their order. */
  wait(seconds: number): this {
    const already = this.#waited ? this.#gapNs : 0;
    const untilNs = this.state.atNs + already + seconds * S;
    for (;;) {
      const due = Object.entries(this.state.timers).sort((a, b) => a[1] - b[1])[0];
      if (due === undefined || due[1] > untilNs) break;
      this.#gapNs = Math.max(0, due[1] - this.state.atNs);
      this.see({ kind: 'timer', timer: due[0] });
    }
    this.#gapNs = Math.max(0, untilNs - this.state.atNs);
    this.#waited = true;
    return this;
  }

  /** Everything up to `until` done correctly. */
  open({ until = 'ready', firstCard = '5' }: { until?: Phase; firstCard?: string } = {}): this {
    for (let moves = 0; this.state.phase !== until; moves += 1) {
      if (moves > MAX_MOVES) throw new Error(`no way from ${this.state.phase} to ${until}`);
      this.#move(firstCard);
    }
    return this;
  }

  #move(firstCard: string): this {
    const { state, rules } = this;
    const { procedure, table } = rules;
    switch (state.phase) {
      case 'closed':
        return this.press('open-table');
      case 'opening':
        return this.press('cards-inspected');
      case 'shuffle-due':
      case 'shuffling':
        if (table.shuffler !== 'none') {
          return this.machine(state.prep.batch, table.shuffler === 'counting' ? this.full : null);
        }
        if (procedure.shuffle.wash && !state.prep.washed) return this.press('washed');
        return this.press('shuffled');
      case 'cut-due': {
        const turn = state.prep.cutTurn === 'any' ? table.seats : state.prep.cutTurn;
        return this.press('cut', turn === 'dealer' ? 'dealer' : `seat ${turn}`);
      }
      case 'marker-due':
        return this.press('marker-placed');
      case 'load-due':
        return this.press('loaded');
      case 'burn':
        if (state.burn.done === 0) return this.card();
        if (state.burn.required === null) return this.press('first-card', firstCard);
        return this.card();
      case 'reshuffle-due':
        return this.press('collected');
      default:
        throw new Error(`nothing opens a table from ${state.phase}`);
    }
  }

  /** A whole correct round of `which` cards, `times` times. */
  round(which: number | readonly string[], times = 1): this {
    const list = typeof which === 'number' ? Array.from({ length: which }, () => '?') : which;
    const after = this.rules.procedure.round.countsCalled?.after;
    for (let i = 0; i < times; i += 1) {
      this.press('no-more-bets');
      for (const [n, card] of list.entries()) {
        if (n === after) this.press('counts-called');
        this.card(card);
      }
      this.press('round-end');
    }
    return this;
  }

  /** Hand dealing: nothing is sensed. */
  hands(n: number): this {
    return this.press('no-more-bets', n).press('round-end');
  }

  get full(): number {
    return expectedCount(this.rules.procedure, this.rules.table);
  }

  get phase(): Phase {
    return this.state.phase;
  }

  get view(): ReturnType<typeof viewOf> {
    return viewOf(this.state);
  }

  /** Codes of all open findings, in the order they were raised. */
  get codes(): readonly FindingCode[] {
    return this.state.findings.map(({ code }) => code);
  }

  find(code: FindingCode): Finding | undefined {
    return this.state.findings.find((finding) => finding.code === code);
  }

  /** The finding the last step raised. */
  told(code: FindingCode): Finding | undefined {
    for (const decision of this.last) {
      if (decision.do === 'raised' && decision.finding.code === code) return decision.finding;
    }
    return undefined;
  }

  raised(code: FindingCode): number {
    return this.state.tally.raised[code] ?? 0;
  }

  /** The clause the last press was refused with; null where it was taken. */
  get refused(): string | null {
    const no = this.last.find((decision) => decision.do === 'refused');
    return no?.do === 'refused' ? no.clause : null;
  }

  get shown(): string {
    const display = this.state.outputs.display;
    return display === null ? '' : `${display.line1} | ${display.line2}`;
  }

  get announced(): readonly string[] {
    return this.last.flatMap((decision) =>
      decision.do === 'direct' && decision.directive.to === 'announce'
        ? [decision.directive.text]
        : [],
    );
  }

  duty(name: string): { readonly status: string; readonly evidence: string } | undefined {
    return this.state.duties.find(({ duty }) => duty === name);
  }
}

export const tableOf = (id: string, set: Setting = {}): CoreTable =>
  new CoreTable(rulesOf(id, set));

/** The five first packs at tables of their usual kind. */
export const baccarat = (set: Setting = {}): CoreTable =>
  tableOf('pa/631a-baccarat', { shuffler: 'none', crew: 3, seats: 14, ...set });
export const mini = (set: Setting = {}): CoreTable => tableOf('pa/627a-minibaccarat', set);
export const war = (set: Setting = {}): CoreTable =>
  tableOf('pa/651a-casino-war', { decks: 6, ...set });
export const hiLo = (set: Setting = {}): CoreTable =>
  tableOf('pa/663a-five-card-hi-lo', { seats: 6, ...set });
export const holdEm = (set: Setting = {}): CoreTable =>
  tableOf('pa/677a-heads-up-hold-em', {
    seats: 6,
    dealing: 'hand',
    shuffler: 'not-counting',
    ...set,
  });

/** Text that matches, for a finding or a display. */
export const says = (pattern: RegExp): unknown => expect.stringMatching(pattern);
