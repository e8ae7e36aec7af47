import { describe, expect, it } from 'vitest';
import { RANKS } from '../../../controller/core/cards.js';
import type { Procedure } from '../../../controller/core/procedure.js';
import { loadProcedure } from '../../../controller/runtime/procedure-files.js';

const seen = (clause: string): object => ({ clause, verified: true });
const notSeen = (clause: string): object => ({ clause, verified: false });
const unseenClauses = (procedure: Procedure): readonly string[] =>
  procedure.unseen.filter((rule) => rule.cite.verified).map((rule) => rule.cite.clause);

describe('pa/631a-baccarat', () => {
  const pack = loadProcedure('pa/631a-baccarat');

  it('631a.5(a): wash, each dealer shuffles on his own, preshuffled waives the shuffle', () => {
    expect(pack.shuffle).toEqual({
      cite: seen('631a.5(a)'),
      when: 'shoe-end',
      sources: ['hand', 'machine', 'preshuffled'],
      wash: true,
      eachDealer: true,
    });
  });

  it('631a.5(a): the waiver is of the shuffle only, so preshuffled cards are cut', () => {
    expect(pack.cut?.requiredFor.preshuffled).toBe(true);
  });

  it('631a.5(b): players in turn, else the dealer; hand and machine shuffles are cut', () => {
    expect(pack.cut).toMatchObject({
      orderCite: seen('631a.5(b)'),
      requiredCite: seen('631a.5(b)'),
      requiredFor: { hand: true, machine: true },
      cutter: 'players',
    });
  });

  it('631a.5(c): at least ten cards from the top and from the bottom', () => {
    expect(pack.cut).toMatchObject({
      depthCite: seen('631a.5(c)'),
      minFromTop: 10,
      minFromBottom: 10,
    });
  });

  it('631a.5(d): first cover card to the bottom, second at least 14 above it', () => {
    expect(pack.cut?.coverToBottom).toBe(true);
    expect(pack.marker).toEqual({ cite: seen('631a.5(d)'), minBehind: 14, bottomCover: true });
  });

  it('631a.5(e): recut until the shoe, by floor or above, by the next person entitled', () => {
    expect(pack.cut?.recut).toEqual({
      cite: seen('631a.5(e)'),
      authority: 'floor',
      until: 'load',
      by: 'next-entitled',
    });
  });

  it('631a.5(f): burn by the first card, ace one, ten-value cards ten, to the bucket', () => {
    const { burn } = pack;
    if (burn?.kind !== 'first-card-value') throw new Error('a burn by value');
    expect(burn).toMatchObject({ cite: seen('631a.5(f)'), to: 'bucket' });
    const values = RANKS.map((rank) => burn.values[rank]);
    expect(values).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]);
  });

  it('names what nobody can see of 631a.5(b), 631a.5(d) and 631a.5(f)', () => {
    expect(unseenClauses(pack)).toEqual(['631a.5(b)', '631a.5(d)', '631a.5(f)', '631a.5(f)']);
  });

  it('does not claim to have read 631a.3, 631a.9 and 631a.10', () => {
    expect(pack.deck).toMatchObject({
      cite: notSeen('631a.3'),
      cardsPerDeck: 52,
      decksMin: 6,
      decksMax: 8,
    });
    expect(pack.cover).toMatchObject({
      cite: notSeen('631a.10'),
      first: { roundsAfter: 1, announce: true },
      mid: { roundsAfter: 1, announce: true },
    });
    expect(pack.round).toMatchObject({
      bets: notSeen('631a.9'),
      cards: { cite: notSeen('631a.10'), min: 4, max: 6 },
      faceUp: false,
      tableau: null,
    });
  });

  it('leaves a wrong count to the house, and has no dealer burn, stub, idle rule', () => {
    expect(pack.count).toEqual({ cite: notSeen('policy:shuffler-count'), onWrong: 'recount' });
    expect(pack).toMatchObject({ dealerBurn: null, stub: null, idle: null, exemption: null });
  });

  it('judges the drawing rule where the house deals face up', () => {
    const { round } = loadProcedure('pa/631a-baccarat', { choose: { cardsLie: 'face-up' } });
    expect(round).toMatchObject({
      faceUp: true,
      tableau: { kind: 'baccarat', cite: notSeen('631a.11'), orderCite: notSeen('631a.10') },
    });
  });
});

