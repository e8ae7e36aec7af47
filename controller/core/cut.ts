import type { Draft } from './draft.js';
import { clearCodes, openFinding, raise, reword } from './findings.js';
import { dealerMissing } from './hand-shuffle.js';
import type { Cutter, Press } from './press.js';
import type { CutRule } from './procedure.js';
import { advance, handDealt } from './stack.js';

type Act<K extends Press['key']> = Extract<Press, { key: K }>;

const POLICY_DWELL = 'policy:dwell';
const S = 1e9;

/** Clockwise from the highest seat means down the numbers, and round again from the top. */
const seatAfter = (seat: number, seats: number): number => (seat <= 1 ? seats : seat - 1);

const name = (cutter: Cutter | 'any'): string => {
  if (cutter === 'any') return 'the players';
  return typeof cutter === 'number' ? `seat ${cutter}` : cutter;
};

/** The cut is on: the stack is shuffled and waits. Otherwise says what comes first. */
const cutDue = (draft: Draft, rule: CutRule): boolean => {
  const { phase, prep } = draft.state;
  if (phase === 'cut-due') return true;
  if (phase === 'shuffling' && prep.shuffledBy.length > 0) {
    dealerMissing(draft);
    draft.refuse(draft.procedure.shuffle.cite, 'not every dealer has shuffled');
  } else {
    draft.refuse(rule.requiredCite, 'there is no shuffled stack waiting for a cut');
  }
  return false;
};

const seatExists = (draft: Draft, rule: CutRule, seat: number): boolean => {
  const there = seat >= 1 && seat <= draft.table.seats;
  if (!there) draft.refuse(rule.orderCite, `this table has seats 1 to ${draft.table.seats}`);
  return there;
};

/** The rule of a game whose players cut; refuses the press in any other. */
const offerRule = (draft: Draft): CutRule | null => {
  const rule = draft.procedure.cut;
  if (rule?.cutter === 'players') return rule;
  draft.refuse(rule?.orderCite ?? 'policy:cut', 'no player cuts in this game');
  return null;
};

export const cutOffered = (draft: Draft, press: Act<'cut-offered'>): void => {
  const rule = offerRule(draft);
  if (rule === null || !cutDue(draft, rule) || !seatExists(draft, rule, press.seat)) return;
  // An offer says who the dealer holds to be next: empty seats are passed over unseen.
  if (draft.state.prep.declined.includes(press.seat)) {
    outOfTurn(draft, rule, press.seat, 'offered again after declining');
    return;
  }
  draft.note('prep', { cutOffered: press.seat, cutTurn: press.seat });
};

export const cutDeclined = (draft: Draft, press: Act<'cut-declined'>): void => {
  const rule = offerRule(draft);
  if (rule === null || !cutDue(draft, rule) || !seatExists(draft, rule, press.seat)) return;
  const declined = [...draft.state.prep.declined.filter((seat) => seat !== press.seat), press.seat];
  const next = seatAfter(press.seat, draft.table.seats);
  draft.note('prep', {
    declined,
    cutOffered: null,
    cutTurn: declined.includes(next) ? 'dealer' : next,
  });
};

export const cutMade = (draft: Draft, press: Act<'cut'>): void => {
  const rule = draft.procedure.cut;
  if (rule === null) {
    draft.refuse('policy:cut', 'this game has no cut');
    return;
  }
  if (!cutDue(draft, rule)) return;
  if (typeof press.by === 'number' && !seatExists(draft, rule, press.by)) return;
  if (!sameAgain(draft, rule, press.by)) return;
  if (!inTurn(draft, rule, press.by) || !deepEnough(draft, rule, press.depth)) {
    // An improper cut was made all the same: it is what the floor may order to be made again.
    draft.note('prep', { cutBy: press.by });
    return;
  }
  accept(draft, rule, press);
};

/**
 * After a recut order the same person may not cut again. The dealer may, once every player has
 * declined anew: then nobody else is entitled.
 */
const sameAgain = (draft: Draft, rule: CutRule, by: Cutter): boolean => {
  const { recutAfter, cutTurn } = draft.state.prep;
  if (recutAfter !== by || rule.recut?.by !== 'next-entitled') return true;
  if (by === 'dealer' && cutTurn === 'dealer') return true;
  raise(draft, 'recut.same-person', {
    cite: rule.recut.cite,
    expected: 'the next person entitled cuts again',
    observed: `${name(by)} again`,
    remedy: `OFFER THE CUT to ${name(cutTurn)}`,
  });
  draft.refuse(rule.recut.cite, `${name(by)} made the cut that was not accepted`);
  return false;
};

