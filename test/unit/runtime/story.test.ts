import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../controller/core/decision.js';
import type { Finding } from '../../../controller/core/finding.js';
import type { Happening } from '../../../controller/core/observation.js';
import { initialState, type TableState } from '../../../controller/core/state.js';
import { findingText, lineText, storyOf } from '../../../controller/runtime/story.js';
import { RunTally, summaryText } from '../../../controller/runtime/summary.js';
import { plainRules } from '../../fakes/rules.js';

const state = initialState(plainRules.table);

const finding: Finding = {
  id: '7.1',
  code: 'burn.short',
  clause: '631a.5(f)',
  severity: 'hold',
  lifespan: 'step',
  expected: '8 cards',
  observed: '7 burned',
  remedy: 'BURN 1 more',
  authority: 'dealer',
  by: 1,
  raisedSeq: 7,
  raisedNs: 2e9,
  raisedWallMs: 0,
};

const stepOf = (happening: Happening, decisions: readonly Decision[] = [], seq = 7) => ({
  observation: { seq, atNs: seq * 1e9, wallMs: 1000 * seq, wallTrusted: true, ...happening },
  decisions,
});

const told = (
  happening: Happening,
  decisions: readonly Decision[] = [],
  after: TableState = state,
): string[] =>
  storyOf(stepOf(happening, decisions), state, after).map(({ tone, text }) => `${tone}: ${text}`);

describe('the live log', () => {
  it('tells presses in the trade’s words, with counts', () => {
    const round = { ...state, round: { ...state.round, no: 12, cards: 5 } };
    expect(told({ kind: 'press', role: 'dealer', key: 'no-more-bets' }, [], round)).toEqual([
      'plain: dealer: no more bets, round 12',
    ]);
    const played = {
      ...round,
      shoe: { ...state.shoe, isLoaded: true, loaded: 416, out: 100 },
    };
    expect(told({ kind: 'press', role: 'dealer', key: 'round-end' }, [], played)).toEqual([
      'plain: dealer: round ended, 5 cards, 316 left in the shoe',
    ]);
    expect(told({ kind: 'cover.out' }, [], played)).toEqual([
      'plain: cover card out, 316 behind it',
    ]);
    const no: Decision = {
      do: 'refused',
      key: 'no-more-bets',
      clause: '627a.8',
      reason: 'not now',
    };
    expect(told({ kind: 'press', role: 'dealer', key: 'no-more-bets' }, [no])).toEqual([
      'plain: dealer: no-more-bets',
      'warn: refused no-more-bets § 627a.8: not now',
    ]);
    const unknown = { ...played, shoe: { ...played.shoe, outKnown: false } };
    expect(told({ kind: 'cover.out' }, [], unknown)).toEqual([
      'plain: cover card out, count not known',
    ]);
  });

  it('never tells a rank, a suit or a badge', () => {
    const out: Happening = { kind: 'card.out', rank: 'K', suit: 'h', lengthMm: 63, speedMmS: 600 };
    expect(told(out)).toEqual([]);
    const keyed: Happening = { kind: 'press', role: 'dealer', key: 'first-card', rank: 'K' };
    expect(told(keyed)).toEqual(['plain: dealer: first-card']);
    const replaced: Happening = {
      kind: 'press',
      role: 'dealer',
      key: 'replace',
      badge: 'D-7',
      out: 'Qd',
      in: 'Qd',
    };
    expect(told(replaced)).toEqual(['plain: dealer: replace']);
  });

  it('tells findings with their clause, what ended them, and refusals', () => {
    const decisions: readonly Decision[] = [
      { do: 'raised', finding },
      { do: 'refused', key: 'no-more-bets', clause: '631a.5(f)', reason: 'not complete' },
      { do: 'cleared', id: '7.1', code: 'burn.short', by: { role: 'system' }, how: 'step done' },
      { do: 'direct', directive: { to: 'announce', text: 'last hand' } },
    ];
    const after: TableState = { ...state, phase: 'burn' };
    expect(told({ kind: 'lid.closed' }, decisions, after)).toEqual([
      'quiet: closed -> burn',
      'hold: burn.short § 631a.5(f): expected 8 cards; observed 7 burned. BURN 1 more',
      'warn: refused no-more-bets § 631a.5(f): not complete',
      'cleared: burn.short cleared: step done',
      'plain: announced: last hand',
    ]);
    expect(findingText({ ...finding, clause: 'policy:lid' })).toMatch(/^burn\.short policy:lid:/);
  });

  it('tells a link only when it was away, and how the table came up', () => {
    expect(told({ kind: 'link.up', device: 'mouth' })).toEqual([]);
    const away = {
      ...state,
      devices: { mouth: { up: false, stale: false, identity: null } },
    };
    const step = stepOf({ kind: 'link.up', device: 'mouth' });
    expect(storyOf(step, away, state).map(({ text }) => text)).toEqual(['mouth: connected again']);
    expect(told({ kind: 'power.boot', unclean: true, boot: 3 })).toEqual([
      'plain: started again after an accident, boot 3',
    ]);
  });

  it('names the finding that a press is about, taken or refused', () => {
    const open = { ...state, findings: [finding] };
    const press = { kind: 'press', role: 'floor', key: 'clear', finding: '7.1' } as const;
    const said = (decisions: readonly Decision[]): string[] =>
      storyOf(stepOf(press, decisions), open, open).map(({ text }) => text);
    expect(said([])).toEqual(['floor: clear 7.1 burn.short']);
    const no: Decision = { do: 'refused', key: 'clear', clause: '1.2', reason: 'not now' };
    expect(said([no])).toEqual(['floor: clear 7.1 burn.short', 'refused clear § 1.2: not now']);
    expect(told({ ...press, finding: 'burn.over' })).toEqual(['plain: floor: clear burn.over']);
  });

  it('prints time, label and text, coloured only where asked', () => {
    const wallMs = Date.UTC(2026, 0, 5, 14, 3, 12);
    const line = { tone: 'stop', text: 'burn.over' } as const;
    expect(lineText(line, wallMs, false)).toBe('14:03:12  STOP  burn.over');
    expect(lineText(line, wallMs, true)).toBe('14:03:12  \u001b[1;31mSTOP  burn.over\u001b[0m');
    expect(lineText({ tone: 'plain', text: 'x' }, wallMs, true)).toBe('14:03:12        x');
  });
});

