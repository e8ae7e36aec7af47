import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../controller/runtime/scenario/parse.js';
import { type Outcome, runScenario } from '../../../controller/runtime/scenario/run.js';

const run = async (
  timeline: readonly string[],
  head = 'procedure: pa/627a-minibaccarat\ntable: { decks: 8, shuffler: counting }',
): Promise<Outcome> => {
  const entries = timeline.map((one) => `  - ${one}\n`).join('');
  const text = `scenario: 1\ntitle: T\n${head}\ntimeline:\n${entries}`;
  const parsed = parseScenario('x.yaml', text);
  if (!parsed.ok) throw new Error(parsed.problems.map((one) => one.message).join('\n'));
  return runScenario(parsed.scenario, { through: 'observations' });
};

const failures = async (timeline: readonly string[], head?: string): Promise<readonly string[]> =>
  (await run(timeline, head)).failures.map((one) => `${one.line}: ${one.expected} | ${one.seen}`);

const baccarat = 'procedure: pa/631a-baccarat\ntable: { decks: 8, crew: 3, seats: 14 }';
const hiLo =
  'procedure: pa/663a-five-card-hi-lo\ntable: { decks: 1, shuffler: counting, seats: 6 }';
const holdEm =
  'procedure: pa/677a-heads-up-hold-em\n' +
  'table: { decks: 1, shuffler: not-counting, seats: 6, dealing: hand }';

describe('open stops at the phase it is asked for, and does nothing beyond', () => {
  const stops: readonly (readonly [string, string, string])[] = [
    ['closed', 'out: 0', baccarat],
    ['opening', 'out: 0', baccarat],
    ['shuffle-due', 'out: 0', baccarat],
    ['shuffling', 'out: 0', baccarat],
    ['cut-due', 'out: 0', baccarat],
    ['marker-due', 'out: 0', baccarat],
    ['load-due', 'out: 0', baccarat],
    ['burn', 'out: 0, loaded: 416, gate: open', baccarat],
    ['ready', 'out: 6, findings: []', baccarat],
    ['round', 'out: 6, round: 1', baccarat],
    ['load-due', 'out: 0', hiLo],
    ['ready', 'loaded: 52', hiLo],
    ['ready', 'loaded: 52', holdEm],
  ];
  for (const [until, more, head] of stops) {
    it(`${until} of ${head.slice(14, 25)}`, async () => {
      const timeline = [`open: { until: ${until} }`, `expect: { phase: ${until}, ${more} }`];
      expect(await failures(timeline, head)).toEqual([]);
    });
  }

  it('burns by the first card it is told', async () => {
    expect(await failures(['open: { firstCard: K }', 'expect: { out: 11 }'], baccarat)).toEqual([]);
  });

  it('says so where no stack rests in that phase', async () => {
    const [failure] = await failures(['open: { until: marker-due }'], hiLo);
    expect(failure).toMatch(/^6: the table in phase marker-due \| .*no stack rests in marker-due/);
  });

  it('is not led on by a batch nobody may deal from', async () => {
    const timeline = [
      'open: { until: shuffle-due }',
      'shuffler: { start: red }',
      'shuffler: { done: 51, batch: red }',
      'open: {}',
    ];
    expect((await failures(timeline, hiLo))[0]).toMatch(/phase ready \| count.wrong is open/);
  });
});

describe('round', () => {
  it('calls the counts after the initial cards', async () => {
    const expected = 'expect: { out: 11, raised: { counts.not-called: 0 } }';
    expect(await failures(['open: {}', 'round: 5', expected])).toEqual([]);
  });

  it('goes on into the next shoe where the cover card ended this one', async () => {
    const timeline = [
      'open: {}',
      'round: { cards: 5, times: 2 }',
      'cover: 1',
      'round: { cards: 5, times: 4 }',
      'expect: { shoe: 2, round: 2, findings: [], raised: { cover.last-hand-not-called: 0 } }',
    ];
    expect(await failures(timeline)).toEqual([]);
  });

  it('leaves the last hand unannounced where the author did', async () => {
    const timeline = ['open: {}', 'cover: 1', 'round: 5', 'round: 5'];
    const expected = 'expect: { finding: cover.last-hand-not-called, open: true }';
    expect(await failures([...timeline, expected])).toEqual([]);
  });

  it('prepares a game that is shuffled before each round', async () => {
    const timeline = ['open: {}', 'round: { cards: 10, times: 3 }', 'round: 9'];
    const expected = 'expect: { phase: shuffle-due, shoe: 4, findings: [] }';
    expect(await failures([...timeline, expected], hiLo)).toEqual([]);
  });

  it('counts the stub in time between repetitions of a hand-dealt game', async () => {
    const timeline = ['open: {}', 'round: { hands: 3, times: 12 }'];
    const expected = 'expect: { findings: [], raised: { stub.overdue: 0, shuffle.missing: 0 } }';
    expect(await failures([...timeline, expected], holdEm)).toEqual([]);
  });

  it('leaves the machine to the author who speaks for it', async () => {
    const timeline = ['open: {}', 'round: { hands: 3 }', 'shuffler: { start: red }'];
    const expected = 'expect: { phase: shuffling, finding: shuffle.missing, open: true }';
    expect(await failures([...timeline, 'press: no-more-bets 3', expected], holdEm)).toEqual([]);
  });

  it('deals on when a stop is open: that is what is being tried', async () => {
    const timeline = ['open: {}', 'back: 1', 'round: 5', 'expect: { cardsAfterWarning: 5 }'];
    expect(await failures(timeline)).toEqual([]);
  });
});

