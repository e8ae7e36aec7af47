import type { Directive } from './directive.js';
import type { Draft } from './draft.js';
import { mustLock } from './gate.js';
import { nextStep } from './next-step.js';
import type { TableState } from './state.js';

type Tower = Extract<Directive, { to: 'tower' }>;

const GREEN: Tower = { to: 'tower', colour: 'green', light: 'steady' };
const AMBER: Tower = { to: 'tower', colour: 'amber', light: 'steady' };
const AMBER_BLINK: Tower = { to: 'tower', colour: 'amber', light: 'blink' };
const RED: Tower = { to: 'tower', colour: 'red', light: 'steady' };
const RED_BLINK: Tower = { to: 'tower', colour: 'red', light: 'blink' };

/** Red blinks for a stop, stands for a hold; amber blinks for a warning, stands off play. */
const towerOf = ({ findings, phase }: TableState): Tower => {
  let warned = false;
  let held = false;
  for (const { severity } of findings) {
    if (severity === 'stop') return RED_BLINK;
    if (severity === 'hold') held = true;
    else warned = true;
  }
  if (held) return RED;
  if (warned) return AMBER_BLINK;
  return phase === 'ready' || phase === 'round' || phase === 'burn' ? GREEN : AMBER;
};

/** The point counts wait to be called: the one moment in a round that a card brings about. */
const countsDue = ({ procedure }: Draft, { round }: TableState): boolean =>
  procedure.round.countsCalled !== null &&
  round.cards === procedure.round.countsCalled.after &&
  !round.countsCalled;

/** A card in an open round changes counts only: what is shown and lit stays as it is. */
const shownStays = (draft: Draft, before: TableState): boolean => {
  const { state } = draft;
  return (
    state.phase === before.phase &&
    state.findings === before.findings &&
    state.burn === before.burn &&
    state.cover === before.cover &&
    state.prep === before.prep &&
    state.batches === before.batches &&
    state.house.reshuffler === before.house.reshuffler &&
    state.counting === before.counting &&
    state.round.coverSeen === before.round.coverSeen &&
    countsDue(draft, state) === countsDue(draft, before) &&
    state.round.hands === before.round.hands &&
    before.outputs.display !== null
  );
};

/** Says what gate, tower, display and sound do after this step, where that has changed. */
export const directOutputs = (draft: Draft, before: TableState): void => {
  if (shownStays(draft, before)) return;
  const { outputs } = draft.state;
  const locked = draft.table.enforcement === 'lock' && mustLock(draft.state);
  if (locked !== outputs.gateLocked) draft.direct({ to: 'gate', locked });
  const tower = towerOf(draft.state);
  if (tower.colour !== outputs.tower?.colour || tower.light !== outputs.tower.light) {
    draft.direct(tower);
    if (tower.colour === 'red') {
      draft.direct({ to: 'sound', pattern: tower.light === 'blink' ? 'stop' : 'hold' });
    }
  }
  const shown = outputs.display;
  const next = nextStep(draft.state, draft.rules);
  if (
    shown === null ||
    next.line1 !== shown.line1 ||
    next.line2 !== shown.line2 ||
    next.clause !== shown.clause ||
    next.step !== shown.step
  ) {
    draft.direct(next);
  }
};
