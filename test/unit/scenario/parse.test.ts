import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../controller/runtime/scenario/parse.js';
import { needsFile, testWith } from '../../support/needs.js';
import type { Act } from '../../../controller/runtime/scenario/schema.js';

const CASES = new URL('../../../../shared/cases/', import.meta.url);
const missingCases = needsFile(fileURLToPath(CASES), 'the shared cases lie beside the project');

const head = 'scenario: 1\ntitle: T\nprocedure: pa/627a-minibaccarat\n';
const read = (timeline: string, table = ''): ReturnType<typeof parseScenario> =>
  parseScenario('x.yaml', `${head}${table}timeline:\n${timeline}`);

const acts = (timeline: string): readonly Act[] => {
  const result = read(timeline);
  if (!result.ok) throw new Error(result.problems.map((one) => one.message).join('\n'));
  return result.scenario.timeline.map((entry) => entry.act);
};

const problems = (timeline: string, table = ''): readonly string[] => {
  const result = read(timeline, table);
  return result.ok ? [] : result.problems.map((one) => one.message);
};

describe('every form of the contract', () => {
  it('open, with and without options', () => {
    expect(acts('  - open: {}\n  - open: {until: load-due, firstCard: 10}\n  - open:\n')).toEqual([
      { do: 'open', until: 'ready', firstCard: '5' },
      { do: 'open', until: 'load-due', firstCard: 'T' },
      { do: 'open', until: 'ready', firstCard: '5' },
    ]);
  });

  it('press as words and as a mapping', () => {
    const [burn, cut, deal, deck, gap, hands] = acts(
      [
        '  - press: first-card 7',
        '  - press: { key: cut, value: seat 13 }',
        '  - press: { key: misdeal, value: { yes: false, full: true }, role: floor }',
        '  - press: { key: deck-in, value: blue B-204, role: floor, badge: F-1 }',
        '  - press: { key: accept-gap, value: 0, role: floor }',
        '  - press: no-more-bets 4',
      ].join('\n'),
    );
    expect(burn).toMatchObject({ press: { key: 'first-card', rank: '7', role: 'dealer' } });
    expect(cut).toMatchObject({ press: { key: 'cut', by: 13 } });
    expect(deal).toMatchObject({ press: { yes: false, full: true, role: 'floor' } });
    expect(deck).toMatchObject({ press: { batch: 'blue', id: 'B-204', badge: 'F-1' } });
    expect(gap).toMatchObject({ press: { cards: 0 } });
    expect(hands).toMatchObject({ press: { key: 'no-more-bets', hands: 4 } });
  });

  it('cards by number, by face, with a back', () => {
    expect(
      acts('  - cards: 2\n  - cards: [7h, "?", 10c, Tc, K]\n  - cards: {n: 1, back: Blue}\n'),
    ).toEqual([
      { do: 'cards', cards: [{}, {}] },
      {
        do: 'cards',
        cards: [
          { rank: '7', suit: 'h' },
          {},
          { rank: 'T', suit: 'c' },
          { rank: 'T', suit: 'c' },
          { rank: 'K' },
        ],
      },
      { do: 'cards', cards: [{ back: 'blue' }] },
    ]);
  });

  it('shuffler, serial, round, time, links, power, network', () => {
    expect(
      acts(
        [
          '  - shuffler: { start: red }',
          '  - shuffler: { done: 416, batch: red, mode: sort, lamp: green }',
          '  - shuffler: { done: true, batch: red }',
          '  - shuffler: { done: blue, count: 52, lamp: green }',
          '  - shuffler: { inventory: red, count: 16 }',
          '  - shuffler: { lamp: red }',
          '  - shuffler: { jam: true }',
          '  - shuffler: { door: open }',
          '  - shuffler: { inventory: 12, batch: red }',
          '  - shuffler: { unload: 300, batch: blue }',
          '  - serial: "\\x02CNT 416\\x03"',
          '  - round: 5',
          '  - round: [9, K, "?", 2]',
          '  - round: { cards: 5, times: 80 }',
          '  - round: { hands: 4, times: 2 }',
          '  - wait: 5m',
          '  - after: 250ms',
          '  - link: { down: shuffler }',
          '  - power: { off: 2s }',
          '  - network: { off: 10m }',
          '  - clock: { step: -2h, trusted: false }',
        ].join('\n'),
      ),
    ).toMatchObject([
      { message: { kind: 'shuffler.start', batch: 'red' } },
      { message: { kind: 'shuffler.done', count: 416, mode: 'sort', lamp: 'green' } },
      { message: { kind: 'shuffler.done', batch: 'red' } },
      { message: { kind: 'shuffler.done', batch: 'blue', count: 52, lamp: 'green' } },
      { message: { kind: 'shuffler.inventory', batch: 'red', count: 16 } },
      { message: { kind: 'shuffler.lamp', lamp: 'red' } },
      { message: { kind: 'shuffler.jam' } },
      { message: { kind: 'shuffler.door', open: true } },
      { message: { kind: 'shuffler.inventory', count: 12 } },
      { message: { kind: 'shuffler.unload', count: 300, batch: 'blue' } },
      { do: 'serial', bytes: '\u0002CNT 416\u0003' },
      { do: 'round', cards: [{}, {}, {}, {}, {}], times: 1 },
      { do: 'round', cards: [{ rank: '9' }, { rank: 'K' }, {}, { rank: '2' }] },
      { do: 'round', times: 80 },
      { do: 'round', cards: null, hands: 4, times: 2 },
      { do: 'wait', ms: 300_000 },
      { do: 'after', ms: 250 },
      { do: 'link', state: 'down', device: 'shuffler' },
      { do: 'power', offMs: 2000, clean: false },
      { do: 'network-off', offMs: 600_000 },
      { do: 'clock', stepMs: -7_200_000, trusted: false },
    ]);
  });

  it('expect, its keys combined freely, each with its own place', () => {
    const [act] = acts(
      '  - expect: { phase: round, out: 17, finding: gap.unwatched, severity: stop, open: true, ' +
        'display: /51.*52/, raised: { card.locked: 3 }, findings: [] }\n',
    );
    expect(act).toMatchObject({
      do: 'expect',
      checks: [
        { is: 'phase', phase: 'round', line: 5, column: 15 },
        { is: 'field', field: 'out', value: 17 },
        { is: 'finding', wanted: { code: 'gap.unwatched', severity: 'stop', open: true } },
        { is: 'display', wording: { kind: 'pattern', said: '/51.*52/' } },
        { is: 'raised', counts: [['card.locked', 3]] },
        { is: 'findings', codes: [] },
      ],
    });
  });

  testWith(missingCases, 'reads every shared case', () => {
    const files = readdirSync(CASES).filter((name) => name.endsWith('.yaml'));
    expect(files.length).toBeGreaterThan(10);
    for (const name of files) {
      const result = parseScenario(name, readFileSync(new URL(name, CASES), 'utf8'));
      expect(result.ok ? [] : result.problems.map((one) => one.message)).toEqual([]);
    }
  });
});

