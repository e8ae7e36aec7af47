import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../controller/runtime/scenario/parse.js';
import type { Depth } from '../../../controller/runtime/scenario/rig.js';
import { type Outcome, runScenario } from '../../../controller/runtime/scenario/run.js';

/** More by hand: CUTCARD_DEPTH_RUNS=500 npx vitest run test/unit/scenario/depths.test.ts */
const RUNS = Number(process.env['CUTCARD_DEPTH_RUNS'] ?? '12');
const SEED = Number(process.env['CUTCARD_DEPTH_SEED'] ?? '20261129');
const TIMEOUT_MS = Math.max(60_000, RUNS * 5_000);

const HEADS = [
  'procedure: pa/627a-minibaccarat\ntable: { decks: 8, shuffler: counting, reader: rank }',
  'procedure: pa/631a-baccarat\ntable: { decks: 6, crew: 2, seats: 9 }',
  'procedure: pa/651a-casino-war\ntable: { decks: 6, shuffler: not-counting }',
  'procedure: pa/663a-five-card-hi-lo\ntable: { decks: 1, shuffler: counting, seats: 6 }',
  'procedure: pa/677a-heads-up-hold-em\n' +
    'table: { decks: 1, shuffler: counting, seats: 6, dealing: hand }',
];

/** What people and machines do in any order, sensible or not. */
const ENTRIES = [
  'open: {}',
  'open: { until: burn }',
  'open: { until: shuffle-due }',
  'round: 5',
  'round: [2c, 4h, 3d, 2s, 6h]',
  'round: { cards: 4, times: 3 }',
  'round: { hands: 3 }',
  'cards: 1',
  'cards: [Kd, "?"]',
  'cards: { n: 1, back: blue }',
  'cover: 1',
  'back: 1',
  'double: 1',
  'block: 3s',
  'press: no-more-bets 3',
  'press: round-end',
  'press: counts-called',
  'press: last-hand-called',
  'press: loaded',
  'press: washed',
  'press: shuffled',
  'press: marker-placed',
  'press: { key: cut, value: dealer }',
  'press: first-card 7',
  'press: burn-done',
  'press: spill',
  'press: collected',
  'press: stub-count 37',
  'press: { key: dealer-in, badge: D-7 }',
  'press: { key: reshuffle, role: floor }',
  'press: { key: void-round, role: floor }',
  'press: { key: recut, role: floor }',
  'press: { key: accept-gap, value: 1, role: floor }',
  'press: { key: clear, value: burn.over, role: floor }',
  'press: { key: hand-count, value: red 52 F-2, role: floor, badge: F-1 }',
  'lid: open',
  'wait: 40s',
  'after: 5s',
  'link: { down: mouth }',
  'link: { up: mouth }',
  'link: { down: keypad }',
  'link: { up: keypad }',
  'power: { off: 3s }',
  'power: { off: 3s, clean: true }',
  'network: down',
  'network: up',
  'network: { off: 1m }',
];

/** Where the dealer cannot do what `open` asks, the run ends there: at both depths alike. */
const play = async (text: string, through: Depth): Promise<Outcome> => {
  const parsed = parseScenario('x.yaml', text);
  if (!parsed.ok) throw new Error(parsed.problems.map((one) => one.message).join('\n'));
  return runScenario(parsed.scenario, { through });
};

describe('both depths', () => {
  it('come to the same end, whatever happens at the table', { timeout: TIMEOUT_MS }, async () => {
    const timeline = fc.record({
      head: fc.constantFrom(...HEADS),
      start: fc.constantFrom(...ENTRIES.slice(0, 3)),
      rest: fc.array(fc.constantFrom(...ENTRIES), { minLength: 3, maxLength: 14 }),
    });
    await fc.assert(
      fc.asyncProperty(timeline, async ({ head, start, rest }) => {
        const entries = [start, ...rest].map((entry) => `  - ${entry}\n`).join('');
        const text = `scenario: 1\ntitle: T\n${head}\ntimeline:\n${entries}`;
        const rules = await play(text, 'observations');
        const signals = await play(text, 'signals');
        expect(signals.end).toBe(rules.end);
        expect([...rules.faults, ...signals.faults]).toEqual([]);
        expect(signals.failures.map((one) => one.line)).toEqual(
          rules.failures.map((one) => one.line),
        );
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});
