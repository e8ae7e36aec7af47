import { verified } from './count.js';
import type { Draft } from './draft.js';
import type { Duty } from './duty.js';
import { clearCodes, clearLifespan, raise } from './findings.js';
import type { Batch } from './observation.js';
import type { Cutter } from './press.js';
import type { Cite, CutRule, Procedure, ShuffleSource, Table } from './procedure.js';
import { exempt } from './exemption.js';
import {
  freshBurn,
  freshCover,
  freshPrep,
  freshRound,
  freshShoe,
  type Phase,
  type TableState,
} from './state.js';

const S = 1e9;
const POLICY_DWELL = 'policy:dwell';

/** No shoe in the path: the deck is held in the hand and nothing is sensed. */
export const handDealt = (table: Table): boolean => table.dealing === 'hand';

export const cutRequired = (draft: Draft, source: ShuffleSource | null): boolean => {
  const { cut } = draft.procedure;
  if (cut === null || exempt(draft.state, draft.procedure, 'cut')) return false;
  return source === null || cut.requiredFor[source];
};

const due = (duty: string, cite: Cite, state: TableState): Duty => ({
  duty,
  clause: cite.clause,
  status: 'due',
  evidence: 'unseen',
  seq: state.seq,
  atNs: state.atNs,
});

/** The duties a procedure asks of one stack, all still to be done. */
const dutiesOf = (procedure: Procedure, table: Table, state: TableState): readonly Duty[] => {
  const list: Duty[] = [];
  const ask = (duty: string, cite: Cite | undefined): void => {
    if (cite !== undefined) list.push(due(duty, cite, state));
  };
  ask('shuffle', procedure.shuffle.cite);
  ask('cut', procedure.cut?.requiredCite);
  ask('marker', procedure.marker?.cite);
  if (!handDealt(table)) ask('load', procedure.shuffle.cite);
  ask('burn', procedure.burn?.cite);
  if (procedure.burn?.kind === 'first-card-value') ask('burn-rank', procedure.burn.cite);
  if (procedure.stub?.appliesTo.includes(table.dealing) === true) ask('stub', procedure.stub.cite);
  for (const rule of procedure.unseen) ask(rule.duty, rule.cite);
  return list;
};

/** Who is entitled to the first cut of a new game. */
export const firstTurn = (cut: CutRule | null, table: Table): Cutter | 'any' => {
  if (cut?.cutter === 'dealer') return 'dealer';
  return cut?.firstOffer === 'highest-seat' ? table.seats : 'any';
};

/** The batch whose turn it is to be prepared. */
const nextBatch = (draft: Draft): Batch => {
  const { state, table } = draft;
  const onTable = table.batches.filter((batch) => draft.batch(batch).onTable);
  const ready = onTable.find((batch) => draft.batch(batch).token !== null);
  const other = draft.procedure.deck.alternate
    ? onTable.find((batch) => batch !== state.shoe.batch)
    : undefined;
  const stays = onTable.includes(state.prep.batch) ? state.prep.batch : undefined;
  return ready ?? other ?? stays ?? onTable[0] ?? state.prep.batch;
};

/**
 * Cards are off the shoe and wait to be shuffled: a new stack begins. What lived with the old
 * shoe ends, except stops, which wait for the floor.
 */
export const startStack = (draft: Draft, batch: Batch | null = null): void => {
  const { state } = draft;
  clearLifespan(draft, 'round', 'shoe over');
  clearLifespan(draft, 'step', 'shoe over');
  clearLifespan(draft, 'shoe', 'shoe over');
  if (state.shoe.isLoaded && state.shoe.batch !== null) {
    draft.noteBatch(state.shoe.batch, { token: null });
  }
  const first = state.shoe.no === 0;
  const next = batch ?? nextBatch(draft);
  if (state.shoe.batch !== null) draft.note('house', { previousBatch: state.shoe.batch });
  const turn = firstTurn(draft.procedure.cut, draft.table);
  // After a reshuffle the last curator is first, and nobody here knows which seat that is.
  draft.note('prep', freshPrep(next, first || turn === 'dealer' ? turn : 'any'));
  draft.note('shoe', { ...freshShoe, no: state.shoe.no, loadedNs: state.shoe.loadedNs });
  draft.note('burn', freshBurn);
  draft.note('cover', freshCover);
  draft.note('round', freshRound);
  draft.add({ do: 'duties', duties: dutiesOf(draft.procedure, draft.table, draft.state) });
  draft.move('shuffle-due');
  if (draft.batch(next).token !== null) shuffledBefore(draft);
};

/** The stack was shuffled before its turn came, while the other one was dealt. */
const shuffledBefore = (draft: Draft): void => {
  const token = draft.batch(draft.state.prep.batch).token;
  if (token === null) return;
  draft.duty('shuffle', draft.procedure.shuffle.cite, {
    status: token.source === 'preshuffled' ? 'waived' : 'met',
    evidence: token.source === 'machine' ? 'sensed' : 'attested',
    detail: `${token.source}, before its turn`,
  });
  afterShuffle(draft);
};

