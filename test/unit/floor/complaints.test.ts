import { expect, it } from 'vitest';
import { type Complaint, Complaints } from '../../../surveillance/floor/complaints.js';

const bench = () => {
  const told = { log: [] as string[], audit: [] as string[] };
  const write = (fields: object, text: string) =>
    void told.log.push(`${JSON.stringify(fields)} ${text}`);
  let nowMs = 0;
  const complaints = new Complaints({
    log: { debug: write, info: write, warn: write, error: write },
    note: (what, about) => Promise.resolve(void told.audit.push(`${what} ${about}`)),
    nowMs: () => nowMs,
  });
  const pass = (ms: number): void => {
    nowMs += ms;
    complaints.tick();
  };
  return { told, complaints, pass };
};

const about = (table: string, seq: number): Complaint => ({
  ...{ table, what: 'chain', level: 'error', isAudited: true },
  ...{ text: `row ${seq} came twice`, fields: { seq } },
});

it('writes the first complaints of a kind whole and the rest as a number, for each table', () => {
  const { told, complaints, pass } = bench();
  for (let seq = 1; seq <= 5000; seq += 1) complaints.say(about('n/p/a', seq));
  complaints.say(about('n/p/b', 1));
  complaints.say({ ...about('n/p/a', 1), what: 'contract', isAudited: false });
  expect(told.log).toHaveLength(22);
  expect(told.log[0]).toBe('{"table":"n/p/a","seq":1} row 1 came twice');
  expect(told.audit).toHaveLength(21);
  pass(59_000);
  expect(told.log).toHaveLength(22);
  pass(1000);
  const more = '4980 more of this kind, like: row 1 came twice';
  expect(told.log.slice(22)).toEqual([`{"table":"n/p/a","seq":1} ${more}`]);
  expect(told.audit.slice(21)).toEqual([`chain n/p/a: ${more}`]);
  complaints.say(about('n/p/a', 7));
  expect(told.log.at(-1)).toBe('{"table":"n/p/a","seq":7} row 7 came twice');
});

it('tells at its end what it only counted', () => {
  const { told, complaints } = bench();
  for (let seq = 1; seq <= 21; seq += 1) complaints.say(about('n/p/a', seq));
  complaints.stop();
  complaints.stop();
  expect(told.log).toHaveLength(21);
  expect(told.log.at(-1)).toContain('1 more of this kind');
});
