import { describe, expect, it } from 'vitest';
import { type DutySheet, dutySheets } from '../../../controller/core/duty-sheet.js';
import type { Decision, Step } from '../../../controller/core/decision.js';
import type { Finding } from '../../../controller/core/finding.js';
import type { Observation } from '../../../controller/core/observation.js';
import { sheetHtml } from '../../../controller/runtime/duty-sheet-page.js';
import { type SheetHead, sheetText } from '../../../controller/runtime/duty-sheet-words.js';
import { type Recorded, tableFor } from './recorded-table.js';

const headOf = (table: Recorded): SheetHead => ({
  journal: 'table-7.journal',
  procedure: table.rules.procedure,
  lastHash: 'ab'.repeat(32),
});
const outcomes = (sheet: DutySheet | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries((sheet?.duties ?? []).map((duty) => [duty.duty, duty.outcome]));

describe('the duty sheet of a shoe', () => {
  const war = tableFor('pa/651a-casino-war');
  war.open();
  war.round(6);
  war.press('dealer-in', undefined, { badge: 'D-77' }).card();
  war.press('no-more-bets').cards(3).cover().cards(3).press('round-end');
  war.press('collected').machine('red');
  const [sheet, following] = war.sheets;

  it('says of every duty whether it was met and how that is known', () => {
    expect(outcomes(sheet)).toMatchObject({
      shuffle: 'met',
      cut: 'met',
      marker: 'met',
      load: 'met',
      burn: 'met',
      'dealer-burn': 'met',
      'shoe-side-hand': 'unseen',
      'hands-off': 'unseen',
    });
    const evidence = new Map(sheet?.duties.map((duty) => [duty.duty, duty.evidence]));
    expect(evidence.get('shuffle')).toBe('sensed');
    expect(evidence.get('cut')).toBe('attested');
    expect(evidence.get('burn')).toBe('sensed');
    expect(evidence.get('hands-off')).toBe('unseen');
  });

  it('names the rows, and they are rows of the journal', () => {
    const rows = new Map(war.steps.map((step) => [step.observation.seq, step]));
    for (const duty of sheet?.duties ?? []) {
      for (const entry of duty.entries) {
        const decisions = rows.get(entry.seq)?.decisions ?? [];
        expect(decisions.some((one) => one.do === 'duty' && one.duty.duty === duty.duty)).toBe(
          true,
        );
      }
    }
    const burn = sheet?.duties.find((duty) => duty.duty === 'dealer-burn');
    expect(burn?.entries.map((entry) => entry.status)).toEqual(['due', 'met']);
  });

  it('counts the shoe up to its end, not the emptied one', () => {
    expect(sheet).toMatchObject({
      shoe: 1,
      batch: 'red',
      loaded: 416,
      out: 1 + 6 + 1 + 6,
      outKnown: true,
      rounds: 2,
      isOver: true,
      dealers: ['D-77'],
    });
    expect(sheet?.first.seq).toBeLessThan(sheet?.last.seq ?? 0);
  });

  it('begins the next sheet where the next stack begins, with the dealer at the table', () => {
    expect(following).toMatchObject({ shoe: null, loaded: null, isOver: false, dealers: ['D-77'] });
    expect(outcomes(following)).toMatchObject({
      shuffle: 'met',
      cut: 'open',
      'hands-off': 'unseen',
    });
    expect(following?.first.seq).toBe(sheet?.last.seq);
  });

  it('631a.5(f): shows what was never done as not met', () => {
    const table = tableFor('pa/631a-baccarat', { crew: 3, seats: 14, shuffler: 'none' });
    table.open({ until: 'burn' });
    table.floor('reshuffle');
    const [first] = table.sheets;
    expect(outcomes(first)).toMatchObject({
      shuffle: 'met',
      burn: 'not-met',
      'burn-rank': 'not-met',
    });
    expect(outcomes(first)['backs-away']).toBe('unseen');
  });

  it('663a.5(c)(1): shows a cut the clause does not ask for as waived', () => {
    const table = tableFor('pa/663a-five-card-hi-lo', { decks: 1 }).open();
    expect(outcomes(table.sheets[0])).toMatchObject({ cut: 'waived' });
  });

  it('carries an open finding over, and tells when it ended', () => {
    const table = tableFor('pa/627a-minibaccarat').open();
    table.press('no-more-bets').cards(7);
    const open = table.sheets
      .at(-1)
      ?.findings.find((one) => one.finding.code === 'round.overdrawn');
    expect(open).toMatchObject({ carried: false, ended: null });
    table.floor('void-round').floor('clear', 'round.overdrawn');
    const done = table.sheets
      .at(-1)
      ?.findings.find((one) => one.finding.code === 'round.overdrawn');
    expect(done?.ended).toMatchObject({ by: { role: 'floor', badge: 'F-1' } });
  });

  it('follows a finding that outlives its shoe: acknowledged, grown, cleared in the next', () => {
    const stop: Finding = {
      id: '2.1',
      code: 'gap.unwatched',
      clause: 'policy:gap',
      severity: 'stop',
      lifespan: 'person',
      expected: 'cards watched',
      observed: 'dark for 2 s',
      remedy: 'SAY HOW MANY',
      authority: 'floor',
      raisedSeq: 2,
      raisedNs: 0,
      raisedWallMs: 0,
    };
    const info: Finding = { ...stop, id: '2.2', code: 'dwell.cut', severity: 'info' };
    const floor = { role: 'floor', badge: 'F-9' } as const;
    const step = (seq: number, ...decisions: readonly Decision[]): Step<Observation> => ({
      observation: { kind: 'cover.out', seq, atNs: seq, wallMs: seq * 1000, wallTrusted: true },
      decisions,
    });
    const sheets = [
      ...dutySheets(
        [
          step(1, { do: 'raised', finding: stop }, { do: 'duties', duties: [] }),
          step(2, { do: 'raised', finding: stop }, { do: 'raised', finding: info }),
          step(3, { do: 'acknowledged', id: '2.1', by: floor }),
          step(4, { do: 'duties', duties: [] }),
          step(5, { do: 'changed', finding: { ...stop, cardsAfterWarning: 3 } }),
          step(6, { do: 'cleared', id: '2.1', code: stop.code, by: floor, how: 'floor' }),
          step(7, { do: 'cleared', id: '9.9', code: stop.code, by: floor, how: 'floor' }),
        ],
        () => new Set(),
      ),
    ];
    const [first, second] = sheets;
    expect(sheets).toHaveLength(2);
    expect(first?.findings).toMatchObject([
      { finding: { id: '2.1', acknowledged: floor }, carried: false, ended: null },
      { finding: { id: '2.2' }, carried: false },
    ]);
    expect(second?.findings).toMatchObject([
      {
        finding: { id: '2.1', cardsAfterWarning: 3 },
        carried: true,
        ended: { seq: 6, wallMs: 6000, by: floor, how: 'floor' },
      },
    ]);
    const head: SheetHead = { journal: 'j', procedure: null, lastHash: null };
    const text = second === undefined ? '' : sheetText(second, head);
    expect(text).toContain('row 2, from an earlier shoe');
    expect(text).toContain('; 3 cards after the warning');
    expect(text).toContain('floor, by F-9, 1970-01-01 00:00:06 UTC, row 6');
    const html = first === undefined ? '' : sheetHtml(first, head);
    expect(html).toContain('<span class="bad">open</span>');
  });

  it('ends when the table closes', () => {
    const table = tableFor('pa/627a-minibaccarat').open();
    expect(table.sheets.at(-1)?.isOver).toBe(false);
    table.press('close-table');
    expect(table.sheets.at(-1)?.isOver).toBe(table.phase === 'closed');
  });

  it('is empty for an empty journal', () => {
    expect([...dutySheets([], () => new Set())]).toEqual([]);
  });

  it('takes the rules from the start the rows follow', () => {
    const boot: Observation = {
      kind: 'power.boot',
      unclean: false,
      boot: 1,
      procedure: 'p'.repeat(64),
      table: 't'.repeat(64),
      seq: 0,
      atNs: 0,
      wallMs: 0,
      wallTrusted: false,
    };
    const asked: (string | null)[] = [];
    const steps = [{ observation: boot, decisions: [] }, ...war.steps];
    const sheets = [
      ...dutySheets(steps, (procedure, table) => {
        asked.push(procedure, table);
        return new Set(['hands-off']);
      }),
    ];
    expect(asked).toEqual([null, null, 'p'.repeat(64), 't'.repeat(64)]);
    expect(sheets[0]).toMatchObject({ procedure: 'p'.repeat(64), table: 't'.repeat(64) });
    expect(outcomes(sheets[0])).toMatchObject({
      'hands-off': 'unseen',
      'shoe-side-hand': 'not-met',
    });
  });
});

describe('the sheet on paper', () => {
  const table = tableFor('pa/631a-baccarat', { crew: 3, seats: 14, shuffler: 'none' });
  table.open();
  table.press('no-more-bets').cards(7).floor('void-round').floor('clear', 'round.overdrawn');
  table.press('dealer-in', '<b>Eve</b> & "co"');
  const sheet = table.sheets.at(-1);
  if (sheet === undefined) throw new Error('a sheet');

  it('gives paragraph, words, outcome, grade, row and time as text', () => {
    const text = sheetText(sheet, headOf(table));
    expect(text).toMatch(/^Duty sheet, shoe 1\n\d+ duties: \d+ met/);
    expect(text).toContain('Baccarat (pa/631a-baccarat 1.0.0)');
    expect(text).toMatch(/§ 631a\.5\(f\)\s+Opening burn: met \(sensed\)\n {4}row \d+, 20\d\d-/);
    expect(text).toContain('with the backs facing away from the dealer: nobody can tell');
    expect(text).toMatch(/round\.overdrawn \(stop\).*\n.*expected .*; seen .*\n.*by F-1/);
    expect(text).not.toMatch(/undefined|null|NaN/);
  });

  it('marks a time whose clock was not trusted', () => {
    const doubted = { ...sheet, first: { ...sheet.first, wallTrusted: false } };
    expect(sheetText(doubted, headOf(table))).toMatch(/From\s+\S+ \S+ UTC\?, row/);
  });

  it('says what is not known', () => {
    const head = { journal: 'j', procedure: null, lastHash: null };
    const text = sheetText(
      { ...sheet, loaded: null, shoe: null, batch: null, outKnown: false },
      head,
    );
    expect(text).toContain('Duty sheet, stack not loaded');
    expect(text).toMatch(/Hash of the last row\s+not known/);
  });

  it('is one page without anything from outside, and nothing written into it', () => {
    const html = sheetHtml(sheet, headOf(table));
    expect(html).toContain('&lt;b&gt;Eve&lt;/b&gt; &amp; &quot;co&quot;');
    expect(html).not.toContain('<b>Eve');
    expect(html).not.toMatch(/<script|src=|href=|url\(/);
    expect(html).toContain("default-src 'none'");
    expect(html).toContain('@page');
    expect(html).toContain('<html lang="en">');
    expect((html.match(/<tr>/g) ?? []).length).toBe(
      sheet.duties.length + sheet.findings.length + 1 + (sheet.findings.length > 0 ? 1 : 0),
    );
  });
});