const inTurn = (draft: Draft, rule: CutRule, by: Cutter): boolean => {
  const { cutTurn, cutOffered: offered } = draft.state.prep;
  if (rule.cutter === 'dealer') {
    if (by === 'dealer') return true;
    outOfTurn(draft, rule, by, 'the dealer cuts in this game');
    return false;
  }
  if (by === 'dealer') {
    // Whether seats are taken cannot be seen: the dealer may cut unless a player was offered it.
    if (offered === null) return true;
    outOfTurn(draft, rule, by, `${name(offered)} was offered the cut and has not declined`);
    return false;
  }
  if (cutTurn === 'any' || cutTurn === by) return true;
  outOfTurn(draft, rule, by, `it is the turn of ${name(cutTurn)}`);
  return false;
};

const outOfTurn = (draft: Draft, rule: CutRule, by: Cutter, why: string): void => {
  const turn = rule.cutter === 'dealer' ? 'dealer' : draft.state.prep.cutTurn;
  raise(draft, 'cut.order', {
    cite: rule.orderCite,
    expected: `the cut by ${name(turn)}`,
    observed: `${name(by)}: ${why}`,
    remedy: offer(turn),
  });
};

const offer = (turn: Cutter | 'any'): string =>
  turn === 'dealer' ? 'CUT THE CARDS: the dealer' : `OFFER THE CUT to ${name(turn)}`;

const deepEnough = (draft: Draft, rule: CutRule, depth: number | undefined): boolean => {
  if (depth === undefined) return true;
  const below = draft.expected - depth;
  const top = depth >= rule.minFromTop;
  const bottom = rule.minFromBottom === null || below >= rule.minFromBottom;
  if (top && bottom) return true;
  const short = top ? (rule.minFromBottom ?? 0) - below : rule.minFromTop - depth;
  raise(draft, 'cut.shallow', {
    cite: rule.depthCite,
    expected:
      rule.minFromBottom === null
        ? `at least ${rule.minFromTop} cards from the top`
        : `at least ${rule.minFromTop} from the top and ${rule.minFromBottom} from the bottom`,
    observed: top ? `${below} from the bottom` : `${depth} from the top`,
    remedy: 'CUT AGAIN, deeper',
    by: short,
  });
  return false;
};

const accept = (draft: Draft, rule: CutRule, press: Act<'cut'>): void => {
  const { cutDueNs } = draft.state.prep;
  const depth = press.depth === undefined ? 'depth unseen' : `${press.depth} deep`;
  draft.note('prep', {
    cutDone: true,
    cutBy: press.by,
    cutOffered: null,
    recutAfter: null,
  });
  clearCodes(draft, ['cut.missing', 'cut.order', 'cut.shallow'], 'step done', draft.actor);
  draft.duty('cut', rule.requiredCite, {
    status: 'met',
    evidence: 'attested',
    detail: `${name(press.by)}, ${depth}`,
  });
  judgeDwell(draft, cutDueNs);
  draft.move('cut-made');
  advance(draft);
};

/** A cut that takes unusually long has been used to film the order of the cards. */
const judgeDwell = (draft: Draft, sinceNs: number | null): void => {
  const { dwellCutS } = draft.table.policy;
  if (dwellCutS === null || sinceNs === null) return;
  const tookS = Math.round((draft.state.atNs - sinceNs) / S);
  if (tookS <= dwellCutS) return;
  raise(draft, 'dwell.cut', {
    cite: POLICY_DWELL,
    expected: `a cut within ${dwellCutS} s`,
    observed: `${tookS} s`,
    remedy: 'Look at the recording of this time',
    by: tookS - dwellCutS,
  });
};

/** The cut was not made and somebody went on. */
export const cutMissing = (draft: Draft): void => {
  const rule = draft.procedure.cut;
  if (rule === null) return;
  raise(draft, 'cut.missing', {
    cite: rule.requiredCite,
    expected: 'the stack is cut before it is loaded',
    observed: 'no cut',
    remedy: rule.cutter === 'dealer' ? 'CUT THE CARDS' : 'OFFER THE CUT',
  });
};

/** A cut was made that could not stand, and none has been since. */
const improper = ({ state }: Draft): boolean =>
  state.phase === 'cut-due' &&
  state.prep.cutBy !== null &&
  (openFinding(state, 'cut.shallow') ?? openFinding(state, 'cut.order')) !== undefined;

