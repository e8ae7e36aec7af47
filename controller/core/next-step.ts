import type { Directive } from './directive.js';
import type { Rules } from './draft.js';
import { exempt } from './exemption.js';
import type { Finding, FindingCode } from './finding.js';
import { openFinding } from './findings.js';
import type { Cutter } from './press.js';
import { handDealt } from './stack.js';
import type { TableState } from './state.js';
import { countRequired } from './view.js';

type Display = Extract<Directive, { to: 'display' }>;

const show = (step: string, line1: string, line2: string, clause: string): Display => ({
  to: 'display',
  line1,
  line2,
  clause,
  step,
});

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

const who = (cutter: Cutter | 'any', shoes: number): string => {
  if (cutter === 'any') return shoes === 0 ? 'the players' : 'the players, the last curator first';
  return cutter === 'dealer' ? 'the dealer' : `seat ${cutter}`;
};

/** The finding a person has to look at first: stops before holds, the oldest first. */
const firstOf = (state: TableState, severity: Finding['severity']): Finding | undefined =>
  state.findings.find((finding) => finding.severity === severity);

/** In a dispute nothing else can be settled before it. */
const urgent = (state: TableState): Finding | undefined =>
  state.phase === 'dispute' ? openFinding(state, 'stub.wrong') : undefined;

/**
 * Stops whose cause lies in the box: what it means for whoever deals. The cause itself stands in
 * the finding, for the floor and the technician.
 */
const BOX_STOPS: Partial<Record<FindingCode, string>> = {
  'gap.unwatched': 'Cards may have moved unseen',
  'sensor.fault': 'The shoe is not being counted',
  'shuffler.lost': 'The shuffler is not heard',
  'clock.untrusted': 'The clock of the table is not right',
  'journal.fault': 'Nothing is being written down',
};

const ofStop = ({ code, observed, remedy, clause }: Finding): Display => {
  const forDealer = BOX_STOPS[code];
  return forDealer === undefined
    ? show('stop', `STOP. ${observed}`, remedy, clause)
    : show('stop', `STOP. ${forDealer}`, 'Deal no card. Call the floor', clause);
};

/**
 * What the dealer's display shows: always the next permitted step, with an alarm the way out of
 * it. Never a rank, not even the first card's, and never anything a player could use.
 */
export const nextStep = (state: TableState, rules: Rules): Display => {
  const stop = urgent(state) ?? firstOf(state, 'stop');
  if (stop !== undefined) return ofStop(stop);
  const hold = firstOf(state, 'hold');
  if (hold !== undefined && hold.code !== 'burn.short' && hold.code !== 'burn.dealer-missing') {
    // The hold's words, and the step that ends it.
    return show(ofPhase(state, rules).step, hold.remedy, hold.observed, hold.clause);
  }
  return ofPhase(state, rules);
};

const ofPhase = (state: TableState, rules: Rules): Display => {
  const { shuffle, count, idle } = rules.procedure;
  switch (state.phase) {
    case 'closed':
      return show('open-table', 'TABLE CLOSED', 'Open the table', shuffle.cite.clause);
    case 'opening':
      return show('cards-inspected', 'INSPECT THE CARDS', 'then shuffle', shuffle.cite.clause);
    case 'shuffle-due':
    case 'shuffling':
      return ofShuffle(state, rules);
    case 'count-due':
      return show('hand-count', 'COUNT THE CARDS', 'The machine gave no number', count.cite.clause);
    case 'cut-due':
    case 'cut-made':
      return ofCut(state, rules);
    case 'marker-due': {
      const marker = rules.procedure.marker;
      const least = marker?.minBehind == null ? '' : `at least ${marker.minBehind} from the bottom`;
      return show('marker-placed', 'PLACE THE COVER CARD', least, marker?.cite.clause ?? '');
    }
    case 'load-due': {
      const required = countRequired(state);
      if (required !== null) return ofCount(required);
      return show('loaded', 'LOAD THE SHOE', '', shuffle.cite.clause);
    }
    case 'burn':
      return ofBurn(state, rules);
    case 'ready':
      return ofReady(state, rules);
    case 'round':
    case 'stub-due':
      return ofRound(state, rules);
    case 'reshuffle-due':
      return show('collected', 'SHOE OVER: RESHUFFLE', 'Collect the cards', overClause(rules));
    case 'idle-spread':
      return show(
        'inspected',
        'CARDS SPREAD',
        'The first player inspects, then shuffle',
        idle?.cite.clause ?? '',
      );
    case 'dispute':
      return show('misdeal', 'FLOOR: WERE THE CARDS MISDEALT?', '', stubClause(rules));
    case 'fault':
      return show('fault', 'FAULT', 'Call the technician', 'policy:fault');
  }
};

const ofCount = (why: string): Display =>
  show('hand-count', 'COUNT THE CARDS', why, 'policy:count-required');

const overClause = ({ procedure }: Rules): string =>
  procedure.cover?.cite.clause ?? procedure.shuffle.cite.clause;
const stubClause = ({ procedure }: Rules): string => procedure.stub?.wrongCite.clause ?? '';

