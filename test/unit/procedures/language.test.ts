import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../controller/procedures/canonical.js';
import { compiled, edited, lineOf, problemsOf, sha256, SOUND } from './support.js';

describe('marks', () => {
  it('come from the value, or else from the block around it', () => {
    const { cut } = compiled(SOUND).procedure;
    expect(cut?.orderCite.clause).toBe('1.5(b)');
    expect(cut?.depthCite.clause).toBe('1.5(c)');
    expect(cut?.recut?.cite.clause).toBe('1.5(e)');
  });

  it('are not verified unless the pack says so', () => {
    const { values, procedure } = compiled(SOUND);
    expect(procedure.deck.cite.verified).toBe(true);
    expect(procedure.burn?.cite.verified).toBe(false);
    const decks = values.find((value) => value.field === 'deck.decks.min');
    expect(decks).toMatchObject({ value: 1, clause: '1.3', verified: true, source: 'law' });
  });

  it('count every value written, and the share that was read', () => {
    const { values, verified } = compiled(SOUND);
    expect(verified.of).toBe(values.length);
    // composition, decks 2, batches 2, maximum age 2
    expect(verified.verified).toBe(7);
  });
});

const CHILD = `pack: 1
id: test/child
title: Child
jurisdiction: Nowhere
version: 1.0.0
extends: test/sound
`;
const packs = { 'test/sound': SOUND };

describe('extends', () => {
  it('hands down everything but the names', () => {
    const child = compiled(CHILD, { packs }).procedure;
    const parent = compiled(SOUND).procedure;
    expect({
      ...child,
      id: parent.id,
      title: parent.title,
      version: parent.version,
      hash: '',
    }).toEqual({
      ...parent,
      hash: '',
    });
    expect(child.hash).not.toBe(parent.hash);
  });

  it('replaces single values and keeps the rest of the block', () => {
    const child = compiled(`${CHILD}marker: { minBehind: 20 }\n`, { packs }).procedure;
    expect(child.marker).toMatchObject({
      minBehind: 20,
      bottomCover: true,
      cite: { clause: '1.5(d)' },
    });
  });

  it('keeps the paragraph of a value whose number changes', () => {
    const { cut } = compiled(`${CHILD}cut: { minFromTop: 12 }\n`, { packs }).procedure;
    expect(cut).toMatchObject({ minFromTop: 12, depthCite: { clause: '1.5(c)', verified: false } });
  });

  it('does not call a changed value verified because the block was', () => {
    const { values } = compiled(`${CHILD}deck: { decks: { max: 6 } }\n`, { packs });
    expect(values.find((one) => one.field === 'deck.decks.max')).toMatchObject({
      verified: false,
      note: 'set by test/child',
    });
    expect(values.find((one) => one.field === 'deck.decks.min')).toMatchObject({ verified: true });
  });

  it('takes the mark a child gives', () => {
    const text = `${CHILD}deck: { decks: { max: { value: 6, clause: "2.2", verified: true } } }\n`;
    const value = compiled(text, { packs }).values.find((one) => one.field === 'deck.decks.max');
    expect(value).toMatchObject({ clause: '2.2', verified: true, source: 'law' });
  });

  it('takes a whole block away with none', () => {
    const child = compiled(`${CHILD}dealerBurn: none\n`, { packs });
    expect(child.procedure.dealerBurn).toBeNull();
  });

  it('replaces a burn of another kind as a whole', () => {
    const burn = '{ clause: "2.5", kind: fixed, cards: 3, secret: false, to: rack }';
    const text = `${CHILD}burn: ${burn}\n`;
    expect(compiled(text, { packs }).procedure.burn).toEqual({
      kind: 'fixed',
      cite: { clause: '2.5', verified: false },
      cards: 3,
      secret: false,
      to: 'rack',
    });
  });

  it('renumbers paragraphs, drops letters nobody read, and doubts every value', () => {
    const { procedure, values } = compiled(`${CHILD}renumber: { "1": 2x }\n`, { packs });
    expect(procedure.marker?.cite).toEqual({ clause: '2x.5', verified: false });
    expect(procedure.count.cite.clause).toBe('policy:shuffler-count');
    expect(values.filter((value) => value.verified)).toEqual([]);
    expect(values.find((one) => one.field === 'marker.minBehind')?.note).toBe(
      'taken over from 1.5(d)',
    );
  });

  it('renumbers a section on its own, the longest key first', () => {
    const text = `${CHILD}renumber: { "1": 2x, "1.5": COMAR 36.05.03.27 }\n`;
    const { procedure } = compiled(text, { packs });
    expect(procedure.marker?.cite.clause).toBe('COMAR 36.05.03.27');
    expect(procedure.cover?.cite.clause).toBe('2x.9');
  });

  it('does not take `1` for the beginning of `11`', () => {
    const parent = edited(SOUND, 'clause: "1.9(e)"', 'clause: "11.9(e)"');
    const text = `${CHILD}renumber: { "1": 2x }\n`;
    const { procedure } = compiled(text, { packs: { 'test/sound': parent } });
    expect(procedure.cover?.cite).toEqual({ clause: '11.9(e)', verified: false });
  });

  it('goes over several parents', () => {
    const middle = edited(CHILD, 'test/child', 'test/middle') + 'marker: { minBehind: 30 }\n';
    const text = `${edited(CHILD, 'extends: test/sound', 'extends: test/middle')}maxSeats: 5\n`;
    const all = { ...packs, 'test/middle': middle };
    expect(compiled(text, { packs: all }).procedure.marker?.minBehind).toBe(30);
  });

  it('refuses a parent that is not there', () => {
    const [problem] = problemsOf(CHILD);
    expect(problem).toMatchObject({ field: 'extends', line: lineOf(CHILD, 'extends') });
    expect(problem?.cause).toMatch(/no pack `test\/sound`/);
  });

  it('refuses a circle', () => {
    const text = edited(CHILD, 'extends: test/sound', 'extends: test/child');
    expect(problemsOf(text, { packs: { 'test/child': text } })[0]?.cause).toMatch(/circle/);
  });

  it('refuses a chain too long to follow', () => {
    const all = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [
        `test/p${at}`,
        edited(
          edited(CHILD, 'test/child', `test/p${at}`),
          'extends: test/sound',
          `extends: test/p${at + 1}`,
        ),
      ]),
    );
    const text = edited(CHILD, 'extends: test/sound', 'extends: test/p0');
    expect(problemsOf(text, { packs: all })[0]?.cause).toMatch(/More than 5 packs/);
  });

  it("names the parent's file for what is wrong in the parent", () => {
    const parent = edited(SOUND, 'minBehind: 14', 'minBehind: 60');
    expect(problemsOf(CHILD, { packs: { 'test/sound': parent } })[0]).toMatchObject({
      file: 'test/sound.yaml',
      line: lineOf(parent, 'minBehind'),
    });
  });
});

