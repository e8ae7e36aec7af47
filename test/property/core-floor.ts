import type { Finding } from '../../controller/core/finding.js';
import { expectedStub } from '../../controller/core/stub.js';
import type { CoreTable } from '../unit/core/table.js';

/** Two people who count what they find to be a full stack. */
const countByHand = (table: CoreTable, batch: string): void => {
  table.floor('hand-count', `${batch} ${table.full} F-2`);
};

const clear = (table: CoreTable, { code }: Finding): void => void table.floor('clear', code);

const changeDeck = (table: CoreTable, batch: string): void => {
  table.floor('deck-removed', batch);
  table.floor('deck-in', `${batch} N-${table.state.seq}`);
};

/** What a floorperson does about a stop: what its remedy says. */
const remedy = (table: CoreTable, stop: Finding): void => {
  const batch = stop.batch ?? table.state.shoe.batch ?? table.state.prep.batch;
  switch (stop.code) {
    case 'count.wrong':
      if (/REMOVE/.test(stop.remedy)) return changeDeck(table, batch);
      countByHand(table, batch);
      return clear(table, stop);
    case 'count.required':
    case 'count.disagree':
      countByHand(table, batch);
      if (table.find(stop.code) !== undefined) clear(table, stop);
      return;
    case 'batch.migrated':
      changeDeck(table, batch);
      if (stop.device !== undefined) changeDeck(table, stop.device);
      return;
    case 'stub.wrong':
      if (/REMOVE/.test(stop.remedy)) return changeDeck(table, batch);
      table.floor('misdeal', { yes: true, full: true });
      return;
    case 'gap.unwatched':
      if (table.state.devices['mouth']?.up === false || table.state.devices['mouth']?.stale) {
        table.see({ kind: 'link.up', device: 'mouth' });
        return;
      }
      if (table.state.shoe.isLoaded) table.floor('accept-gap', 0);
      else clear(table, stop);
      return;
    case 'sensor.fault':
      table.see({ kind: 'link.up', device: stop.device ?? 'mouth' });
      return;
    case 'cover.exhausted':
    case 'marker.in-burn':
    case 'cover.extra-round':
      if (table.state.shoe.isLoaded) table.floor('reshuffle');
      else clear(table, stop);
      return;
    default:
      return clear(table, stop);
  }
};

const cut = (table: CoreTable): void => {
  const { cutTurn, recutAfter } = table.state.prep;
  const { seats } = table.rules.table;
  const any = recutAfter === seats ? seats - 1 : seats;
  const by = cutTurn === 'any' ? any : cutTurn;
  table.press('cut', by === 'dealer' ? 'dealer' : `seat ${by}`);
};

const shuffle = (table: CoreTable): void => {
  const { shuffler } = table.rules.table;
  const { prep } = table.state;
  // A shuffle that was begun by hand is ended by hand.
  if (shuffler !== 'none' && prep.shuffledBy.length === 0) {
    table.machine(prep.batch, shuffler === 'counting' ? table.full : null);
    return;
  }
  table.press('shuffled', undefined, { badge: `S-${prep.shuffledBy.length}` });
};

const stub = (table: CoreTable): void => {
  const rule = table.rules.procedure.stub;
  const { hands } = table.state.round;
  if (rule === null || hands === null) throw new Error('a stub nobody can count');
  table.press('stub-count', expectedStub(rule, table.full, hands));
};

const WITHOUT_VALUE = [
  'open-table',
  'cards-inspected',
  'washed',
  'marker-placed',
  'loaded',
  'counts-called',
  'last-hand-called',
  'round-end',
  'collected',
  'spread',
  'inspected',
];

/**
 * Does the step the dealer's display shows; with a stop, what its remedy says. Returns the step.
 * @throws where the display shows a step nobody can take.
 */
export const followDisplay = (table: CoreTable): string => {
  const step = table.state.outputs.display?.step ?? 'open-table';
  const disputed = table.phase === 'dispute' ? table.find('stub.wrong') : undefined;
  const stop = disputed ?? table.state.findings.find(({ severity }) => severity === 'stop');
  if (stop !== undefined) {
    remedy(table, stop);
    return `remedy of ${stop.code}`;
  }
  if (WITHOUT_VALUE.includes(step)) table.press(step);
  else if (step === 'shuffled') shuffle(table);
  else if (step === 'shuffling') table.done(table.full, { batch: table.state.prep.batch });
  else if (step === 'cut') cut(table);
  else if (step === 'burn') table.card();
  else if (step === 'first-card') table.press('first-card', '3');
  else if (step === 'stub-count') stub(table);
  else if (step === 'no-more-bets') table.press('no-more-bets', 4);
  else if (step === 'hand-count')
    countByHand(table, table.state.shoe.batch ?? table.state.prep.batch);
  else if (step === 'deck-in') table.floor('deck-in', `${table.state.prep.batch} N-1`);
  else throw new Error(`the display shows ${step}, which nobody can press`);
  if (table.refused !== null) {
    const why = table.last.find((decision) => decision.do === 'refused');
    throw new Error(`the display shows ${step}, which is refused: ${JSON.stringify(why)}`);
  }
  return step;
};

/** Acts from anywhere back to play: more than the longest honest way takes. */
const MOST_ACTS = 150;

/**
 * Follows the display and the remedies until a round is open and no stop is.
 * @throws where that leads nowhere.
 */
export const backToPlay = (table: CoreTable): void => {
  const steps: string[] = [];
  const playing = (): boolean =>
    table.phase === 'round' && !table.state.findings.some(({ severity }) => severity === 'stop');
  while (!playing()) {
    steps.push(followDisplay(table));
    if (steps.length > MOST_ACTS) {
      throw new Error(`no way back to play from ${table.phase}: ${steps.slice(-12).join(', ')}`);
    }
  }
};
