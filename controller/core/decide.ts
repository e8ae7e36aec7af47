import { deckAged } from './batches.js';
import { cardBack, cardDouble, cardOut, mouthBlocked } from './cards-moving.js';
import { coverOut } from './cover.js';
import type { Decision } from './decision.js';
import {
  clockTrust,
  deviceStale,
  journalFault,
  lidOpen,
  linkDown,
  linkUp,
  powerBoot,
  shoeEmpty,
} from './devices.js';
import { Draft, type Rules } from './draft.js';
import { clearCodes, escalate } from './findings.js';
import { IDLE_TIMER, idleTimer, watchIdle } from './idle.js';
import { loaded } from './load.js';
import type { Observation } from './observation.js';
import { directOutputs } from './outputs.js';
import { onPress } from './presses.js';
import { rackCount } from './rack.js';
import { onShuffler } from './shuffler.js';
import { settlePrep } from './stack.js';
import type { TableState } from './state.js';

export type { Rules } from './draft.js';
export { redact } from './redact.js';

/** What follows from one observation, and the state when it has been folded. */
export interface Decided {
  readonly decisions: readonly Decision[];
  readonly state: TableState;
}

/** What follows from one observation. Pure: the same three arguments give the same decisions. */
export const decide = (
  state: TableState,
  observation: Observation,
  rules: Rules,
): readonly Decision[] => step(state, observation, rules).decisions;

/** `decide` and `evolve` in one: the state was folded on the way, so it is not folded twice. */
export const step = (state: TableState, observation: Observation, rules: Rules): Decided => {
  const draft = new Draft(state, observation, rules);
  route(draft, observation);
  settlePrep(draft);
  if (draft.state.phase !== state.phase) watchIdle(draft);
  directOutputs(draft, state);
  return { decisions: draft.decisions, state: draft.state };
};

const route = (draft: Draft, seen: Observation): void => {
  switch (seen.kind) {
    case 'card.out':
      return cardOut(draft, seen);
    case 'card.back':
      return cardBack(draft);
    case 'card.double':
      return cardDouble(draft, seen.lengthMm);
    case 'cover.out':
      return coverOut(draft);
    case 'press':
      return onPress(draft, seen);
    case 'timer':
      return onTimer(draft, seen.timer);
    case 'shuffler.start':
    case 'shuffler.done':
    case 'shuffler.lamp':
    case 'shuffler.jam':
    case 'shuffler.door':
    case 'shuffler.inventory':
    case 'shuffler.unload':
      return onShuffler(draft, seen);
    default:
      return onCondition(draft, seen);
  }
};

type Rest = Exclude<
  Observation,
  {
    kind:
      | 'card.out'
      | 'card.back'
      | 'card.double'
      | 'cover.out'
      | 'press'
      | 'timer'
      | `shuffler.${string}`;
  }
>;

const onCondition = (draft: Draft, seen: Rest): void => {
  switch (seen.kind) {
    case 'mouth.blocked':
      return mouthBlocked(draft);
    case 'mouth.clear':
      return clearCodes(draft, ['card.jam'], 'mouth clear');
    case 'shoe.loaded':
      return loaded(draft, 'sensed');
    case 'shoe.empty':
      return shoeEmpty(draft);
    case 'lid.open':
      return lidOpen(draft);
    case 'lid.closed':
      return draft.note('house', { lidOpen: false });
    case 'rack.count':
      return rackCount(draft, seen.n);
    case 'link.up':
      return linkUp(draft, seen.device, seen.identity ?? null);
    case 'link.down':
      return linkDown(draft, seen.device, seen.reason ?? 'no connection');
    case 'device.stale':
      return deviceStale(draft, seen.device);
    case 'power.boot':
      return powerBoot(draft, seen.boot, seen.unclean);
    case 'clock.step':
      return clockTrust(draft, false, `the clock was moved by ${seen.stepMs} ms`);
    case 'clock.trust':
      return clockTrust(draft, seen.trusted, 'not synchronised');
    case 'journal.fault':
      return journalFault(draft, seen.reason);
    case 'power.off':
    case 'command':
      return;
  }
};

const onTimer = (draft: Draft, timer: string): void => {
  if (timer === IDLE_TIMER) idleTimer(draft);
  else if (timer.startsWith('escalate:')) escalate(draft, timer.slice('escalate:'.length));
  else if (timer.startsWith('age:')) deckAged(draft, timer.slice('age:'.length));
};