describe('options', () => {
  it('leave the pack as written when nothing is chosen', () => {
    const { procedure, chosen } = compiled(SOUND);
    expect(procedure.round.faceUp).toBe(true);
    expect(chosen).toEqual({});
  });

  it('are chosen in a pack that extends', () => {
    const text = `${CHILD}choose: { lie: face-down, idleMinutes: 25 }\n`;
    const { procedure, chosen } = compiled(text, { packs });
    expect(procedure.round).toMatchObject({ faceUp: false, tableau: null });
    expect(procedure.idle?.minutes).toBe(25);
    expect(chosen).toEqual({ lie: 'face-down', idleMinutes: 25 });
  });

  it('carry the mark of the choice', () => {
    const { values } = compiled(SOUND, { choose: { lie: 'face-down' } });
    expect(values.find((one) => one.field === 'round.faceUp')).toMatchObject({
      clause: '1.8(2)',
      verified: true,
      note: 'option lie: face-down',
    });
  });

  it("let the caller's choice win over the pack's", () => {
    const text = `${CHILD}choose: { lie: face-down }\n`;
    const { procedure } = compiled(text, { packs, choose: { lie: 'face-up' } });
    expect(procedure.round.faceUp).toBe(true);
  });

  it('make another content hash', () => {
    const hash = (minutes: number): string =>
      compiled(SOUND, { choose: { idleMinutes: minutes } }).procedure.hash;
    expect(hash(10)).toBe(compiled(SOUND).procedure.hash);
    expect(hash(11)).not.toBe(hash(10));
  });

  it.each([
    [{ nothing: 'x' }, /no option `nothing`; it has: idleMinutes, lie/],
    [{ lie: 'sideways' }, /`lie` is one of face-up, face-down, not sideways/],
    [{ idleMinutes: 61 }, /takes a number from 1 to 60, not 61/],
    [{ idleMinutes: 'long' }, /takes a number from 1 to 60, not long/],
  ])('refuse %j', (choose, cause) => {
    const [problem] = problemsOf(SOUND, { choose });
    expect(problem?.cause).toMatch(cause);
    expect(problem?.cure).toMatch(/explain/);
  });

  it('refuse a number whose need was not chosen, and take it where it was', () => {
    const text = edited(
      SOUND,
      'sets: idle.minutes,',
      'sets: idle.minutes, needs: { lie: face-down },',
    );
    expect(problemsOf(text, { choose: { idleMinutes: 20 } })[0]?.cause).toMatch(
      /only with lie: face-down/,
    );
    const choose = { lie: 'face-down', idleMinutes: 20 };
    expect(compiled(text, { choose }).procedure.idle?.minutes).toBe(20);
  });
});