describe('pa/627a-minibaccarat', () => {
  const pack = loadProcedure('pa/627a-minibaccarat');

  it('627a.9(a): point counts are called after the first four cards', () => {
    expect(pack.round.countsCalled).toEqual({ cite: seen('627a.9(a)'), after: 4 });
  });

  it('627a.9(b): third cards follow the drawing table', () => {
    expect(pack.round.tableau).toMatchObject({ kind: 'baccarat', cite: seen('627a.9(b)') });
  });

  it('627a.9(c): Player before Banker; a third card lies face up', () => {
    expect(pack.round.tableau?.orderCite).toEqual(seen('627a.9(c)'));
    expect(unseenClauses(pack)).toContain('627a.9(c)');
  });

  it('627a.9(d): one more card a hand, so four to six', () => {
    expect(pack.round.cards).toEqual({ cite: seen('627a.9(d)'), min: 4, max: 6 });
  });

  it('627a.9(e): cover card first or in mid-round, finish, announce, one more', () => {
    const follows = { roundsAfter: 1, announce: true, shuffleNow: false };
    expect(pack.cover).toEqual({ cite: seen('627a.9(e)'), first: follows, mid: follows });
    expect(unseenClauses(pack)).toContain('627a.9(e)');
  });

  it('cites 627a.5 as not seen for shuffle, cut, marker and burn', () => {
    expect(pack.shuffle.cite).toEqual(notSeen('627a.5'));
    expect(pack.cut).toMatchObject({ orderCite: notSeen('627a.5'), minFromTop: 10 });
    expect(pack.marker).toEqual({ cite: notSeen('627a.5'), minBehind: 14, bottomCover: true });
    expect(pack.burn).toMatchObject({ kind: 'first-card-value', cite: notSeen('627a.5') });
    expect(pack.round.bets).toEqual(notSeen('627a.8'));
  });

  it('judges no drawing rule where the first four cards lie face down', () => {
    const { round } = loadProcedure('pa/627a-minibaccarat', {
      choose: { initialDeal: 'face-down' },
    });
    expect(round).toMatchObject({ faceUp: false, tableau: null });
  });
});

describe('pa/651a-casino-war', () => {
  const pack = loadProcedure('pa/651a-casino-war');

  it('651a.8(a): from a shoe; which hand draws, nobody can tell', () => {
    expect(pack.dealing).toEqual(['shoe']);
    expect(unseenClauses(pack)).toContain('651a.8(a)');
  });

  it('651a.8(b): one secret card to the rack at the start and by each new dealer', () => {
    expect(pack.burn).toEqual({
      kind: 'fixed',
      cite: seen('651a.8(b)'),
      cards: 1,
      secret: true,
      to: 'rack',
    });
    expect(pack.dealerBurn).toEqual({ cite: seen('651a.8(b)'), cards: 1, secret: true });
  });

  it('651a.8(c): no more bets first; cards of a round depend on the players', () => {
    expect(pack.round.bets).toEqual(seen('651a.8(c)'));
    expect(pack.round.cards).toEqual({ cite: seen('651a.8(c)'), min: 2, max: null });
    expect(pack.round.faceUp).toBe(true);
  });

  it('651a.8(c)(1) and 651a.8(c)(2): players, then the dealer, which nobody can tell', () => {
    expect(unseenClauses(pack)).toEqual(expect.arrayContaining(['651a.8(c)(1)', '651a.8(c)(2)']));
  });

  it('651a.8(d): cover card first or in mid-round, finish, none after', () => {
    const follows = { roundsAfter: 0, announce: false, shuffleNow: false };
    expect(pack.cover).toEqual({ cite: seen('651a.8(d)'), first: follows, mid: follows });
  });

  it('651a.8(e): players do not handle cards, which nobody can tell', () => {
    expect(unseenClauses(pack)).toContain('651a.8(e)');
  });

  it('cites 651a.5 as not seen, machine or hand shuffles', () => {
    expect(pack.shuffle).toMatchObject({
      cite: notSeen('651a.5'),
      sources: ['hand', 'machine', 'preshuffled'],
    });
    expect(pack.marker).toEqual({ cite: notSeen('651a.5'), minBehind: null, bottomCover: false });
    expect(pack.unseen.find(({ duty }) => duty === 'marker-share')?.text).toContain('about 25 %');
  });
});

