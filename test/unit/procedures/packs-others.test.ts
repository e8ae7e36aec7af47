import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  builtInIds,
  loadPack,
  loadProcedure,
} from '../../../controller/runtime/procedure-files.js';

/** Cards left in the stub of a correct deck with so many players. */
const stubOf = (id: string, players: number): number => {
  const { deck, stub } = loadProcedure(id);
  if (stub === null) throw new Error(`${id} has no stub`);
  const hands = players + (stub.dealerHand ? 1 : 0);
  return deck.cardsPerDeck - stub.perHand * hands - stub.community - stub.burns;
};

describe('every built-in pack', () => {
  it.each(builtInIds())('%s compiles, under its own name, each value with a paragraph', (id) => {
    const { procedure, values, file, pack } = loadPack(id);
    expect(procedure.id).toBe(id);
    expect(basename(file, '.yaml')).toBe(id.split('/')[1]);
    expect(values.filter((one) => one.value !== null && one.clause === null)).toEqual([]);
    expect(values.filter((one) => one.verified && one.source === null)).toEqual([]);
    expect(Object.keys(pack.sources).length).toBeGreaterThan(0);
  });

  it('differs from every other in its content', () => {
    const hashes = builtInIds().map((id) => loadProcedure(id).hash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('claims to have read a value only where one of the five sections was', () => {
    const readers = builtInIds().filter((id) => loadPack(id).verified.verified > 0);
    expect(readers).toEqual([
      'pa/627a-minibaccarat',
      'pa/631a-baccarat',
      'pa/651a-casino-war',
      'pa/663a-five-card-hi-lo',
      'pa/677a-heads-up-hold-em',
    ]);
  });

  it('claims it for the paragraphs of its own section only', () => {
    const sections = [/^631a\.5/, /^627a\.9/, /^651a\.8/, /^663a\.5/, /^677a\.9/];
    for (const id of builtInIds()) {
      for (const value of loadPack(id).values.filter((one) => one.verified)) {
        expect(
          sections.some((one) => one.test(value.clause ?? '')),
          `${id} ${value.field}`,
        ).toBe(true);
      }
    }
  });
});

describe('blackjack', () => {
  it('633a.3: two batches take turns, a day in use, four hours from the hand', () => {
    expect(loadProcedure('pa/633a-blackjack').deck).toMatchObject({
      alternate: true,
      alternateCite: { clause: '633a.3', verified: false },
      maxAgeHours: 24,
      maxAgeHandHours: 4,
    });
  });

  it('633a.3: one batch where the house has no batch shuffler', () => {
    const choose = { batchShuffler: 'one-batch' };
    expect(loadProcedure('pa/633a-blackjack', { choose }).deck.alternate).toBe(false);
  });

  it('has 48 cards a deck in Spanish 21', () => {
    const { deck, dealing, shuffle } = loadProcedure('pa/635a-spanish-21');
    expect(deck).toMatchObject({ cardsPerDeck: 48, decksMin: 6, decksMax: 8 });
    expect(deck.maxAgeHandHours).toBeNull();
    expect(dealing).toEqual(['shoe']);
    expect(
      loadPack('pa/635a-spanish-21').values.find((one) => one.field === 'dealing'),
    ).toMatchObject({
      clause: '635a.3',
      verified: false,
    });
    expect(shuffle.cite).toEqual({ clause: '635a.5', verified: false });
  });

  it('is cut a deck deep in New South Wales, and shuffled at once on the cover card', () => {
    const { cut, cover } = loadProcedure('nsw/blackjack');
    expect(cut).toMatchObject({ minFromTop: 52, minFromBottom: 52, recut: null });
    expect(cover?.first).toEqual({ roundsAfter: 0, announce: false, shuffleNow: true });
    expect(cover?.mid).toEqual({ roundsAfter: 0, announce: false, shuffleNow: false });
  });

  it('has its marker a quarter from the back in New Jersey', () => {
    const { cut, marker, unseen } = loadProcedure('nj/69f-2-blackjack');
    expect(cut).toMatchObject({ minFromTop: 10, minFromBottom: 10, cutter: 'players' });
    expect(marker?.minBehind).toBeNull();
    expect(unseen.find(({ duty }) => duty === 'marker-share')?.text).toContain('at least 25 %');
    expect(unseen.map(({ duty }) => duty)).toContain('first-offer');
  });
});

describe('baccarat elsewhere', () => {
  it('is midibaccarat with every paragraph renumbered and in doubt', () => {
    const mini = loadProcedure('pa/627a-minibaccarat');
    const midi = loadProcedure('pa/629a-midibaccarat');
    expect(midi.cover).toEqual({ ...mini.cover, cite: { clause: '629a.9', verified: false } });
    expect(midi.burn).toMatchObject({ kind: 'first-card-value', cite: { clause: '629a.5' } });
  });

  it('burns in Macau by the first card, by the decks, or by a fixed number', () => {
    const burn = (choose?: Record<string, string | number>): unknown =>
      loadProcedure('macau/baccarat', choose === undefined ? {} : { choose }).burn;
    expect(burn()).toMatchObject({ kind: 'first-card-value' });
    expect(burn({ burn: 'decks' })).toMatchObject({ kind: 'deck-count', secret: false });
    expect(burn({ burn: 'house', burnCards: 8 })).toMatchObject({ kind: 'fixed', cards: 8 });
    expect(() => burn({ burn: 'house', burnCards: 9 })).toThrow(/from 1 to 8, not 9/);
    expect(() => burn({ burnCards: 4 })).toThrow(/only with burn: house/);
  });

  it('ends in Macau with none or one more hand, twelve cards behind the white card', () => {
    const { marker, cover, deck } = loadProcedure('macau/baccarat');
    expect(deck).toMatchObject({ decksMin: 6, decksMax: 12 });
    expect(marker?.minBehind).toBe(12);
    expect(cover?.mid.roundsAfter).toBe(1);
    const last = loadProcedure('macau/baccarat', { choose: { afterTheWhiteCard: 'last' } });
    expect(last.cover?.mid).toEqual({ roundsAfter: 0, announce: false, shuffleNow: false });
  });
});

describe('games of one deck', () => {
  it.each([
    ['pa/649a-three-card-poker', 4, 52 - 3 * 5],
    ['pa/641a-four-card-poker', 4, 52 - 5 * 4 - 6],
    ['pa/643a-let-it-ride', 4, 52 - 3 * 4 - 2],
    ['pa/653a-ultimate-texas-hold-em', 4, 52 - 2 * 5 - 5 - 2],
    ['pa/655a-mississippi-stud', 4, 52 - 2 * 4 - 3],
    ['pa/663a-five-card-hi-lo', 4, 52 - 5 * 5],
    ['pa/677a-heads-up-hold-em', 4, 37],
    ['pa/680a-saigon-5-card', 4, 53 - 5 * 5],
    ['pa/645a-pai-gow-poker', 1, 4],
    ['pa/645a-pai-gow-poker', 6, 4],
  ])('%s with %d players leaves a stub of %d', (id, players, left) => {
    expect(stubOf(id, players)).toBe(left);
  });

  it('counts what is left of 53 in every round of pai gow poker', () => {
    const { deck, stub } = loadProcedure('pa/645a-pai-gow-poker');
    expect(deck.cardsPerDeck).toBe(53);
    expect(stub).toMatchObject({
      everyRounds: 1,
      appliesTo: ['shoe', 'hand', 'auto-shoe'],
      exemptIfCounting: false,
    });
  });

  it('cuts preshuffled decks in Maryland and has no exempt device there', () => {
    const pack = loadProcedure('md/36-05-03-27-one-deck');
    expect(pack.cut).toMatchObject({
      requiredCite: { clause: 'COMAR 36.05.03.27', verified: false },
      requiredFor: { preshuffled: true },
      recut: { until: 'deal' },
    });
    expect(pack.count).toMatchObject({ onWrong: 'remove-deck' });
    expect(pack.exemption).toBeNull();
  });
});
