import { isDeepStrictEqual } from 'node:util';
import type { Rules } from '../../../controller/core/decide.js';
import type { Decision } from '../../../controller/core/decision.js';
import { evolve } from '../../../controller/core/evolve.js';
import { nextStep } from '../../../controller/core/next-step.js';
import type { Observation } from '../../../controller/core/observation.js';
import type { TableState } from '../../../controller/core/state.js';

/** One step as it was decided: the state before, what was seen, what followed. */
export interface Taken {
  readonly before: TableState;
  readonly seen: Observation;
  readonly decisions: readonly Decision[];
  readonly after: TableState;
  readonly rules: Rules;
}

/** A step that broke something that must always hold. */
export class Broken extends Error {
  constructor(what: string, { seen, before, after }: Taken) {
    const press = seen.kind === 'press' ? ` ${seen.key} by ${seen.role}` : '';
    super(`${what} (step ${seen.seq}, ${seen.kind}${press}, ${before.phase} to ${after.phase})`);
    this.name = 'Broken';
  }
}

type Check = (taken: Taken) => string | null;

const hasStop = ({ findings }: TableState): boolean =>
  findings.some(({ severity }) => severity === 'stop');

/** Recorded decisions, written down and read again, fold to the very state that was decided. */
const foldsToTheSame: Check = ({ before, seen, decisions, after }) => {
  const read: unknown = JSON.parse(JSON.stringify(decisions));
  if (!isDeepStrictEqual(read, decisions)) return 'decisions do not survive being written down';
  const folded = evolve(before, seen, decisions);
  return isDeepStrictEqual(folded, after) ? null : 'folding the decisions gives another state';
};

/** The law of the gate, written down apart from the rules. */
const gateMustLock = (state: TableState): boolean => {
  if (hasStop(state)) return true;
  if (state.phase === 'ready' || state.phase === 'round') return false;
  if (state.phase !== 'burn') return true;
  // Before the rank is known, the first card and an ace's one are sure to be owed.
  return state.burn.done >= (state.burn.required ?? 2);
};

const gate: Check = ({ after, rules }) => {
  const locked = rules.table.enforcement === 'lock' && gateMustLock(after);
  return after.outputs.gateLocked === locked ? null : `the gate is ${locked ? 'open' : 'locked'}`;
};

const findingsOpen: Check = ({ after }) => {
  const ids = new Set(after.findings.map(({ id }) => id));
  if (ids.size !== after.findings.length) return 'two findings share a number';
  const told = after.findings.find(({ severity }) => severity === 'info');
  if (told !== undefined) return `${told.code} is information and stands open`;
  const mute = after.findings.find(
    ({ clause, remedy, expected, observed }) =>
      clause === '' || remedy === '' || expected === '' || observed === '',
  );
  return mute === undefined ? null : `${mute.code} does not say what is wrong`;
};

/** Cards the shoe must show after this step, where no stack came or went. */
const outAfter = ({ before, seen, decisions }: Taken): number => {
  const { out } = before.shoe;
  switch (seen.kind) {
    case 'card.out':
      return out + 1;
    case 'card.double':
      return out + 2;
    case 'card.back':
      return Math.max(0, out - 1);
    case 'press': {
      const refused = decisions.some((decision) => decision.do === 'refused');
      return seen.key === 'accept-gap' && !refused ? out + seen.cards : out;
    }
    default:
      return out;
  }
};

const noCardIsLost: Check = (taken) => {
  const { before, after } = taken;
  if (!before.shoe.isLoaded || !after.shoe.isLoaded || before.shoe.no !== after.shoe.no) {
    const took = taken.seen.kind === 'card.out' ? 1 : taken.seen.kind === 'card.double' ? 2 : 0;
    const now = after.shoe.isLoaded && after.shoe.no !== before.shoe.no;
    return now && after.shoe.out !== took ? 'a new shoe begins with a wrong count' : null;
  }
  const due = outAfter(taken);
  return after.shoe.out === due ? null : `${after.shoe.out} cards out, ${due} left the shoe`;
};

