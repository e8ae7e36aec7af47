import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Happening } from '../../controller/core/observation.js';
import type { TableStep } from '../../controller/core/ports.js';
import { canonicalJson, encodeStep, hashRow } from '../../storage/canonical.js';
import { decodeStep } from '../../storage/decode.js';
import { openJournal } from '../../storage/journal.js';
import { MemoryJournal, memoryStore } from '../../storage/memory.js';
import { Packer, Unpacker } from '../../storage/packing.js';
import { STARTING_WORDS } from '../../storage/words.js';

const SLOW_MS = 120_000;
const STAMP = '"atNs":1,"seq":1,"wallMs":1,"wallTrusted":true';

/** Any JSON value, without the one number JSON cannot tell apart from another. */
const json = fc
  .jsonValue({ maxDepth: 4 })
  .map((value): unknown => JSON.parse(JSON.stringify(value)));

/** The same value with the keys of every map the other way round. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
};

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    kind: fc.constant('card.out' as const),
    lengthMm: fc.integer({ min: 0, max: 400 }),
    speedMmS: fc.integer({ min: 0, max: 5000 }),
  }),
  fc.record({ kind: fc.constant('cover.out' as const) }),
  fc.record({ kind: fc.constant('timer' as const), timer: text }),
  fc.record({ kind: fc.constant('link.down' as const), device: text, reason: text }),
  fc.record({
    kind: fc.constant('power.boot' as const),
    unclean: fc.boolean(),
    boot: fc.nat(),
    version: text,
  }),
);
const decision = fc.oneof(
  fc.record({
    do: fc.constant('noted' as const),
    part: fc.constant('shoe' as const),
    set: fc.record({ out: fc.nat(), outKnown: fc.boolean() }, { requiredKeys: [] }),
  }),
  fc.record({ do: fc.constant('moved' as const), phase: fc.constantFrom('burn', 'ready') }),
  fc.record({
    do: fc.constant('timer' as const),
    timer: text,
    dueNs: fc.option(fc.maxSafeNat(), { nil: null }),
  }),
  fc.record({
    do: fc.constant('direct' as const),
    directive: fc.record({ to: fc.constant('announce' as const), text }),
  }),
);
const drafts = fc.array(
  fc.record({
    happening,
    decisions: fc.array(decision, { maxLength: 5 }),
    afterNs: fc.oneof(fc.nat(), fc.constantFrom(0, 2 ** 53, 2 ** 60)),
    wallMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
    wallTrusted: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);
const steps = drafts.map((list) => {
  let atNs = 0;
  return list.map((draft, i): TableStep => {
    atNs += draft.afterNs;
    const { wallMs, wallTrusted, decisions } = draft;
    return {
      observation: { seq: i + 1, atNs, wallMs, wallTrusted, ...draft.happening },
      decisions,
    };
  });
});

describe('canonical text', () => {
  it('is read back as the value it was written from', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it('does not depend on the order of keys, and stays what it is', () => {
    fc.assert(
      fc.property(json, (value) => {
        const once = canonicalJson(value);
        expect(canonicalJson(reversed(value))).toBe(once);
        expect(canonicalJson(JSON.parse(once))).toBe(once);
      }),
    );
  });

  it('refuses what JSON cannot carry', () => {
    for (const value of [NaN, Infinity, -Infinity, () => 1, 1n, Symbol('x')]) {
      expect(() => canonicalJson({ value })).toThrow(TypeError);
    }
    expect(canonicalJson({ a: undefined, b: -0 })).toBe('{"b":0}');
  });

  it('of a step is read back strictly', () => {
    fc.assert(
      fc.property(steps, (list) => {
        for (const step of list) {
          const decoded = decodeStep(encodeStep(step));
          const plain: unknown = JSON.parse(JSON.stringify(step));
          expect(decoded).toEqual({ ok: true, step: plain });
        }
      }),
    );
  });
});

describe('packing', () => {
  const packer = new Packer(STARTING_WORDS);
  const unpacker = new Unpacker(STARTING_WORDS);

  it('gives back every text, whatever the columns hold', () => {
    const columns = fc.record({
      seq: fc.integer({ min: 1, max: 10 ** 9 }),
      atNs: fc.oneof(fc.maxSafeNat(), fc.constantFrom(2 ** 53 + 2, 2 ** 60, 2 ** 62)),
      wallMs: fc.maxSafeNat(),
    });
    fc.assert(
      fc.property(json, columns, (value, row) => {
        const body = canonicalJson([value, row.seq, row.atNs, row.wallMs, `${row.atNs}1`]);
        expect(unpacker.unpack(packer.pack(body, row), row)).toBe(body);
      }),
    );
  });

  it('never reads beyond its words: any bytes give a text or a plain error', () => {
    const row = { seq: 1234, atNs: 123_456_789, wallMs: 1_767_621_600_000 };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        try {
          unpacker.unpack(Buffer.from(bytes), row);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

describe('rows', () => {
  it(
    'are the same in memory and on disk, and chained',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'journal-'));
      let run = 0;
      try {
        await fc.assert(
          fc.asyncProperty(steps, async (list) => {
            run += 1;
            const path = join(folder, `${run}.journal`);
            const onDisk = await openJournal(path, { writer: 'inline' });
            await onDisk.append(list);
            await onDisk.close();
            const again = await openJournal(path, { writer: 'inline' });
            const rows = await again.read(0, 100);
            await again.close();
            const store = memoryStore();
            await new MemoryJournal(store).append(list);
            expect(rows).toEqual(await new MemoryJournal(store).read(0, 100));
            for (const row of rows) expect(hashRow(row.prev, row.body)).toBe(row.hash);
            expect(rows.map(({ body }): unknown => JSON.parse(body))).toEqual(
              list.map((step): unknown => JSON.parse(canonicalJson(step))),
            );
          }),
          { numRuns: 40 },
        );
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    SLOW_MS,
  );
});

describe('a row that is no step', () => {
  it.each([
    ['{', /no JSON/],
    ['[]', /no map/],
    ['{"decisions":[],"observation":{"seq":1}}', /a time is missing/],
    ['{"decisions":[],"observation":{"seq":0}}', /no `seq`/],
    [
      `{"decisions":[],"observation":{"kind":"card.stolen",${STAMP}}}`,
      /there is no observation `card.stolen`/,
    ],
    [
      `{"decisions":[],"observation":{"kind":"rack.count",${STAMP}}}`,
      /`n` is missing or of a wrong type/,
    ],
    [
      `{"decisions":[{"do":"moved","phase":"x"}],"observation":{"kind":"cover.out",${STAMP}}}`,
      /decision 1: `phase` is "x", a word this program does not know/,
    ],
  ])('is refused: %s', (body, why) => {
    const decoded = decodeStep(body);
    expect(decoded.ok ? '' : decoded.why).toMatch(why);
  });
});
