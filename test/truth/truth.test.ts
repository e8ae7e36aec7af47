import { describe, expect, it } from 'vitest';
import { FAULTS, faultNamed } from './faults.js';
import { htmlOf } from './html.js';
import { keptSeeds } from './kept.js';
import { loadParams, NOMINAL, readParams } from './params.js';
import { reportOf } from './report.js';
import { truthTables } from './tables.js';
import { runJob, type Tally } from './tally.js';
import { Trial } from './trial.js';

/** A few of each kind in every run; `npm run truth` injects as many as you like. */
const EACH = 3;
const CARDS = 4000;
const SEED = 424_242;
const LONG_MS = 300_000;
const SLOW = new Set(['marker-misplaced', 'marker-left-out']);

describe('truth: faults injected through the signal path', () => {
  it.each([1, 3])(
    'finds every kind that can be seen at noise %d, in time and by the right finding',
    async (noise) => {
      const tallies: Tally[] = [];
      for (const { kind, seen } of FAULTS) {
        if (seen === 'never') continue;
        const count = SLOW.has(kind) ? 1 : EACH;
        tallies.push(await runJob({ kind, noise, seed: SEED, count }));
      }
      expect(tallies.flatMap(({ odd }) => odd)).toEqual([]);
      expect(tallies.filter(({ injected }) => injected === 0).map(({ kind }) => kind)).toEqual([]);
    },
    LONG_MS,
  );

  it.each([1, 3])(
    'raises nothing over correct play at noise %d',
    async (noise) => {
      const tally = await runJob({ kind: null, noise, seed: SEED, count: CARDS });
      expect(tally.odd).toEqual([]);
      expect(tally.cleanCards).toBeGreaterThanOrEqual(CARDS);
    },
    LONG_MS,
  );

  it.each(keptSeeds())('keeps holding where it once failed: $why', async (kept) => {
    const fault = kept.kind === null ? null : (faultNamed(kept.kind) ?? null);
    const table = truthTables().find(({ name }) => name === kept.table);
    if (table === undefined) throw new Error(`there is no table ${kept.table}`);
    const { noise, seed, cards } = kept;
    const shoe = cards === undefined ? {} : { cards };
    const result = await new Trial({ fault, table, noise, seed, params: NOMINAL, ...shoe }).run();
    expect(result.outcome).toBe(kept.still ?? (fault === null ? 'clean' : 'found'));
    expect(result.cardsToFind ?? 0).toBeLessThanOrEqual(fault?.withinCards ?? 0);
  });

  it('claims nothing of what cannot be seen', async () => {
    for (const { kind, seen } of FAULTS) {
      if (seen !== 'never' || kind === 'double-close' || kind === 'double-stopped') continue;
      const tally = await runJob({ kind, noise: 1, seed: SEED, count: 3 });
      expect([kind, tally.found]).toEqual([kind, 0]);
    }
  });
});

describe('the parameter file', () => {
  it('takes measured values in place of ours and keeps the rest', () => {
    const given = loadParams('test/truth/params.example.yaml');
    expect(given.model.hand.speedMmS).toEqual([420, 980]);
    expect(given.model.finger).toEqual(NOMINAL.model.finger);
  });

  it.each([
    ['truth: 1', /source/],
    ['{truth: 1, source: x, hand: {speedMmS: [9, 2]}}', /hand\.speedMmS.*lower/],
    ['{truth: 1, source: x, serial: {lostByteChance: 2}}', /serial\.lostByteChance/],
    ['{truth: 1, source: x, wind: 3}', /wind/],
    ['a: [', /not YAML/],
  ])('refuses %s with the field and the cure', (text, says) => {
    expect(() => readParams(text, 'table-4.yaml')).toThrow(says);
    expect(() => readParams(text, 'table-4.yaml')).toThrow(/table-4\.yaml/);
  });
});

describe('the report', () => {
  const tally = (kind: string | null, some: Partial<Tally>): Tally => ({
    kind,
    noise: 1,
    injected: 0,
    found: 0,
    missed: 0,
    wrong: 0,
    after: [],
    falseAlarms: 0,
    miscounts: 0,
    cleanCards: 0,
    cards: 0,
    odd: [],
    ...some,
  });
  const about = { at: '2026-01-01', machine: 'm', source: 's <x>', seed: 1, seconds: 2 };

  it('meets its goal only where everything was found in time', () => {
    const met = (some: Partial<Tally>): boolean => reportOf([tally('count-off', some)], about).met;
    expect(met({ injected: 10, found: 10, after: [4, 6] })).toBe(true);
    expect(met({ injected: 10, found: 9, after: [9], missed: 1 })).toBe(false);
    expect(met({ injected: 10, found: 10, after: [9, 0, 1] })).toBe(false);
    expect(reportOf([tally('double-aligned', { injected: 5, missed: 5 })], about).met).toBe(true);
  });

  it('says when there were too few cards to tell, and bounds what it has not seen', () => {
    const alarms = (cleanCards: number, falseAlarms: number) =>
      reportOf([tally(null, { cleanCards, falseAlarms })], about).alarms[0];
    expect(alarms(1000, 0)).toMatchObject({ met: null, upperPerMillion: 3000 });
    expect(alarms(3_000_000, 3)).toMatchObject({ met: true, perMillion: 1 });
    expect(alarms(2_000_000, 3)).toMatchObject({ met: false });
  });

  it('is one page that asks for nothing from elsewhere', () => {
    const html = htmlOf(
      reportOf([tally('count-off', { injected: 1, found: 1, after: [1] })], about),
    );
    expect(html).toContain('s &lt;x&gt;');
    expect(html).toContain('<svg');
    expect(html).not.toMatch(/https?:|<script|<link/);
  });
});
