import { describe, expect, test } from 'vitest';
import { permittedKeys, type PermittedKey } from '../../../controller/core/permitted.js';
import { parsePress, PRESS_KEYS } from '../../../controller/core/press-parse.js';
import { baccarat, type CoreTable, hiLo, holdEm, mini, war } from './table.js';

const keysOf = (table: CoreTable): readonly PermittedKey[] =>
  permittedKeys(table.state, table.rules);
/** Keys that are in order now, without what would be found. */
const inOrder = (table: CoreTable): readonly string[] =>
  keysOf(table)
    .filter(({ departs }) => departs.length === 0)
    .map(({ key }) => key);
const keyOf = (table: CoreTable, key: string): PermittedKey | undefined =>
  keysOf(table).find((one) => one.key === key);

describe('the keys that would be taken now', () => {
  test('policy:next-step: go with the phase', () => {
    const table = baccarat({ seats: 5 });
    expect(inOrder(table)).toContain('open-table');
    expect(inOrder(table)).not.toContain('no-more-bets');
    expect(inOrder(table.press('open-table'))).toContain('cards-inspected');
    table.open({ until: 'burn' });
    expect(keyOf(table, 'first-card')?.asks[0]?.choices).toHaveLength(13);
    table.open();
    expect(inOrder(table)).toContain('no-more-bets');
    table.press('no-more-bets');
    expect(keyOf(table, 'round-end')?.departs).toEqual(['round.short']);
    const round = mini().open().press('no-more-bets').cards(4);
    expect(inOrder(round)).toEqual(expect.arrayContaining(['round-end', 'counts-called']));
  });

  test('631a.5(b): offer the cut to those whose turn it is', () => {
    const table = baccarat({ seats: 5 }).open({ until: 'cut-due' });
    expect(keyOf(table, 'cut')?.asks).toEqual([
      { name: 'by', kind: 'choice', isOptional: false, choices: ['5', 'dealer'] },
      { name: 'depth', kind: 'number', isOptional: true, choices: [] },
    ]);
    table.press('cut-declined', 5);
    expect(keyOf(table, 'cut')?.asks[0]?.choices).toEqual(['4', 'dealer']);
    table.press('cut-offered', 3);
    expect(keyOf(table, 'cut')?.asks[0]?.choices).toEqual(['3']);
  });

  test('631a.5(d): a load without the marker is named as what it is', () => {
    const table = baccarat().open({ until: 'marker-due' });
    expect(keyOf(table, 'loaded')?.departs).toEqual(['marker.missing']);
    table.press('loaded');
    // It is still a departure the second time.
    expect(keyOf(table, 'loaded')?.departs).toEqual(['marker.missing']);
    table.press('marker-placed');
    expect(keyOf(table, 'loaded')?.departs).toEqual([]);
  });

  test('627a.9(e): an early collection is possible and is found', () => {
    const table = mini().open();
    expect(keyOf(table, 'collected')?.departs).toEqual(['cover.early-shuffle']);
  });

  test('policy:clear: a finding is offered for clearing once its remedy is seen', () => {
    const table = mini().open();
    table.press('no-more-bets').cards(4).back();
    const [finding] = table.state.findings;
    expect(finding?.code).toBe('card.back');
    expect(keyOf(table, 'clear')).toMatchObject({
      needs: 'floor',
      asks: [{ choices: [finding?.id] }],
    });
    expect(keyOf(table, 'no-more-bets')).toBeUndefined();
    table.press('acknowledge', 'card.back');
    expect(keyOf(table, 'acknowledge')).toBeUndefined();
    const gap = mini().open();
    gap.see({ kind: 'power.boot', boot: 2, unclean: true });
    expect(keyOf(gap, 'clear')).toBeUndefined();
    expect(keyOf(gap, 'accept-gap')).toMatchObject({ needs: 'floor', asks: [{ name: 'cards' }] });
  });

  test('677a.9(d): hands are asked for where the stub is counted', () => {
    const table = holdEm().open();
    expect(keyOf(table, 'no-more-bets')?.asks).toMatchObject([{ name: 'hands', kind: 'number' }]);
    expect(keyOf(war().open(), 'no-more-bets')?.asks).toEqual([]);
    table.hands(2).press('shuffled');
    expect(keyOf(table, 'misdeal')).toBeUndefined();
  });

  test('policy:batches: a deck that left is the only one that may come in', () => {
    const table = hiLo({ batches: ['red', 'blue'] }).open();
    table.floor('deck-removed', 'blue');
    table.floor('deck-in', 'blue B-1');
    expect(keyOf(table, 'deck-in')?.asks[0]?.choices).toEqual(['red']);
  });

  test('what a key asks for is what `parsePress` reads', () => {
    const tables = [
      baccarat({ seats: 5 }),
      baccarat({ seats: 5 }).open({ until: 'cut-due' }),
      baccarat().open({ until: 'burn' }),
      mini().open(),
      mini().open().press('no-more-bets').cards(4),
      mini().open().press('no-more-bets').cards(4).back(),
      holdEm().open().press('no-more-bets', 2),
      hiLo({ batches: ['red', 'blue'] }).open({ until: 'shuffle-due' }),
      holdEm().open().press('no-more-bets', 2).press('stub-count', 3),
    ];
    const gap = mini().open().see({ kind: 'power.boot', boot: 2, unclean: true });
    const last = mini().open().press('no-more-bets').cards(4).cover().press('round-end');
    const others = [
      gap,
      last.round(4),
      baccarat().press('open-table'),
      baccarat().open({ until: 'marker-due' }),
      hiLo().open().press('spread'),
      hiLo(),
    ];
    const met = new Set<string>();
    for (const table of [...tables, ...others]) {
      for (const { key, asks } of keysOf(table)) {
        met.add(key);
        const given = asks.map(({ name, kind, choices }) => {
          const value = { choice: choices[0], number: 1, text: 'X-1', 'yes-no': true }[kind];
          return [name, value] as const;
        });
        const [only] = given;
        const value = asks.length === 1 ? only?.[1] : Object.fromEntries(given);
        const raw = { key, ...(asks.length === 0 ? {} : { value }) };
        const parsed = parsePress(raw);
        expect(parsed, key).toMatchObject({ ok: true, value: { key } });
        // A single value may stand in a map by its name as well.
        const map = parsePress({ key, value: Object.fromEntries(given) });
        if (asks.length > 0) expect(map, key).toEqual(parsed);
      }
    }
    const rest = PRESS_KEYS.filter((key) => !met.has(key));
    expect(rest).toEqual([]);
  });
});