describe('the content hash', () => {
  it('is SHA-256 of the canonical procedure', () => {
    const { hash, ...body } = compiled(SOUND).procedure;
    expect(hash).toBe(sha256(canonicalJson(body)));
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('does not depend on comments, order of keys or order of sets', () => {
    const { hash } = compiled(SOUND).procedure;
    const other = edited(
      SOUND,
      'sources: [hand, machine, preshuffled]\n  wash',
      'sources: [preshuffled, hand, machine]\n  wash',
    );
    expect(compiled(`# a comment\n${other}`).procedure.hash).toBe(hash);
    expect(
      compiled(edited(SOUND, 'id: test/sound\ntitle: Sound', 'title: Sound\nid: test/sound'))
        .procedure.hash,
    ).toBe(hash);
  });

  it('changes with any value', () => {
    const { hash } = compiled(SOUND).procedure;
    expect(compiled(edited(SOUND, 'minBehind: 14', 'minBehind: 15')).procedure.hash).not.toBe(hash);
    expect(compiled(edited(SOUND, '"1.9(e)"', '"1.9(f)"')).procedure.hash).not.toBe(hash);
  });

  it('is over text that reads back as the same value, keys in order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
    expect(canonicalJson({ b: 1, a: [true, null], c: undefined })).toBe('{"a":[true,null],"b":1}');
    expect(() => canonicalJson(Number.NaN)).toThrow(/NaN/);
  });
});

describe('what no rule of the core can judge', () => {
  it('becomes a duty nobody can see', () => {
    const { unseen } = compiled(SOUND).procedure;
    expect(unseen.map(({ duty, text }) => [duty, text])).toEqual([
      ['same-hand', 'The deck stays in one hand'],
      ['marker-share', 'The cover card goes in with 10 % to 50 % of the stack behind it'],
      ['dead-game-burn', 'Burn 1 before a dead game goes on'],
      ['auto-shoe-stack', 'The automated shoe gives the cards in stacks of 5'],
      ['inspection', '2 players look at the spread cards before play'],
    ]);
  });

  it.each([
    ['{ min: 0.25, max: 0.25 }', 'about 25 %'],
    ['{ min: 0.25 }', 'at least 25 %'],
    ['{ max: 0.5 }', 'at most 50 %'],
  ])('says a share of %s in words', (share, words) => {
    const { unseen } = compiled(edited(SOUND, '{ min: 0.1, max: 0.5 }', share)).procedure;
    expect(unseen.find(({ duty }) => duty === 'marker-share')?.text).toContain(words);
  });

  it('counts hands dealt to every seat like cards of the board', () => {
    const text = edited(SOUND, 'perHand: 2', 'perHand: 6\n  fixedHands: 7');
    expect(compiled(text).procedure.stub).toMatchObject({
      perHand: 0,
      dealerHand: false,
      community: 47,
    });
  });
});
