import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { clausesIn, type TestFile, titlesOf } from '../../trace/collect.js';
import { traceWorkingCopy } from '../../trace/main.js';
import { clausesPage } from '../../trace/markdown.js';
import { SECTIONS } from '../../trace/sections.js';
import { traceOf } from '../../trace/trace.js';
import { loadPack } from '../../../controller/runtime/procedure-files.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

describe('the trace of this working copy', () => {
  const trace = traceWorkingCopy(ROOT);

  it('has no gap between sections, rules and tests', () => {
    expect(trace.gaps).toEqual([]);
  });

  it('has every letter of the five sections', () => {
    expect(trace.clauses.map((row) => row.clause)).toEqual(SECTIONS.flatMap((one) => one.clauses));
    expect(trace.clauses).toHaveLength(33);
  });

  it('names the clauses and findings of docs/CLAUSES.md, which npm run trace writes', () => {
    const page = readFileSync(`${ROOT}docs/CLAUSES.md`, 'utf8');
    for (const row of trace.clauses) expect(page).toContain(`| § ${row.clause} |`);
    for (const row of trace.codes) expect(page).toContain(`| \`${row.code}\` |`);
  });
});

describe('what counts as a gap', () => {
  const packs = [loadPack('pa/627a-minibaccarat')];
  const core = new Map([['controller/core/x.ts', "raise('counts.not-called')"]]);
  const test = (path: string, kind: TestFile['kind'], text: string): TestFile => ({
    path,
    kind,
    clauses: clausesIn(text),
    text,
  });
  const gapsOf = (tests: readonly TestFile[]): readonly string[] =>
    traceOf({ packs, core, tests }).gaps;

  it('is a clause no test of the values names', () => {
    expect(gapsOf([])).toContain("627a.9(a): no test of the pack's values names it");
  });

  it('is a clause the core judges and no test of the core or scenario names', () => {
    const gap = '627a.9(a): no test of the core and no scenario names it';
    expect(gapsOf([test('v', 'value', '627a.9(a)')])).toContain(gap);
    expect(gapsOf([test('s', 'scenario', '627a.9(a)')])).not.toContain(gap);
  });

  it('is a clause no rule names, or no file keeps', () => {
    const gaps = gapsOf([]);
    expect(gaps).toContain('631a.5(a): no rule of pa/631a-baccarat names it');
    expect(gaps).toContain('627a.9(d): no file of the core keeps it');
  });

  it('is a clause in a test that no pack has', () => {
    expect(gapsOf([test('t.ts', 'rule', '627a.9(z)')])).toContain(
      't.ts: names 627a.9(z), which no pack and no section has',
    );
  });

  it('is a finding nothing raises, or nothing sees', () => {
    const gaps = gapsOf([test('t.ts', 'rule', 'counts.not-called')]);
    expect(gaps).toContain('burn.short: no file of the core raises it');
    expect(gaps).toContain('burn.short: no test and no scenario sees it');
    expect(gaps).not.toContain('counts.not-called: no test and no scenario sees it');
  });
});

describe('titles', () => {
  it('are found in it, test and describe, with each and with options', () => {
    const text = `
      describe('a', () => { it('b', () => {}); it.each([1])('c %i', () => {}); });
      test.skipIf(true)('d', () => {}); test.each\`x\`('e', () => {}); other('f');
      it(\`g\`, () => {});`;
    expect(titlesOf(text)).toEqual(['a', 'b', 'c %i', 'd', 'e', 'g']);
  });

  it('give paragraphs down to the letter', () => {
    expect(clausesIn('627a.9(b)(c)')).toEqual(['627a.9(b)', '627a.9(c)']);
    expect(clausesIn('631a.5(f) and 663a.5(c)(2), not 627a.5 or 9.2(a)')).toEqual([
      '631a.5(f)',
      '663a.5(c)(2)',
    ]);
  });
});

describe('docs/CLAUSES.md', () => {
  it('escapes what would break a table', () => {
    const trace = traceOf({ packs: [], core: new Map(), tests: [] });
    const [row] = trace.clauses;
    const page = clausesPage({
      ...trace,
      clauses: row === undefined ? [] : [{ ...row, files: ['a|b'] }],
    });
    expect(page).toContain('a\\|b');
  });
});