describe('the summary of a run', () => {
  it('follows each finding from raised to cleared', () => {
    const tally = new RunTally();
    tally.add(stepOf({ kind: 'card.out', lengthMm: 63, speedMmS: 600 }));
    tally.add(stepOf({ kind: 'card.double', lengthMm: 90 }, [{ do: 'raised', finding }]));
    tally.add(
      stepOf({ kind: 'timer', timer: 'x' }, [
        { do: 'changed', finding: { ...finding, observed: '6 burned', cardsAfterWarning: 2 } },
      ]),
    );
    const by = { role: 'system' } as const;
    tally.add(
      stepOf(
        { kind: 'card.back' },
        [{ do: 'cleared', id: '7.1', code: 'burn.short', by, how: 'step done' }],
        9,
      ),
    );
    const summary = tally.summary('test/plain', state);
    expect(summary).toMatchObject({ rows: 4, cards: 3, raised: { 'burn.short': 1 }, notListed: 0 });
    expect(summary.findings).toEqual([
      {
        id: '7.1',
        code: 'burn.short',
        clause: '631a.5(f)',
        severity: 'hold',
        expected: '8 cards',
        observed: '6 burned',
        remedy: 'BURN 1 more',
        authority: 'dealer',
        by: 1,
        raisedSeq: 7,
        raisedNs: 2e9,
        cardsAfterWarning: 2,
        timeToStopNs: null,
        cleared: { seq: 9, atNs: 9e9, by, how: 'step done' },
      },
    ]);
    expect(summaryText(summary)).toMatch(/4 rows, 3 cards[^]*cleared after 7\.0 s: step done/);
    expect(summaryText(new RunTally().summary('p', state))).toMatch(/no findings/);
  });
});