const ofShuffle = (state: TableState, rules: Rules): Display => {
  const { shuffle } = rules.procedure;
  const { prep } = state;
  if (state.batches[prep.batch]?.onTable === false) {
    return show('deck-in', 'BRING A NEW DECK', 'Floor: key in its number', 'policy:batches');
  }
  if (prep.machineRunning) {
    return show('shuffling', 'SHUFFLING', 'Wait for the machine', shuffle.cite.clause);
  }
  const needed = shuffle.eachDealer ? rules.table.crew : 1;
  const done = prep.shuffledBy.length;
  if (done > 0) {
    return show(
      'shuffled',
      `SHUFFLE: ${plural(needed - done, 'dealer')} to go`,
      `${done} of ${needed} done`,
      shuffle.cite.clause,
    );
  }
  const how = rules.table.shuffler === 'none' ? 'by hand' : 'in the machine';
  const wash = shuffle.wash && !prep.washed && rules.table.shuffler === 'none';
  return wash
    ? show('washed', 'WASH AND SHUFFLE', 'by hand', shuffle.cite.clause)
    : show('shuffled', 'SHUFFLE', how, shuffle.cite.clause);
};

const ofCut = (state: TableState, { procedure }: Rules): Display => {
  const { cut } = procedure;
  if (cut === null) return show('cut', 'CUT', '', '');
  const depth =
    cut.minFromBottom === null
      ? `at least ${cut.minFromTop} from the top`
      : `at least ${cut.minFromTop} from either end`;
  if (cut.cutter === 'dealer') return show('cut', 'CUT THE CARDS', depth, cut.requiredCite.clause);
  const next = who(state.prep.cutTurn, state.shoe.no);
  return show('cut', `OFFER THE CUT to ${next}`, depth, cut.orderCite.clause);
};

const ofBurn = (state: TableState, { procedure, table }: Rules): Display => {
  const { burn } = procedure;
  const clause = burn?.cite.clause ?? '';
  const { done, required, rank } = state.burn;
  if (handDealt(table) && required !== null) {
    const cards = plural(required - done, 'card');
    return show('burn-done', `BURN ${cards}, then press burn done`, '', clause);
  }
  if (required !== null) {
    return show(
      'burn',
      `BURN ${required - (rank === null ? 0 : 1)} more, ${required - done} to go`,
      `${done} of ${required} out`,
      clause,
    );
  }
  return done === 0
    ? show('burn', 'BURN: draw the first card and show it', 'then key in its rank', clause)
    : show('first-card', 'BURN: KEY IN THE FIRST CARD', 'A, 2-10, J, Q, K', clause);
};

const ofReady = (state: TableState, rules: Rules): Display => {
  const { procedure } = rules;
  if (state.burn.dealerOwed > 0) {
    return show(
      handDealt(rules.table) ? 'burn-done' : 'burn',
      `BURN ${plural(state.burn.dealerOwed, 'card')} face down`,
      handDealt(rules.table) ? 'New dealer: then press burn done' : 'New dealer',
      procedure.dealerBurn?.cite.clause ?? '',
    );
  }
  const required = countRequired(state);
  if (required !== null) return ofCount(required);
  if (state.cover.lastHandDue) {
    return show(
      state.cover.lastHandCalled ? 'no-more-bets' : 'last-hand-called',
      state.cover.lastHandCalled ? 'LAST HAND. No more bets' : 'LAST HAND: announce it',
      'One more hand, then shuffle',
      procedure.cover?.cite.clause ?? '',
    );
  }
  const idle = state.findings.find(({ code }) => code === 'idle.spread-due');
  if (idle !== undefined) return show('spread', idle.remedy, idle.observed, idle.clause);
  const cover = state.cover.waiting ? 'Cover card is out: put it aside' : '';
  return show('no-more-bets', 'NO MORE BETS', cover, procedure.round.bets?.clause ?? '');
};

const ofRound = (state: TableState, rules: Rules): Display => {
  const { cover, stub } = rules.procedure;
  const { round, counting } = state;
  const dealing = rules.table.dealing;
  if (
    stub?.appliesTo.includes(dealing) === true &&
    !exempt(state, rules.procedure, 'stub') &&
    counting.stub === null &&
    counting.roundsSince >= stub.everyRounds
  ) {
    if (round.hands === null && stub.perHand > 0) {
      return show('no-more-bets', 'KEY IN THE HANDS', 'then count the stub', stub.cite.clause);
    }
    return show('stub-count', 'COUNT THE STUB', 'before the round is closed', stub.cite.clause);
  }
  if (round.coverSeen || state.cover.inLastHand) {
    const last = state.cover.roundsLeft === 0;
    return show(
      'round-end',
      last ? 'FINISH THIS HAND, the last' : 'FINISH THIS HAND',
      last ? 'then collect and shuffle' : 'Cover card aside. Then announce the last hand',
      cover?.cite.clause ?? '',
    );
  }
  const counts = rules.procedure.round.countsCalled;
  if (counts !== null && round.cards === counts.after && !round.countsCalled) {
    return show(
      'counts-called',
      'CALL THE POINT COUNTS',
      'before a third card',
      counts.cite.clause,
    );
  }
  return show('round-end', 'ROUND IN PLAY', '', rules.procedure.round.cards.cite.clause);
};
