import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { keysAt } from '../../../controller/procedures/schema-keys.js';
import type { Path } from '../../../controller/procedures/tree.js';
import { compiled } from './support.js';

const page = readFileSync(new URL('../../../docs/PROCEDURES.md', import.meta.url), 'utf8');

const yamlBlocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
const packs = yamlBlocks.filter((text) => text.startsWith('pack: 1'));
const HARBOUR = 'example/harbour-nine';

/** Blocks of the language; an option's and a choice's are named by the writer. */
const BLOCKS: readonly Path[] = [
  [],
  ['approval'],
  ['deck'],
  ['deck', 'decks'],
  ['deck', 'batches'],
  ['deck', 'maxAge'],
  ['autoShoe'],
  ['handDealing'],
  ['shuffle'],
  ['count'],
  ['cut'],
  ['cut', 'recut'],
  ['marker'],
  ['marker', 'share'],
  ['burn'],
  ['dealerBurn'],
  ['deadGameBurn'],
  ['cover'],
  ['cover', 'first'],
  ['round'],
  ['round', 'cards'],
  ['round', 'countsCalled'],
  ['round', 'tableau'],
  ['stub'],
  ['idle'],
  ['exemption'],
  ['unseen', 0],
  ['options', 'any'],
  ['options', 'any', 'choices', 'any'],
];

describe('docs/PROCEDURES.md', () => {
  it('has a whole game that compiles', () => {
    const [text] = packs;
    const { procedure, verified } = compiled(text ?? '');
    expect(procedure.id).toBe(HARBOUR);
    expect(procedure.burn).toMatchObject({ kind: 'fixed', cards: 2, secret: true });
    expect(procedure.marker).toMatchObject({
      minBehind: 20,
      cite: { clause: '9.3', verified: true },
    });
    expect(verified.verified).toBe(verified.of - 1);
  });

  it('has the very game that test/scenarios plays', () => {
    const url = new URL('../../fixtures/packs/harbour-nine.yaml', import.meta.url);
    expect(readFileSync(url, 'utf8')).toBe(packs[0]);
  });

  it('has a game like another that compiles', () => {
    const [parent, child] = packs;
    const { procedure } = compiled(child ?? '', { packs: { [HARBOUR]: parent ?? '' } });
    expect(procedure.marker).toMatchObject({
      minBehind: 72,
      cite: { clause: '12.3', verified: false },
    });
    expect(procedure.burn).toMatchObject({ cards: 3 });
    expect(procedure.cover?.mid.roundsAfter).toBe(0);
    expect(packs).toHaveLength(2);
  });

  it.each(BLOCKS.map((path) => [path.join('.') || 'the pack', path] as const))(
    'names every key of %s',
    (_name, path) => {
      const keys = keysAt(path);
      expect(keys.length).toBeGreaterThan(0);
      const missing = keys.filter((key) => !new RegExp(`\`([a-z]+\\.)?${key}[\`:.]`).test(page));
      expect(missing).toEqual([]);
    },
  );
});
