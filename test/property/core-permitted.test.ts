import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { step } from '../../controller/core/decide.js';
import { permittedKeys } from '../../controller/core/permitted.js';
import type { Press } from '../../controller/core/press.js';
import { parsePress, PRESS_KEYS } from '../../controller/core/press-parse.js';
import type { CoreTable } from '../unit/core/table.js';
import { followDisplay } from './core-floor.js';
import { anyTable, deed, type Deed, happening, tableFor } from './core-moves.js';

const SEED = 20_261_130;

const play = (table: CoreTable, deeds: readonly Deed[]): void => {
  for (const one of deeds) {
    if (one === 'right') followDisplay(table);
    else table.see(one);
  }
};

/** What the rules say to a press now, the table left as it is. */
const said = ({ state, rules }: CoreTable, press: Press) => {
  const { seq, atNs, wallMs } = state;
  return step(state, { seq: seq + 1, atNs, wallMs, wallTrusted: true, ...press }, rules).decisions;
};

/** A press as a page makes it of an offered key and its first choices. */
const pressOf = (
  { key, asks, needs }: ReturnType<typeof permittedKeys>[number],
  choice: number,
): Press => {
  const values = asks
    .filter(({ isOptional }) => !isOptional)
    .map(({ name, kind, choices }) => {
      const chosen = choices[choice % Math.max(1, choices.length)];
      return [name, { choice: chosen, number: 0, text: 'X-9', 'yes-no': true }[kind]] as const;
    });
  const value = values.length === 1 ? values[0]?.[1] : Object.fromEntries(values);
  const given = values.length === 0 ? {} : { value };
  const parsed = parsePress({ key, role: needs, badge: 'X-1', ...given });
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.value;
};

const states = fc.tuple(anyTable, fc.array(deed, { minLength: 5, maxLength: 120 }));

test('policy:next-step: every key that is offered is taken, with each of its choices', () => {
  fc.assert(
    fc.property(states, fc.nat(20), ([which, deeds], choice) => {
      const table = tableFor(which);
      play(table, deeds);
      for (const offered of permittedKeys(table.state, table.rules)) {
        const decisions = said(table, pressOf(offered, choice));
        expect(decisions.filter((one) => one.do === 'refused')).toEqual([]);
        // The same rank again is taken and changes nothing.
        if (offered.key !== 'first-card') expect(decisions.length).toBeGreaterThan(0);
        const raised = decisions.some((one) => one.do === 'raised');
        const isJudged = ['first-card', 'stub-count', 'hand-count', 'accept-gap', 'replace'];
        if (raised && !isJudged.includes(offered.key)) expect(offered.departs).not.toEqual([]);
      }
    }),
    { seed: SEED, numRuns: 150 },
  );
});

test('policy:next-step: every press that is taken was offered', () => {
  fc.assert(
    fc.property(states, fc.array(happening, { minLength: 40 }), ([which, deeds], tries) => {
      const table = tableFor(which);
      play(table, deeds);
      const offered = permittedKeys(table.state, table.rules).map(({ key }) => key);
      for (const press of tries) {
        if (press.kind !== 'press') continue;
        const decisions = said(table, press);
        if (decisions.length === 0 || decisions.some((one) => one.do === 'refused')) continue;
        // Seen again: the page no longer asks for it, the rules still write it down.
        if (press.key === 'acknowledge') continue;
        // A device that was never heard of is on no list.
        if (press.key === 'approve-reshuffler' && press.device !== 'shuffler') continue;
        expect(offered).toContain(press.key);
      }
    }),
    { seed: SEED, numRuns: 150 },
  );
});

test('policy:next-step: the step that the display shows is a key that is offered', () => {
  fc.assert(
    fc.property(states, ([which, deeds]) => {
      const table = tableFor(which);
      play(table, deeds);
      const shown = table.state.outputs.display?.step ?? 'open-table';
      const isKey = PRESS_KEYS.some((key) => key === shown);
      // A stop comes first, and what it takes is shown as words.
      if (!isKey || table.state.findings.some(({ severity }) => severity === 'stop')) return;
      const keys = permittedKeys(table.state, table.rules).map(({ key }) => key);
      expect(keys).toContain(shown);
    }),
    { seed: SEED, numRuns: 300 },
  );
});
