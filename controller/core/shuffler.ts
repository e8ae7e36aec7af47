import { countedRight, countedWrong, countsDisagree, requireCount } from './count.js';
import { lapseIfNotCounting, stubDutyBack } from './exemption.js';
import type { Draft } from './draft.js';
import { raise } from './findings.js';
import type { Batch, Sensed } from './observation.js';
import { afterShuffle, startStack } from './stack.js';
import { collected } from './table-life.js';

const POLICY_MODE = 'policy:shuffle-mode';

type Done = Extract<Sensed, { kind: 'shuffler.done' }>;
type Message = Extract<Sensed, { kind: `shuffler.${string}` }>;

/** A message that names no batch is about the one that is being prepared. */
const batchOf = (draft: Draft, named: Batch | undefined): Batch => {
  const { state, table } = draft;
  if (named !== undefined && table.batches.includes(named)) return named;
  // While one of two batches is in the shoe, the machine can only hold the other.
  const other = table.batches.find((batch) => batch !== state.shoe.batch);
  return state.shoe.isLoaded && other !== undefined ? other : state.prep.batch;
};

const preparing = (draft: Draft): boolean => {
  switch (draft.state.phase) {
    case 'opening':
    case 'shuffle-due':
    case 'shuffling':
    case 'count-due':
      return true;
    default:
      return false;
  }
};

/** One message of the shuffler, through whatever protocol or lamp it came. */
export const onShuffler = (draft: Draft, message: Message): void => {
  switch (message.kind) {
    case 'shuffler.start':
      return start(draft, batchOf(draft, message.batch));
    case 'shuffler.done':
      return done(draft, message, batchOf(draft, message.batch));
    case 'shuffler.jam':
      // A jam concerns the cards in the machine.
      return requireCount(draft, batchOf(draft, undefined), 'the machine jammed');
    case 'shuffler.lamp':
      return lamp(draft, message.lamp, batchOf(draft, message.batch));
    case 'shuffler.inventory':
    case 'shuffler.unload':
      return inventory(draft, message.batch, message.count);
    case 'shuffler.door':
      return;
  }
};

/**
 * Cards that are in the machine are not in the shoe, nor cut: a shoe that was in play has been
 * collected, and a stack on its way to the shoe begins again.
 */
const takenBack = (draft: Draft, batch: Batch): void => {
  const { shoe, phase, prep } = draft.state;
  if (shoe.isLoaded && shoe.batch === batch) {
    if (phase === 'ready' || phase === 'burn' || phase === 'reshuffle-due') collected(draft);
    return;
  }
  if (batch !== prep.batch) return;
  if (phase === 'cut-due' || phase === 'marker-due' || phase === 'load-due') {
    draft.noteBatch(batch, { token: null });
    startStack(draft, batch);
  }
};

const inShoe = (draft: Draft, batch: Batch): boolean =>
  draft.state.shoe.isLoaded && draft.state.shoe.batch === batch;

/** A wrong count under a clause that removes the deck cannot be shuffled away. */
const mustLeave = (draft: Draft, batch: Batch): boolean =>
  draft.batch(batch).quarantined && draft.procedure.count.onWrong === 'remove-deck';

/** Only cards that are on the table and out of the shoe, and need not leave, can be made ready. */
const mayUse = (draft: Draft, batch: Batch): boolean =>
  draft.batch(batch).onTable && !mustLeave(draft, batch) && !inShoe(draft, batch);

/**
 * The machine has another batch than the one that was awaited and with which nothing was done yet:
 * then that one is being prepared.
 */
const takeUp = (draft: Draft, batch: Batch): void => {
  const { phase, prep } = draft.state;
  if (batch === prep.batch || (phase !== 'shuffle-due' && phase !== 'opening')) return;
  if (prep.machineRunning || prep.washed || prep.shuffledBy.length > 0) return;
  if (!draft.batch(batch).onTable) return;
  startStack(draft, batch);
  draft.move(phase);
};