/** Where a stack stands on its way to the shoe, from what has been done to it. */
export const prepPhase = (draft: Draft): Phase => {
  const { prep } = draft.state;
  const { token } = draft.batch(prep.batch);
  if (token === null)
    return prep.washed || prep.shuffledBy.length > 0 ? 'shuffling' : 'shuffle-due';
  if (cutRequired(draft, token.source) && !prep.cutDone) return 'cut-due';
  if (draft.procedure.marker !== null && !prep.markerDone) return 'marker-due';
  return 'load-due';
};

/** The stack has its token: on to the cut, the marker, the shoe or the hand. */
export const afterShuffle = (draft: Draft): void => {
  const { prep, atNs } = draft.state;
  const token = draft.batch(prep.batch).token;
  if (token === null) return;
  draft.note('prep', { source: token.source, machineRunning: false, cutDueNs: atNs });
  if (!cutRequired(draft, token.source) && draft.procedure.cut !== null) {
    draft.duty('cut', draft.procedure.cut.requiredCite, {
      status: 'waived',
      evidence: 'unseen',
      detail: `not asked of a stack shuffled by ${token.source}`,
    });
  }
  advance(draft);
};

/** Moves to the next step of preparation; a hand-dealt deck is ready without a load. */
export const advance = (draft: Draft): void => {
  const phase = prepPhase(draft);
  if (phase === 'load-due' && handDealt(draft.table)) load(draft, 'unseen', 'held in the hand');
  else draft.move(phase);
};

/**
 * A stack waits to be cut, marked or loaded only while it holds its token, and where a device's
 * approval lifts or brings back the cut, the next step moves with it.
 */
export const settlePrep = (draft: Draft): void => {
  const { phase, prep } = draft.state;
  if (phase !== 'cut-due' && phase !== 'marker-due' && phase !== 'load-due') return;
  if (draft.batch(prep.batch).token === null) startStack(draft, prep.batch);
  else if (prepPhase(draft) !== phase) advance(draft);
};

/** The stack is in the shoe: the token is spent and the shoe begins. */
export const load = (
  draft: Draft,
  evidence: 'sensed' | 'attested' | 'unseen',
  detail: string,
): void => {
  const { state, procedure } = draft;
  const batch = state.prep.batch;
  const token = draft.batch(batch).token;
  draft.noteBatch(batch, { token: null });
  draft.note('shoe', {
    ...freshShoe,
    no: state.shoe.no + 1,
    isLoaded: true,
    batch,
    loaded: draft.expected,
    loadedNs: state.atNs,
  });
  draft.note('burn', { ...freshBurn, required: openingBurn(draft) });
  draft.note('cover', freshCover);
  draft.note('round', freshRound);
  clearCodes(draft, ['cut.missing', 'cut.order', 'cut.shallow', 'marker.missing']);
  if (!handDealt(draft.table)) {
    draft.duty('load', procedure.shuffle.cite, { status: 'met', evidence, detail });
  }
  draft.move(procedure.burn === null ? 'ready' : 'burn');
  if (token === null) return;
  const { countedBy } = draft.batch(batch);
  const counts = draft.table.shuffler === 'counting' && token.source === 'machine';
  if (counts && countedBy === 'shuffler') verified(draft, token.atNs);
  judgeLoad(draft, batch, token.atNs);
};

/** Cards of the opening burn; null while they depend on the first card's rank. */
const openingBurn = (draft: Draft): number | null => {
  const { burn } = draft.procedure;
  switch (burn?.kind) {
    case 'fixed':
      return burn.cards;
    case 'deck-count':
      return draft.table.decks;
    case 'first-card-value':
    case undefined:
      return null;
  }
};

const judgeLoad = (draft: Draft, batch: Batch, shuffledNs: number): void => {
  const { deck } = draft.procedure;
  const { policy, batches } = draft.table;
  if (deck.alternate && batches.length > 1 && draft.state.house.previousBatch === batch) {
    raise(draft, 'batch.same', {
      cite: deck.alternateCite,
      expected: 'the two batches take turns, one shoe each',
      observed: `${batch} again`,
      remedy: 'Load the other batch at the next shoe',
      batch,
    });
  }
  const dwellS = Math.round((draft.state.atNs - shuffledNs) / S);
  if (policy.dwellLoadS !== null && dwellS > policy.dwellLoadS && !handDealt(draft.table)) {
    raise(draft, 'dwell.load', {
      cite: POLICY_DWELL,
      expected: `in the shoe within ${policy.dwellLoadS} s of the shuffle`,
      observed: `${dwellS} s`,
      remedy: 'Look at the recording of this time',
      by: dwellS - policy.dwellLoadS,
    });
  }
};
