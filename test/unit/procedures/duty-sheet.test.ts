import { describe, expect, it } from 'vitest';
import { type DutySheet, dutySheets } from '../../../controller/core/duty-sheet.js';
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