const start = (draft: Draft, batch: Batch): void => {
  takenBack(draft, batch);
  takeUp(draft, batch);
  draft.noteBatch(batch, { token: null });
  if (!preparing(draft) || batch !== draft.state.prep.batch) return;
  draft.note('prep', { machineRunning: true });
  draft.move('shuffling');
};

/** Was the cycle a shuffle? Null where the machine does not say and its light does not tell. */
const shuffled = ({ mode, lamp: light }: Done): boolean => {
  if (mode !== undefined) return mode === 'shuffle';
  return light !== 'blink';
};

const done = (draft: Draft, message: Done, batch: Batch): void => {
  // A "done" without its start may be a repeated message: it undoes neither a shoe in play nor a
  // cut. Only a shoe that is over is held to be collected by it.
  if (draft.state.phase === 'reshuffle-due') takenBack(draft, batch);
  takeUp(draft, batch);
  const good = judgeCount(draft, message, batch);
  const mixed = shuffled(message);
  if (!mixed) wrongMode(draft, message, batch);
  if (batch === draft.state.prep.batch) draft.note('prep', { machineRunning: false });
  const machine = draft.procedure.shuffle.sources.includes('machine');
  const usable = machine && mayUse(draft, batch);
  if (good === true && mixed && usable) {
    draft.noteBatch(batch, { token: { source: 'machine', batch, atNs: draft.state.atNs } });
    if (preparing(draft) && batch === draft.state.prep.batch) {
      draft.duty('shuffle', draft.procedure.shuffle.cite, {
        status: 'met',
        evidence: 'sensed',
        detail: message.count === undefined ? 'machine' : `machine, ${message.count} cards`,
      });
      afterShuffle(draft);
    }
    return;
  }
  if (!preparing(draft) || batch !== draft.state.prep.batch) return;
  draft.move(good === null && mixed ? 'count-due' : 'shuffle-due');
};

/** True: counted right, or nothing to count by. False: wrong. Null: it should have and did not. */
const judgeCount = (draft: Draft, message: Done, batch: Batch): boolean | null => {
  const { count, lamp: light } = message;
  const { expected, table } = draft;
  if (count !== undefined) {
    if (count !== expected || light === 'red') {
      countedWrong(draft, batch, count === expected ? null : count, 'shuffler');
      return false;
    }
    const { quarantined, lastCount } = draft.batch(batch);
    // A second witness: the machine may not overrule two people who counted something else.
    if (quarantined && lastCount !== null && draft.batch(batch).countedBy === 'hand') {
      countsDisagree(draft, batch, `shuffler ${count}`, `by hand ${lastCount}`);
      return false;
    }
    countedRight(draft, batch, 'shuffler');
    return true;
  }
  if (light === 'red') {
    countedWrong(draft, batch, null, 'shuffler');
    return false;
  }
  if (table.shuffler !== 'counting') return true;
  if (light === 'green') {
    countedRight(draft, batch, 'shuffler');
    return true;
  }
  lapseIfNotCounting(draft);
  stubDutyBack(draft, 'the machine finished without a count');
  return null;
};

const wrongMode = (draft: Draft, { mode }: Done, batch: Batch): void => {
  draft.noteBatch(batch, { token: null });
  raise(draft, 'shuffle.mode', {
    cite: POLICY_MODE,
    expected: 'a completed shuffle',
    observed:
      mode === undefined
        ? 'blinking light, not a shuffle'
        : `machine in ${mode.toUpperCase()} mode`,
    remedy: 'Do not deal. Set the machine to shuffle and shuffle again',
    batch,
  });
};

/**
 * A lamp read by a tap is all some machines say. Red stops the batch in play as well: the machine
 * found a fault with cards that belong to this table.
 */
const lamp = (draft: Draft, light: string, batch: Batch): void => {
  if (light === 'red') countedWrong(draft, batch, null, 'shuffler');
};

const inventory = (draft: Draft, batch: Batch, count: number): void => {
  if (count === 0) return;
  if (count === draft.expected) countedRight(draft, batch, 'shuffler');
  else countedWrong(draft, batch, count, 'shuffler');
};
