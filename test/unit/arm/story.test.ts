import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { parseScenario } from '../../../controller/runtime/scenario/parse.js';
import { packageRoot } from '../../../firmware-bridge/files.js';
import { difference, storyOf } from '../../arm/canonical.js';
import { type Told, tellStory } from '../../arm/host/story.js';

vi.setConfig({ testTimeout: 60_000 });

const tell = (): Promise<Told> => {
  const file = join(packageRoot(), 'test/scenarios/incident-burn-omitted.yaml');
  const read = parseScenario(file, readFileSync(file, 'utf8'));
  if (!read.ok) throw new Error('the scenario cannot be read');
  return tellStory(read.scenario, join(packageRoot(), 'test/arm/rig.yaml'));
};

it('a scenario becomes wires and bytes, each at its place among the rows', async () => {
  const { story, rows } = await tell();
  expect(rows).toHaveLength(story.rows);
  const before = story.scenes.map((scene) => scene.rows);
  expect(before).toEqual(before.toSorted((a, b) => a - b));
  expect(before[0]).toBe(0);
  const cards = story.scenes.flatMap(({ act }) => ('play' in act ? act.play.split(' ') : []));
  // Fourteen cards, four edges each: A, B covered, A, B free.
  expect(cards).toHaveLength(56);
  expect(rows.filter((row) => row.includes('"kind":"card.out"'))).toHaveLength(14);
  expect(rows.join()).not.toMatch(/atNs|wallMs|lengthMm/);
});

it('two runs are compared without their times, numbers and rows about the box', () => {
  const row = (atNs: number, id: string): string =>
    JSON.stringify({
      observation: { seq: atNs, atNs, kind: 'card.out', lengthMm: atNs },
      decisions: [{ do: 'raised', finding: { id, code: 'burn.short' } }],
    });
  const box = JSON.stringify({ observation: { kind: 'link.up', device: 'mouth' }, decisions: [] });
  const first = storyOf([box, row(1, '2.1')]);
  expect(first).toEqual([
    '{"decisions":[{"do":"raised","finding":{"code":"burn.short","id":"F1"}}],' +
      '"observation":{"kind":"card.out"}}',
  ]);
  expect(difference(first, storyOf([row(9, '1.1'), box]))).toBeNull();
  expect(difference(first, [])).toMatch(/row 1 of 1 and 0/);
});