/** Who makes a recut. A cut out of turn took nobody's turn away. */
const nextEntitled = ({ state: { prep }, table }: Draft, rule: CutRule): Cutter | 'any' => {
  const { cutBy, cutDone, cutTurn } = prep;
  if (rule.cutter === 'dealer') return 'dealer';
  if (typeof cutBy !== 'number') return cutDone ? 'any' : cutTurn;
  const inOrder = cutDone || cutTurn === 'any' || cutTurn === cutBy;
  return inOrder ? seatAfter(cutBy, table.seats) : cutTurn;
};

export const recut = (draft: Draft): void => {
  const rule = draft.procedure.cut;
  if (rule?.recut === null || rule === null) {
    draft.refuse('policy:cut', 'this game has no recut');
    return;
  }
  const { table } = draft;
  const { prep, shoe, phase } = draft.state;
  const undealt = phase === 'burn' || phase === 'ready' || (phase === 'round' && !handDealt(table));
  const loadedUndealt = shoe.isLoaded && shoe.out === 0 && undealt;
  const cut = prep.cutDone || improper(draft);
  const open = cut && (!shoe.isLoaded || (rule.recut.until === 'deal' && loadedUndealt));
  if (!open) {
    tooLate(draft, rule, shoe.isLoaded);
    return;
  }
  if (shoe.isLoaded) takeOut(draft);
  const { cutBy } = draft.state.prep;
  const cutTurn = nextEntitled(draft, rule);
  // What was wrong with the cut stands until a proper one is made, now by somebody else.
  for (const code of ['cut.shallow', 'cut.order'] as const) {
    reword(draft, code, { remedy: offer(cutTurn) });
  }
  draft.note('prep', {
    cutDone: false,
    markerDone: false,
    recutAfter: cutBy,
    declined: [],
    cutDueNs: draft.state.atNs,
    cutTurn,
  });
  draft.duty('cut', rule.requiredCite, {
    status: 'due',
    evidence: 'unseen',
    detail: `recut ordered after ${cutBy === null ? 'the cut' : name(cutBy)}`,
  });
  draft.move('cut-due');
};

const tooLate = (draft: Draft, rule: CutRule, isLoaded: boolean): void => {
  const cite = rule.recut?.cite ?? rule.orderCite;
  if (isLoaded) {
    raise(draft, 'recut.window', {
      cite,
      expected:
        rule.recut?.until === 'deal'
          ? 'a recut is ordered before a card is dealt'
          : 'a recut is ordered before the stack is in the shoe',
      observed: 'ordered too late',
      remedy: 'Order a reshuffle instead',
    });
  }
  draft.refuse(cite, isLoaded ? 'too late: order a reshuffle instead' : 'nothing has been cut yet');
};

/** The stack comes out of the shoe again, undealt: its token is unspent. */
const takeOut = (draft: Draft): void => {
  const { batch, no, loadedNs } = draft.state.shoe;
  if (batch === null) return;
  draft.note('shoe', { isLoaded: false, batch: null, loaded: 0, no: no - 1 });
  draft.noteBatch(batch, {
    token: { source: draft.state.prep.source ?? 'hand', batch, atNs: loadedNs },
  });
};

/** A recut asked by too low a role. */
export const recutAuthority = (draft: Draft): void => {
  const cite = draft.procedure.cut?.recut?.cite ?? 'policy:authority';
  raise(draft, 'recut.authority', {
    cite,
    expected: 'a floorperson or above orders a recut',
    observed: `asked by the ${draft.actor.role}`,
    remedy: 'Call the floor',
  });
};

export const markerPlaced = (draft: Draft): void => {
  const rule = draft.procedure.marker;
  if (rule === null || draft.state.phase !== 'marker-due') {
    draft.refuse(
      rule?.cite ?? 'policy:marker',
      rule === null
        ? 'this game has no marker'
        : 'the marker goes in after the cut, before the load',
    );
    return;
  }
  draft.note('prep', { markerDone: true });
  clearCodes(draft, ['marker.missing'], 'step done', draft.actor);
  draft.duty('marker', rule.cite, {
    status: 'met',
    evidence: 'attested',
    detail: 'place unseen until it comes out',
  });
  advance(draft);
};

export const markerMissing = (draft: Draft): void => {
  const rule = draft.procedure.marker;
  if (rule === null) return;
  raise(draft, 'marker.missing', {
    cite: rule.cite,
    expected: `a cover card at least ${rule.minBehind ?? 'some'} cards above the bottom`,
    observed: 'loaded without it',
    remedy: 'PLACE THE COVER CARD',
  });
};
