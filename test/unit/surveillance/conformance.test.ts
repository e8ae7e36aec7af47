import { describe, expect, it } from 'vitest';
import { Conformance } from '../../../surveillance/contract/conformance.js';
import { benchOf, card, findingOf, ROOT } from './rows.js';

const recorded = async (rows: number) => {
  const bench = benchOf({ keys: [] });
  bench.publisher.start(bench.state);
  await bench.pass(10);
  for (let i = 1; i <= rows; i += 1) {
    await bench.commit(card, i === 5 ? [{ do: 'raised', finding: findingOf('5.0') }] : []);
  }
  await bench.pass(1000);
  return bench.transport.published;
};
const rulesOf = (book: Conformance, isStrict = false): string[] =>
  book.report(isStrict).faults.map(({ rule, text }) => `${rule}: ${text}`);

describe('the conformance kit', () => {
  it('finds nothing wrong with what a table sends', async () => {
    const book = new Conformance();
    for (const { topic, payload } of await recorded(50)) book.message(topic, payload, false);
    expect(rulesOf(book, true)).toEqual([]);
    expect(book.report().tables).toMatchObject([
      { table: 'north/p1/bac-04', firstSeq: 1, lastSeq: 50, rows: 50, repeats: 0, gaps: [] },
    ]);
  });

  const events = async (): Promise<string[]> =>
    (await recorded(10)).filter(({ topic }) => topic.endsWith('/event')).map((m) => m.payload);

  it('a lost row is a gap, and no longer when it comes late', async () => {
    const book = new Conformance();
    const lines = await events();
    for (const [i, line] of lines.entries()) {
      if (i !== 3 && i !== 4) book.message(`${ROOT}/event`, line, false);
    }
    expect(rulesOf(book)).toEqual(['gap: rows 4 to 5 never came']);
    const late = (lines[3] ?? '').replace('"decisions"', '"historical":true,"decisions"');
    book.message(`${ROOT}/event`, late, false);
    expect(rulesOf(book)).toEqual(['gap: row 5 never came']);
    book.message(`${ROOT}/event`, lines[4] ?? '', false);
    expect(rulesOf(book)).toEqual(['order: row 5 came after row 10 and does not say `historical`']);
  });

  it('a changed card shows by its hash, a re-hashed one by the chain', async () => {
    const book = new Conformance();
    const lines = await events();
    const changed = lines.map((line, i) => (i === 2 ? line.replace('610', '611') : line));
    for (const line of changed) book.message(`${ROOT}/event`, line, false);
    expect(rulesOf(book)).toEqual(['hash: row 3 does not have the hash it claims']);
  });

  it('the same row with another hash is a fork', async () => {
    const book = new Conformance();
    const lines = await events();
    for (const line of lines) book.message(`${ROOT}/event`, line, false);
    const other = (lines[9] ?? '').replace(/"hash":"[0-9a-f]{4}/, '"hash":"ffff');
    book.message(`${ROOT}/event`, other, false);
    expect(rulesOf(book)[0]).toContain('fork: row 10 came with two hashes');
  });

  it('repeats are counted, and are faults only when asked', async () => {
    const book = new Conformance();
    const lines = await events();
    for (const line of [...lines, ...lines]) book.message(`${ROOT}/event`, line, false);
    expect(rulesOf(book)).toEqual([]);
    expect(rulesOf(book, true)).toEqual(['repeat: 10 rows came more than once']);
  });

  it.each([
    [`${ROOT}/event`, 'not json', 'json'],
    [`${ROOT}/state`, '{}', 'schema'],
    ['cutcard/v1/north', '{}', 'topic'],
    [`${ROOT}/sideways`, '{}', 'topic'],
  ])('%s with %s: %s', (topic, payload, rule) => {
    const book = new Conformance();
    book.message(topic, payload, false);
    expect(book.report().faults[0]?.rule).toBe(rule);
  });

  it('an event must not be retained', async () => {
    const book = new Conformance();
    book.message(`${ROOT}/event`, (await events())[0] ?? '', true);
    expect(rulesOf(book)).toEqual(['retain: `event` must not be retained']);
  });

  it('what others write on cmd is no fault of the table', () => {
    const book = new Conformance();
    book.message(`${ROOT}/cmd`, 'rubbish', false);
    expect(rulesOf(book)).toEqual([]);
  });
});