describe('what cannot be used is named with its place, cause and cure', () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['an unknown entry', '  - crads: 3\n', /^x\.yaml:5:5: .*`crads`.*did you mean `cards`/],
    ['an unknown key in expect', '  - expect: { phse: burn }\n', /x\.yaml:5:15: .*`phase`/],
    ['an unknown phase', '  - expect: { phase: redy }\n', /`redy`.*did you mean `ready`/],
    ['an unknown finding', '  - expect: { finding: burn.shrt }\n', /did you mean `burn.short`/],
    ['an unknown press', '  - press: no-more-bet\n', /5:12: .*did you mean `no-more-bets`/],
    ['a wrong press value', '  - press: first-card 17\n', /takes a rank/],
    [
      'a field no press has',
      '  - press: { key: cut, value: { by: dealer, dept: 9 } }\n',
      /no field `dept`; it takes `by`, `depth`/,
    ],
    [
      'a depth that is no number',
      '  - press: { key: cut, value: { by: dealer, depth: deep } }\n',
      /`depth` takes the number of cards/,
    ],
    [
      'a word too many',
      '  - press: { key: hand-count, role: floor, value: red 416 F-12 F-13 }\n',
      /the second person's badge/,
    ],
    [
      'a misspelt field of one',
      '  - press: { key: first-card, value: { rnak: 7 } }\n',
      /no field `rnak`; it takes `rank`/,
    ],
    [
      'a value where none belongs',
      '  - press: { key: washed, value: { twice: true } }\n',
      /no field `twice`; it takes no value/,
    ],
    ['a card that is none', '  - cards: [7x]\n', /`7x` is not a card/],
    ['an unquoted unread card', '  - cards: [7h, ?, Kd]\n', /a card that was not read as "\?"/],
    ['no unit', '  - wait: 5\n', /time with its unit/],
    ['zero cards', '  - cards: 0\n', /whole number from 1/],
    ['two entries in one', '  - { cards: 3, cover: 1 }\n', /exactly one of/],
    ['severity alone', '  - expect: { severity: stop }\n', /needs `finding: CODE`/],
    ['a broken pattern', '  - expect: { display: "/(/" }\n', /is not a pattern/],
    ['two shuffler messages', '  - shuffler: { done: 3, jam: true }\n', /says one of/],
    ['a stranger beside door', '  - shuffler: { door: open, batch: red }\n', /does not go with/],
    ['a character wider than a byte', '  - serial: "€"\n', /not one byte/],
    ['nothing to do', '  []\n', /is empty/],
    ['a reference', '  - cards: &a 3\n  - cards: *a\n', /references are not used/],
    [
      'a key twice',
      '  - press: { key: cut, key: cut }\n',
      /not readable as YAML: `key` stands here for the second time in one mapping; keep one/,
    ],
    ['a tab before an entry', '\t- cards: 3\n', /x\.yaml:\d+:1: .*a tab.*indent with spaces/],
    ['two scenarios in one file', '  - cards: 3\n---\na: 1\n', /one scenario a file/],
    ['a count twice', '  - shuffler: { done: 51, count: 52 }\n', /gives the number already/],
    ['a batch twice', '  - shuffler: { done: red, batch: red }\n', /names the batch already/],
    ['an inventory of nothing', '  - shuffler: { inventory: red }\n', /a number and the batch/],
  ];
  for (const [name, timeline, pattern] of cases) {
    it(name, () => {
      expect(problems(timeline).join('\n')).toMatch(pattern);
    });
  }

  it('a wrong table', () => {
    const table = 'table: { decks: 8, shufler: counting }\n';
    expect(problems('  - open: {}\n', table)).toEqual([
      expect.stringMatching(/^x\.yaml:4:20: .*did you mean `shuffler`/),
    ]);
    expect(problems('  - open: {}\n', 'table: { policy: { dwellCutS: fast } }\n')[0]).toMatch(
      /dwellCutS.*whole number/,
    );
  });

  it('reports several problems of one file together', () => {
    expect(problems('  - cards: x\n  - wait: 3\n  - open: { until: never }\n')).toHaveLength(3);
  });

  it('a version it does not know, and a file that is no mapping', () => {
    const other = parseScenario('x.yaml', head.replace('scenario: 1', 'scenario: 2'));
    expect(other.ok ? '' : other.problems[0]?.message).toMatch(/write `scenario: 1`/);
    const list = parseScenario('x.yaml', '- a\n');
    expect(list.ok ? '' : list.problems[0]?.message).toMatch(/x\.yaml:1:1: .*mapping/);
  });

  it('more than it may hold', () => {
    expect(problems('  - round: { cards: 5000, times: 10000 }\n')[0]).toMatch(/more than 500000/);
    const long = parseScenario('x.yaml', `${head}about: "${'x'.repeat(1_000_001)}"\n`);
    expect(long.ok ? '' : long.problems[0]?.message).toMatch(/larger than 1000000 bytes/);
  });
});