const episode: Check = ({ before, after }) => {
  const { cardsAfterWarning: was } = before.tally;
  const { cardsAfterWarning: is } = after.tally;
  if (is >= was) return null;
  return hasStop(before) ? 'cards after the warning went down within one episode' : null;
};

const CLEARED_BY_THE_TABLE = ['explained by batch.migrated', 'back', 'synchronised'];

/** A stop ends with the floor, or with the condition that caused it. */
const stopsWait: Check = ({ before, after, decisions }) => {
  const known = [...before.findings, ...after.findings];
  for (const decision of decisions) {
    if (decision.do !== 'cleared') continue;
    const stop = known.find(({ id, severity }) => id === decision.id && severity === 'stop');
    if (stop === undefined) continue;
    const { role } = decision.by;
    const free = role === 'system' && CLEARED_BY_THE_TABLE.includes(decision.how);
    if (role !== 'floor' && !free) return `${stop.code} was cleared by ${role}: ${decision.how}`;
  }
  return null;
};

const SETTLED = ['met', 'waived', 'not-met'];

/** A round opens only on a stack that has everything the game asks of it. */
const roundsBeginReady: Check = ({ before, after, rules }) => {
  if (after.phase !== 'round' || before.phase === 'round' || before.phase === 'stub-due')
    return null;
  if (!after.shoe.isLoaded) return 'a round without a loaded stack';
  if (after.burn.dealerOwed > 0) return 'a round before the new dealer burned';
  if (hasStop(before)) return 'a round began with a stop open';
  const asked = ['shuffle', 'cut', 'marker', 'burn'];
  const open = after.duties.find(
    ({ duty, status }) => asked.includes(duty) && !SETTLED.includes(status),
  );
  if (open !== undefined && rules.procedure.exemption === null)
    return `a round with ${open.duty} due`;
  const unmet = after.duties.find(({ duty, status }) => duty === 'shuffle' && status === 'not-met');
  return unmet === undefined ? null : 'a round on unshuffled cards';
};

/** Where a rank may stand in a decision: the exposed first card, and cards that lie face up. */
const mayCarryRank = (decision: Decision, { rules }: Taken): boolean => {
  if (decision.do !== 'noted') return false;
  if (decision.part === 'burn') return rules.procedure.burn?.kind === 'first-card-value';
  return decision.part === 'round' && rules.procedure.round.faceUp;
};

const RANK = /"(rank|suit)":"|\b(10|[2-9TJQKA])[cdhs]\b/;

const noSecretRank: Check = (taken) => {
  for (const decision of taken.decisions) {
    if (mayCarryRank(decision, taken)) continue;
    const text = JSON.stringify(decision);
    // Batches, badges and clauses are no cards: only faces and named ranks are looked for.
    if (RANK.test(text)) return `a rank is in a decision: ${text}`;
  }
  return null;
};

const outKnown: Check = ({ after }) => {
  if (!after.shoe.isLoaded && !after.shoe.outKnown) return 'unknown cards in no shoe';
  return after.shoe.out < 0 || after.burn.done < 0 ? 'a count below nothing' : null;
};

const display: Check = ({ after, rules }) => {
  const shown = after.outputs.display;
  if (shown === null) return 'nothing on the display';
  if (!isDeepStrictEqual(shown, nextStep(after, rules))) return 'the display is behind';
  return shown.line1 === '' || shown.step === '' ? 'an empty line on the display' : null;
};

const CHECKS: readonly Check[] = [
  foldsToTheSame,
  gate,
  findingsOpen,
  noCardIsLost,
  episode,
  stopsWait,
  roundsBeginReady,
  noSecretRank,
  outKnown,
  display,
];

/** @throws Broken where a step broke what must hold of every step of every table. */
export const checkStep = (taken: Taken): void => {
  for (const check of CHECKS) {
    const wrong = check(taken);
    if (wrong !== null) throw new Broken(wrong, taken);
  }
};
