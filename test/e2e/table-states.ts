import type { Duty } from '../../controller/core/duty.js';
import type { Finding } from '../../controller/core/finding.js';
import type { FakeTable } from '../fakes/table-page-source.js';

const duty = (
  name: string,
  clause: string,
  status: Duty['status'],
  evidence: Duty['evidence'],
): Duty => ({ duty: name, clause, status, evidence, seq: 1, atNs: 0 });

const DUTIES: readonly Duty[] = [
  duty('shuffle', '631a.5(a)', 'met', 'sensed'),
  duty('cut', '631a.5(b)', 'met', 'attested'),
  duty('marker', '631a.5(d)', 'met', 'attested'),
  duty('load', '631a.5(a)', 'met', 'attested'),
  duty('burn', '631a.5(f)', 'due', 'unseen'),
];

const finding = (more: Partial<Finding> & Pick<Finding, 'id' | 'code'>): Finding => ({
  clause: '631a.5(f)',
  severity: 'stop',
  lifespan: 'shoe',
  expected: 'a burn of 7 cards after the first card',
  observed: '9 cards out before the first round',
  remedy: 'Call the floor. Put the cards out since the burn into the discards.',
  authority: 'floor',
  raisedSeq: 1,
  raisedNs: 0,
  raisedWallMs: Date.UTC(2026, 0, 5, 14, 0, 0),
  ...more,
});

/** The burn of a fresh stack, four cards in. */
export const burning = (table: FakeTable): void => {
  const words = ['dealer: open-table', 'shuffler done (red), counted 416', 'dealer: cut by seat 3'];
  for (const text of words) table.step({}, text);
  table.step({}, 'load-due -> burn, 8 to burn', 'quiet');
  table.step(
    {
      phase: 'burn',
      shoe: 1,
      loaded: 416,
      out: 4,
      left: 412,
      due: 4,
      batch: 'red',
      gate: 'open',
      tower: { to: 'tower', colour: 'green', light: 'steady' },
      display: {
        to: 'display',
        line1: 'BURN 7 more, 4 to go',
        line2: '4 of 8 out',
        clause: '631a.5(f)',
        step: 'burn',
      },
      duties: DUTIES,
    },
    'dealer: first-card',
  );
};

/** A stop, a hold and a warning at once, late in the shoe. */
export const stopped = (table: FakeTable): void => {
  burning(table);
  table.pass(70);
  const findings = [
    finding({
      id: '9.1',
      code: 'marker.misplaced',
      severity: 'warn',
      clause: '631a.5(d)',
      expected: 'at least 14 cards behind the marker',
      observed: '9 cards behind the marker',
      remedy: 'Deal this hand and announce the last one.',
      authority: 'dealer',
    }),
    finding({
      id: '9.2',
      code: 'burn.rank-unknown',
      severity: 'hold',
      observed: 'nobody gave the first card',
      expected: 'the first card keyed in',
      remedy: 'Key in the first card.',
      authority: 'dealer',
      level: 1,
    }),
    finding({
      id: '9.3',
      code: 'burn.over',
      cardsAfterWarning: 3,
      timeToStopNs: 2.4e9,
      repeats: 1,
      acknowledged: { role: 'floor', badge: 'F-12' },
      raisedNs: 30e9,
    }),
  ];
  table.step(
    {
      phase: 'ready',
      out: 407,
      left: null,
      gap: true,
      behind: 9,
      due: null,
      coverSeen: true,
      lastHand: true,
      round: 71,
      gate: 'locked',
      quarantined: ['blue'],
      countRequired: 'a jam was cleared in the machine',
      cardsAfterWarning: 3,
      tower: { to: 'tower', colour: 'red', light: 'blink' },
      display: {
        to: 'display',
        line1: 'STOP. 9 cards out before the first round',
        line2: 'Call the floor. Put the cards out since the burn into the discards.',
        clause: '631a.5(f)',
        step: 'stop',
      },
      findings,
      duties: [
        ...DUTIES.slice(0, 4),
        duty('burn', '631a.5(f)', 'not-met', 'sensed'),
        duty('fresh-hands', '631a.5(b)', 'waived', 'unseen'),
        duty('cover-card-aside', '631a.5(d)', 'due', 'unseen'),
      ],
    },
    'burn.over § 631a.5(f): expected a burn of 7; observed 9 cards out. Call the floor',
    'stop',
  );
};