describe('a failure', () => {
  it('names line, expected, seen and the last ten steps, and ends the file', async () => {
    const outcome = await run([
      'open: {}',
      'cards: 1',
      'expect: { phase: round, out: 6, finding: burn.short, open: true }',
      'cards: 500',
    ]);
    expect(outcome.ok).toBe(false);
    expect(outcome.failures).toMatchObject([
      { line: 8, column: 15, expected: 'phase: round', seen: 'phase: ready' },
      { line: 8, expected: 'out: 6', seen: 'out: 7' },
      {
        line: 8,
        expected: 'finding burn.short, open',
        seen: 'burn.short was never raised; open: burn.over',
      },
    ]);
    expect(outcome.steps).toHaveLength(10);
    expect(outcome.steps.at(-1)).toMatch(/card.out .*raised stop burn.over § 627a.5/);
    expect(outcome.rows).toBeLessThan(60);
  });

  it('in each kind of expectation', async () => {
    const wrong = [
      'gate: locked',
      'tower: red blink',
      'display: /BURN 99/',
      'announced: "last hand"',
      'finding: burn.short',
      'findings: [burn.short]',
      'raised: { burn.short: 1 }',
      'duty: cut, evidence: sensed',
      'duty: marker, evidence: sensed',
      'refused: loaded',
      'quarantined: [red]',
      'left: 3',
      'batch: none',
      'lastHand: true',
    ];
    for (const one of wrong) {
      expect(await failures(['open: {}', `expect: { ${one} }`]), one).toHaveLength(1);
    }
  });
});

describe('a pulled device', () => {
  it('is told once, and nothing is heard of it until it is back', async () => {
    const timeline = [
      'open: {}',
      'link: { down: shuffler }',
      'link: { down: shuffler }',
      'shuffler: { done: 415, batch: red }',
      'expect: { findings: [shuffler.lost], raised: { shuffler.lost: 1 }, quarantined: [] }',
      'link: { up: shuffler }',
      'expect: { findings: [] }',
    ];
    expect(await failures(timeline)).toEqual([]);
  });
});

describe('power, network, clock', () => {
  it('comes back on the same store in the same state, with the gap named', async () => {
    const timeline = [
      'open: {}',
      'press: no-more-bets',
      'cards: 3',
      'network: { off: 10m }',
      'power: { off: 2s }',
      'expect: { phase: round, out: 9, finding: gap.unwatched, severity: stop, open: true }',
      'press: { key: accept-gap, value: 1, role: floor }',
      'expect: { findings: [], out: 10 }',
    ];
    const outcome = await run(timeline);
    expect(outcome.failures).toEqual([]);
    expect(outcome.faults).toEqual([]);
  });

  it('publishes what happened while the network was away', async () => {
    const outcome = await run(['network: down', 'open: {}', 'round: { cards: 5, times: 9 }']);
    expect(outcome.faults).toEqual([]);
    expect(outcome.rows).toBeGreaterThan(60);
  });

  it('notices that the wall clock moved', async () => {
    const head =
      'procedure: pa/627a-minibaccarat\n' +
      'table: { decks: 8, shuffler: counting, policy: { clockUntrusted: warn } }';
    const timeline = [
      'open: {}',
      'clock: { step: 2h, trusted: false }',
      'expect: { finding: clock.untrusted, open: true }',
      'clock: { trusted: true }',
      'expect: { findings: [] }',
    ];
    expect(await failures(timeline, head)).toEqual([]);
  });
});

describe('what a table cannot do is a fault of the file', () => {
  it('a shuffler message without a shuffler', async () => {
    await expect(run(['open: {}', 'shuffler: { jam: true }'], baccarat)).rejects.toThrow(
      /^x.yaml:7:5: .*no shuffler/,
    );
  });

  it('a cable that nothing would notice, a batch that is not there', async () => {
    await expect(run(['link: { down: gate }'])).rejects.toThrow(
      /^x.yaml:6:5: `link`: nothing here would notice the cable of `gate`; it takes .*shuffler/,
    );
    await expect(run(['press: loaded blue'])).rejects.toThrow(
      /^x.yaml:6:5: there is no batch `blue` at this table, only red/,
    );
  });

  it.each([
    ['quarantined: [green]', /`expect: quarantined` cannot be `green`; .*it takes red$/],
    ['batch: blue', /`expect: batch` cannot be `blue`/],
    ['finding: count.wrong, batch: blue', /`expect: batch` cannot be `blue`/],
  ])('an expectation nothing at this table can meet: %s', async (words, why) => {
    await expect(run(['open: {}', `expect: { ${words} }`])).rejects.toThrow(why);
  });

  it.each(['policy:x', '631a.5(z)'])(
    'takes %s for a clause and says that it does not hold',
    async (clause) => {
      const { ok } = await run(['open: {}', `expect: { finding: card.back, clause: "${clause}" }`]);
      expect(ok).toBe(false);
    },
  );

  it('a duty no stack of the procedure has', async () => {
    await expect(run(['open: {}', 'expect: { duty: mrker }'])).rejects.toThrow(
      /^x.yaml:7:15: `expect: duty` cannot be `mrker`; did you mean `marker`\?; it takes shuffle,/,
    );
  });

  it('a way of dealing the procedure does not know, a pack that is not there', async () => {
    const hand = 'procedure: pa/631a-baccarat\ntable: { decks: 8, dealing: hand }';
    await expect(run(['open: {}'], hand)).rejects.toThrow(/x.yaml:4:8: `table: dealing`/);
    await expect(run(['open: {}'], 'procedure: pa/none')).rejects.toThrow(
      /x.yaml:3:12: `procedure`: There is no procedure/,
    );
  });
});
