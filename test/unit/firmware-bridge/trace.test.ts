import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../controller/core/procedure.js';
import type { Happening } from '../../../controller/core/observation.js';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { TraceBridge } from '../../../firmware-bridge/trace/play.js';
import { createVirtualTable, READY_NS } from '../../../firmware-bridge/virtual/table.js';

type Told = readonly [Happening, number];
const table = {
  shuffler: 'counting',
  reader: 'rank',
  batches: ['red', 'blue'],
  policy: DEFAULT_POLICY,
} as const;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cutcard-trace-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Plays a table with trouble in it, recorded to `file`. */
const record = async (file: string): Promise<{ told: Told[]; endNs: number }> => {
  const clock = new SimulatedClock();
  const { bridge, hands, close } = createVirtualTable(clock, {
    seed: 5,
    table,
    record: { file, procedure: 'pa/631a-baccarat' },
  });
  const told: Told[] = [];
  await bridge.start((h, atNs) => told.push([h, atNs]));
  clock.runUntil(READY_NS);
  const deeds = [
    () => hands.cards(['7h', 'Kd', '?']),
    () => hands.press({ kind: 'press', role: 'floor', key: 'recut' }),
    () => hands.shuffler({ kind: 'shuffler.done', count: 416 }),
    () => hands.cover(),
    () => hands.double(),
    () => hands.back(),
    () => hands.link('shuffler', false),
    () => hands.link('colour', false),
    () => hands.cards(2),
    () => hands.link('shuffler', true),
    () => hands.link('colour', true),
    () => hands.link('mouth', false),
    () => hands.link('mouth', true),
    () => hands.block(3000),
    () => hands.lid(true),
    () => hands.cards(60),
  ];
  for (const deed of deeds) clock.runUntil(deed());
  await close();
  return { told, endNs: clock.nowNs() };
};

const play = async (file: string, untilNs: number) => {
  const clock = new SimulatedClock();
  const bridge = new TraceBridge(file, clock);
  const told: Told[] = [];
  const ends: (Error | null)[] = [];
  bridge.onEnd = (error) => ends.push(error);
  await bridge.start((h, atNs) => told.push([h, atNs]));
  clock.runUntil(untilNs);
  return { told, ends, header: bridge.header };
};

const withoutRanks = (told: readonly Told[]): unknown[] =>
  told.map(([happening, atNs]) => {
    if (happening.kind !== 'card.out') return [happening, atNs];
    const { rank: _rank, suit: _suit, ...rest } = happening;
    return [rest, atNs];
  });

describe('a recorded session', () => {
  it('plays back to the same happenings at the same nanosecond, ranks apart', async () => {
    const file = join(folder, 'whole.jsonl');
    const { told, endNs } = await record(file);
    const played = await play(file, endNs + 1e9);
    expect(played.told).toEqual(withoutRanks(told));
    expect(played.ends).toEqual([null]);
    expect(played.header).toMatchObject({ procedure: 'pa/631a-baccarat', table });
  });

  it('is on the disk but for the last second, should the program die', () => {
    const file = join(folder, 'cut.jsonl');
    const clock = new SimulatedClock();
    const recorded = { file, procedure: 'pa/631a-baccarat' };
    const { bridge, hands } = createVirtualTable(clock, { seed: 5, table, record: recorded });
    void bridge.start(() => undefined);
    clock.runUntil(READY_NS);
    clock.runUntil(hands.cards(5));
    const lastNs = clock.nowNs();
    clock.runUntil(lastNs + 7e9);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const times = lines.slice(1).flatMap((line) => /^\{"t":(\d+)/.exec(line)?.[1] ?? []);
    expect(Number(times.at(-1))).toBeGreaterThanOrEqual(lastNs);
  });

  it('is never written over', async () => {
    const file = join(folder, 'once.jsonl');
    await record(file);
    const before = readFileSync(file, 'utf8');
    await expect(record(file)).rejects.toThrow(
      /once\.jsonl: the recording cannot be begun: it is there already; name a new file/,
    );
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('holds no rank in any form', async () => {
    const file = join(folder, 'masked.jsonl');
    const { told } = await record(file);
    expect(told.some(([h]) => h.kind === 'card.out' && h.rank === '7')).toBe(true);
    const hexes = [...readFileSync(file, 'latin1').matchAll(/"b":"reader","d":"([0-9a-f]*)"/g)];
    const bytes = hexes.map((m) => Buffer.from(m[1] ?? '', 'hex').toString('latin1')).join('');
    expect(bytes).toContain('CARD - -');
    expect(bytes).not.toMatch(/CARD [^-]/);
  });

  it('names the line that was damaged', async () => {
    const file = join(folder, 'damaged.jsonl');
    const { endNs } = await record(file);
    const lines = readFileSync(file, 'latin1').split('\n');
    const cases: readonly (readonly [(lines: string[]) => void, RegExp])[] = [
      [(l) => (l[40] = '{"t":1'), /damaged\.jsonl:41: is not JSON/],
      [(l) => (l[40] = '{"t":1,"zz":3}'), /damaged\.jsonl:41: is no trace event/],
      [(l) => l.splice(40, 1, l.at(-20) ?? ''), /lies far before the lines above/],
      [(l) => l.splice(60, l.length, (l[60] ?? '').slice(0, 9)), /:61: is cut off/],
    ];
    for (const [damage, message] of cases) {
      const copy = [...lines];
      damage(copy);
      writeFileSync(file, copy.join('\n'));
      const { ends } = await play(file, endNs + 1e9);
      expect(ends).toHaveLength(1);
      expect(ends[0]?.message).toMatch(message);
    }
  });

  it('refuses what is no trace at all', () => {
    const file = join(folder, 'none.jsonl');
    writeFileSync(file, '');
    expect(() => new TraceBridge(file, new SimulatedClock())).toThrow(/is empty/);
    writeFileSync(file, '{"trace":2}\n');
    expect(() => new TraceBridge(file, new SimulatedClock())).toThrow(/:1: is no trace header/);
    expect(() => new TraceBridge(join(folder, 'gone'), new SimulatedClock())).toThrow(
      /cannot be read/,
    );
  });
});
