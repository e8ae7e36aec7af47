import { describe, expect, it } from 'vitest';
import { diffPacks, diffText } from '../../../controller/procedures/diff.js';
import { byClause, explainPack, explanationText } from '../../../controller/procedures/explain.js';
import { builtInIds, loadPack } from '../../../controller/runtime/procedure-files.js';
import { compiled, edited, SOUND } from './support.js';

const lines = (text: string): readonly string[] => text.split('\n');

describe('explain', () => {
  it('says every rule of 631a.5 in plain words, letter by letter', () => {
    const text = explanationText(explainPack(loadPack('pa/631a-baccarat')));
    for (const letter of 'abcdef') expect(text).toContain(`§ 631a.5(${letter})`);
    expect(text).toContain('each dealer of the crew shuffles the stack on his own');
    expect(text).toContain('from the highest seat');
    expect(text).toContain('at least 10 cards from the top, 10 from the bottom');
    expect(text).toContain('at least 14 cards behind it');
    expect(text).toContain('made by the next person\n  entitled');
    expect(text).toContain('A=1, 2=2');
    expect(text).toContain('T/J/Q/K=10');
  });

  it('gives each rule the grade it can reach', () => {
    const { statements } = explainPack(loadPack('pa/651a-casino-war'));
    const grade = (about: string): string | undefined =>
      statements.find((one) => one.about === about)?.evidence;
    expect(grade('burn')).toBe('sensed');
    expect(grade('cut.order')).toBe('attested');
    expect(grade('cut.depth')).toBe('attested');
    expect(grade('round.bets')).toBe('attested');
    expect(grade('cover.mid')).toBe('sensed');
    expect(grade('unseen.hands-off')).toBe('unseen');
  });

  it('never calls a hand shuffle or hand dealing sensed where no machine is used', () => {
    const text = edited(
      SOUND,
      'sources: [hand, machine, preshuffled]\n  wash',
      'sources: [hand, preshuffled]\n  wash',
    )
      .replace('needsMachineShuffle: true', 'needsMachineShuffle: false')
      .replace('requiredAfter: [hand, machine, preshuffled]', 'requiredAfter: [hand]')
      .replace('exemptIfCounting: true', 'exemptIfCounting: false')
      .replace('lifts: [cut, count, idle, stub]', 'lifts: [cut]');
    const { statements } = explainPack(compiled(text));
    expect(statements.find((one) => one.about === 'shuffle')?.evidence).toBe('attested');
    expect(statements.find((one) => one.about === 'count')).toBeUndefined();
  });

  it('is as sure as the least sure value a rule rests on', () => {
    const { statements } = explainPack(loadPack('pa/663a-five-card-hi-lo'));
    const idle = statements.find((one) => one.about === 'idle');
    expect(idle).toMatchObject({ clause: '663a.5(f)', verified: false });
    const order = statements.find((one) => one.about === 'cut.order');
    expect(order).toMatchObject({ clause: '663a.5(d)', verified: true });
  });

  it('lists what was not read, with the reason, and the options with the choice', () => {
    const choose = { idleMinutes: 25 };
    const text = explanationText(explainPack(loadPack('pa/663a-five-card-hi-lo', { choose })));
    expect(text).toContain('Not verified');
    expect(text).toContain('idle.minutes = 25 (663a.5(f))');
    expect(text).toContain('Chosen: 25.');
    expect(text).toContain('1 to 240 (idle.minutes)');
  });

  it.each(builtInIds())('keeps %s within 96 columns, ending every sentence', (id) => {
    const explanation = explainPack(loadPack(id));
    const text = explanationText(explanation);
    expect(lines(text).filter((line) => line.length > 96)).toEqual([]);
    expect(text).not.toMatch(/undefined|null|NaN|\[object/);
    for (const statement of explanation.statements) expect(statement.text).toMatch(/[^.]\.$/);
  });

  it('shows who approved the pack, and never hands an approval down', () => {
    const approved = edited(
      SOUND,
      'maxSeats: 7',
      'maxSeats: 7\napproval: { id: A-1, by: The Board, date: 2026-01-31 }',
    );
    expect(explanationText(explainPack(compiled(approved)))).toContain(
      'Approval A-1 by The Board, 2026-01-31',
    );
    const names = 'id: a/b\ntitle: B\njurisdiction: X\nversion: 1.0.0\n';
    const child = `pack: 1\n${names}extends: test/sound\n`;
    const explained = explainPack(compiled(child, { packs: { 'test/sound': approved } }));
    expect(explained.approval).toBeNull();
    expect(explanationText(explained)).toContain('Approval none recorded');
  });

  it('orders paragraphs as the Code does, house policies last', () => {
    const clauses = ['policy:x', '631a.10', '631a.5(b)', '631a.5(a)', '627a.9(e)'];
    expect([...clauses].sort(byClause)).toEqual([
      '627a.9(e)',
      '631a.5(a)',
      '631a.5(b)',
      '631a.10',
      'policy:x',
    ]);
  });
});

/** Edits of the sound pack and the rule whose words must change. */
const EDITS: readonly (readonly [about: string, was: string, is: string])[] = [
  ['deck', 'decks: { min: 1, max: 8 }', 'decks: { min: 1, max: 6 }'],
  ['deck', 'composition: standard', 'composition: one-joker'],
  ['deck.age', 'hours: 24', 'hours: 12'],
  ['deck.age', 'handHours: 4', 'handHours: 5'],
  ['deck.alternate', 'alternate: false', 'alternate: true'],
  ['shuffle.wash', 'wash: true', 'wash: false'],
  ['shuffle.dealers', 'eachDealer: true', 'eachDealer: false'],
  ['count', 'onWrong: recount', 'onWrong: remove-deck'],
  ['cut.required', 'requiredAfter: [hand, machine, preshuffled]', 'requiredAfter: [hand]'],
  ['cut.depth', 'minFromTop: { value: 10', 'minFromTop: { value: 11'],
  ['cut.depth', 'minFromBottom: 10', 'minFromBottom: none'],
  ['cut.recut', 'until: load', 'until: deal'],
  ['cut.recut', 'authority: floor', 'authority: surveillance'],
  ['cut.recut', 'by: next-entitled', 'by: dealer'],
  ['marker', 'minBehind: 14', 'minBehind: 15'],
  ['unseen.marker-share', 'max: 0.5 }', 'max: 0.6 }'],
  ['burn', 'A: 1', 'A: 2'],
  ['burn', 'to: bucket', 'to: rack'],
  ['dealer-burn', '{ cards: 1, secret: true', '{ cards: 2, secret: true'],
  ['dealer-burn', '{ cards: 1, secret: true', '{ cards: 1, secret: false'],
  ['unseen.dead-game-burn', '{ cards: 1, secret: false', '{ cards: 2, secret: false'],
  ['cover.first', 'first: { roundsAfter: 1', 'first: { roundsAfter: 1, shuffleNow: false'],
  ['cover.mid', 'mid: { roundsAfter: 1, announce: true', 'mid: { roundsAfter: 0, announce: false'],
  ['round.bets', 'noMoreBets: { value: true', 'noMoreBets: { value: false'],
  ['round.calls', 'after: 4', 'after: 5'],
  ['stub', 'everyRounds: 5', 'everyRounds: 6'],
  ['stub', 'perHand: 2', 'perHand: 3'],
  ['stub', 'community: 5', 'community: 6'],
  ['stub', 'burns: 0', 'burns: 1'],
  ['stub', 'dealerHand: true', 'dealerHand: false'],
  ['stub', 'exemptIfCounting: true', 'exemptIfCounting: false'],
  ['hand-dealing', 'needsMachineShuffle: true', 'needsMachineShuffle: false'],
  ['idle', 'minutes: 10', 'minutes: 11'],
  ['exemption', 'lifts: [cut, count, idle, stub]', 'lifts: [cut, count, idle]'],
  ['unseen.same-hand', 'The deck stays in one hand', 'The deck stays put'],
];

describe('diff', () => {
  it('says nothing of a pack and itself', () => {
    const pack = compiled(SOUND);
    expect(diffPacks(pack, pack)).toEqual([]);
    expect(diffText(pack, pack, [])).toContain('The two say the same.');
  });

  it.each(EDITS.filter(([, was, is]) => !is.includes(`${was}, shuffleNow`)))(
    'puts a change of %s into words: %s → %s',
    (about, was, is) => {
      const differences = diffPacks(compiled(SOUND), compiled(edited(SOUND, was, is)));
      const texts = differences.filter(({ kind }) => kind === 'text').map((one) => one.about);
      expect(texts).toContain(about);
    },
  );

  it('finds no change where only words of the file moved', () => {
    const same = edited(
      SOUND,
      'first: { roundsAfter: 1',
      'first: { shuffleNow: false, roundsAfter: 1',
    );
    expect(diffPacks(compiled(SOUND), compiled(same))).toEqual([]);
  });

  it('tells a changed paragraph from a changed rule', () => {
    const other = edited(SOUND, 'clause: "1.5(f)"', 'clause: "1.5(z)"');
    expect(diffPacks(compiled(SOUND), compiled(other))).toMatchObject([
      { about: 'burn', kind: 'clause' },
    ]);
  });

  it('says what only one of two games has', () => {
    const [left, right] = [loadPack('pa/651a-casino-war'), loadPack('pa/627a-minibaccarat')];
    const text = diffText(left, right, diffPacks(left, right));
    expect(text).toContain('dealer-burn\n  - Each new dealer burns 1 card');
    expect(text).toContain('  + no such rule');
    expect(text).toContain('no more is dealt');
    expect(text).toContain('1 more round may be dealt, the last one announced');
  });
});
