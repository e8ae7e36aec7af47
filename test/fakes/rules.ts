import type { Rules } from '../../controller/core/decide.js';
import { DEFAULT_POLICY, type Procedure } from '../../controller/core/procedure.js';

const cite = { clause: 'policy:test', verified: false };

/** A procedure that demands next to nothing, for tests of the shell around the rules. */
export const plainProcedure: Procedure = {
  id: 'test/plain',
  title: 'Plain',
  version: '1',
  hash: '0'.repeat(64),
  deck: {
    cite,
    cardsPerDeck: 52,
    decksMin: 1,
    decksMax: 8,
    maxAgeHours: null,
    maxAgeHandHours: null,
    maxAgeCite: cite,
    alternate: false,
    alternateCite: cite,
  },
  dealing: ['shoe'],
  shuffle: { cite, when: 'shoe-end', sources: ['machine'], wash: false, eachDealer: false },
  count: { cite, onWrong: 'remove-deck' },
  cut: null,
  marker: null,
  burn: null,
  dealerBurn: null,
  cover: null,
  round: {
    bets: null,
    cards: { cite, min: null, max: null },
    faceUp: true,
    countsCalled: null,
    tableau: null,
  },
  stub: null,
  handDealing: null,
  idle: null,
  exemption: null,
  unseen: [],
};

export const plainRules: Rules = {
  procedure: plainProcedure,
  table: {
    decks: 8,
    crew: 1,
    seats: 7,
    dealing: 'shoe',
    shuffler: 'counting',
    reader: 'none',
    batches: ['red'],
    enforcement: 'lock',
    policy: DEFAULT_POLICY,
  },
};