describe('pa/663a-five-card-hi-lo', () => {
  const pack = loadProcedure('pa/663a-five-card-hi-lo');

  it('663a.5(a): shuffled before each round, by hand or machine or preshuffled', () => {
    expect(pack.shuffle).toMatchObject({
      cite: seen('663a.5(a)'),
      when: 'each-round',
      sources: ['hand', 'machine', 'preshuffled'],
      eachDealer: false,
    });
  });

  it('663a.5(b): the machine counts 52; a wrong number takes the deck off the table', () => {
    expect(pack.count).toEqual({ cite: seen('663a.5(b)'), onWrong: 'remove-deck' });
    expect(pack.deck).toMatchObject({ cardsPerDeck: 52, decksMin: 1, decksMax: 1 });
  });

  it('663a.5(c)(1): dealt from a shoe, the hand or an automated shoe, uncut by machine', () => {
    expect(pack.dealing).toEqual(['shoe', 'hand', 'auto-shoe']);
    expect(pack.cut?.requiredFor.machine).toBe(false);
  });

  it('663a.5(c)(2): cut after a hand shuffle, and safer after preshuffled', () => {
    expect(pack.cut).toMatchObject({
      requiredCite: seen('663a.5(c)(2)'),
      requiredFor: { hand: true, machine: false, preshuffled: true },
    });
  });

  it('663a.5(d): the dealer cuts, ten from the top, none from the bottom, cover card below', () => {
    expect(pack.cut).toMatchObject({
      orderCite: seen('663a.5(d)'),
      depthCite: seen('663a.5(d)'),
      cutter: 'dealer',
      minFromTop: 10,
      minFromBottom: null,
      coverToBottom: true,
    });
  });

  it('663a.5(e): recut until a card is dealt', () => {
    expect(pack.cut?.recut).toEqual({
      cite: seen('663a.5(e)'),
      authority: 'floor',
      until: 'deal',
      by: 'dealer',
    });
  });

  it('663a.5(f): idle spread after minutes the house sets', () => {
    expect(pack.idle).toEqual({ cite: seen('663a.5(f)'), minutes: 10 });
    const chosen = loadProcedure('pa/663a-five-card-hi-lo', { choose: { idleMinutes: 30 } });
    expect(chosen.idle?.minutes).toBe(30);
  });

  it('663a.5(g): an approved device lifts (b) to (f), not the shuffle', () => {
    expect(pack.exemption).toEqual({ cite: seen('663a.5(g)'), lifts: ['cut', 'count', 'idle'] });
  });

  it('has no marker, no burn and no cover-card rule; the hand needs a machine', () => {
    expect(pack).toMatchObject({ marker: null, burn: null, dealerBurn: null, cover: null });
    expect(pack.handDealing).toEqual({ cite: notSeen('663a.9'), needsMachineShuffle: true });
    expect(pack.stub).toMatchObject({ cite: notSeen('663a.9'), appliesTo: ['hand'], perHand: 5 });
    expect(pack.round.faceUp).toBe(false);
  });
});

describe('pa/677a-heads-up-hold-em', () => {
  const pack = loadProcedure('pa/677a-heads-up-hold-em');

  it('677a.9(a)(1): hand dealing needs a machine shuffle', () => {
    expect(pack.handDealing).toEqual({ cite: seen('677a.9(a)(1)'), needsMachineShuffle: true });
    expect(pack.dealing).toEqual(['hand', 'auto-shoe']);
  });

  it('677a.9(a)(2): the same hand, over the tray, which nobody can tell', () => {
    const names = pack.unseen.filter(({ cite }) => cite.clause === '677a.9(a)(2)');
    expect(names.map(({ duty }) => duty)).toEqual(['same-hand', 'over-the-tray']);
  });

  it('677a.9(b): no more bets, two cards to each player and the dealer', () => {
    expect(pack.round.bets).toEqual(seen('677a.9(b)'));
    expect(pack.stub).toMatchObject({ perHand: 2, dealerHand: true });
  });

  it('677a.9(c): five community cards', () => {
    expect(pack.stub).toMatchObject({ community: 5, burns: 0 });
    expect(unseenClauses(pack)).toContain('677a.9(c)');
  });

  it('677a.9(d): the stub every five rounds unless a machine counts', () => {
    expect(pack.stub).toMatchObject({
      cite: seen('677a.9(d)'),
      everyRounds: 5,
      appliesTo: ['hand'],
      exemptIfCounting: true,
    });
  });

  it('677a.9(e) and 677a.9(f): right to the rack, wrong to the misdeal tree', () => {
    expect(pack.stub).toMatchObject({
      goodCite: seen('677a.9(e)'),
      wrongCite: seen('677a.9(f)'),
    });
  });

  it('lets the house say how many cards are burned before the board', () => {
    const chosen = loadProcedure('pa/677a-heads-up-hold-em', { choose: { boardBurns: 3 } });
    expect(chosen.stub?.burns).toBe(3);
  });
});
