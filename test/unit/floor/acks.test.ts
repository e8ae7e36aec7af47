import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Acks } from '../../../surveillance/floor/acks.js';
import { rowOfEvent } from '../../../surveillance/floor/ingest.js';
import type { Mark } from '../../../surveillance/floor/store/row-store.js';

const markAt = (seq: number): Mark => ({
  table: 'n/p/a',
  firstSeq: 1,
  seq,
  hash: String(seq).repeat(64).slice(0, 64),
  top: seq,
});

const benchOf = () => {
  const said: string[] = [];
  const bench = { nowMs: 100_000, isUp: true };
  const acks = new Acks({
    consumer: 'historian',
    publish: (topic, payload) => {
      if (!bench.isUp) return false;
      said.push(`${topic} ${payload}`);
      return true;
    },
    nowMs: () => bench.nowMs,
  });
  const pass = (ms: number): void => {
    for (let i = 0; i < ms; i += 100) {
      bench.nowMs += 100;
      acks.tick();
    }
  };
  acks.up();
  return { bench, acks, said, pass };
};

const seqs = (said: readonly string[]): number[] =>
  said.map((line) => Number(/"seq":(\d+)/.exec(line)?.[1]));

describe('acknowledgements', () => {
  it('go to the table at once, then together where they come quickly', () => {
    const { acks, said, pass } = benchOf();
    acks.held(markAt(3));
    expect(said).toEqual([`cutcard/v1/n/p/a/ack/historian {"seq":3,"hash":"${'3'.repeat(64)}"}`]);
    for (const seq of [4, 5, 6]) acks.held(markAt(seq));
    expect(seqs(said)).toEqual([3]);
    pass(300);
    expect(seqs(said)).toEqual([3, 6]);
    acks.held(markAt(5));
    pass(300);
    expect(seqs(said)).toEqual([3, 6]);
  });

  it('wait for a link, and are said again to a broker that lost them', () => {
    const { bench, acks, said, pass } = benchOf();
    bench.isUp = false;
    acks.held(markAt(9));
    pass(500);
    expect(said).toEqual([]);
    bench.isUp = true;
    pass(500);
    expect(seqs(said)).toEqual([9]);
    acks.heard('n/p/a', 9);
    acks.down();
    acks.up();
    pass(5000);
    expect(seqs(said).at(-1)).toBe(9);
    expect(said.length).toBeGreaterThan(1);
  });

  it('put right what another instance said too late', () => {
    const { acks, said, pass } = benchOf();
    acks.held(markAt(9));
    acks.heard('n/p/a', 9);
    acks.heard('n/p/a', 5);
    pass(500);
    expect(seqs(said)).toEqual([9, 9]);
  });

  it('tell of tables whose ack is ahead only when the broker has had time to speak', () => {
    const { acks, pass } = benchOf();
    acks.heard('n/p/a', 40);
    expect(acks.ahead()).toEqual([]);
    pass(3500);
    expect(acks.ahead()).toEqual(['n/p/a']);
    acks.held(markAt(40));
    expect(acks.ahead()).toEqual([]);
  });
});

describe('a row out of an event', () => {
  const body = '{"decisions":[],"observation":{"seq":1,"wallMs":5}}';
  const prev = '0'.repeat(64);
  const hash = createHash('sha256')
    .update(prev + body)
    .digest('hex');
  const event = (more: string): string =>
    `{"seq":1,"prev":"${prev}","hash":"${hash}",${more}${body.slice(1)}`;
  const read = (text: string) => rowOfEvent('n/p/a', text, JSON.parse(text), 7);

  it('is the text that was hashed, whatever stands before it', () => {
    const plain = read(event(''));
    expect(plain).toMatchObject({ ok: true, row: { seq: 1, body, isHistorical: false } });
    const late = read(event('"historical":true,"cameras":["c1"],'));
    expect(late).toMatchObject({ ok: true, row: { body, isHistorical: true, heardMs: 7 } });
  });

  it('is refused with a word changed, another number or no hash', () => {
    expect(read(event('').replace('"wallMs":5', '"wallMs":6'))).toMatchObject({ ok: false });
    expect(read(event('').replace('{"seq":1,"prev"', '{"seq":2,"prev"'))).toMatchObject({
      ok: false,
    });
    expect(rowOfEvent('n/p/a', '{}', {}, 7)).toMatchObject({ ok: false });
  });
});
