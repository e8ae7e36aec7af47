import type { Decision } from '../../../controller/core/decision.js';
import type { Finding } from '../../../controller/core/finding.js';
import type { Happening } from '../../../controller/core/observation.js';
import type { TableStep } from '../../../controller/core/ports.js';
import { DEFAULT_POLICY, type Table } from '../../../controller/core/procedure.js';

export const TABLE: Table = {
  decks: 8,
  crew: 3,
  seats: 7,
  dealing: 'shoe',
  shuffler: 'counting',
  reader: 'none',
  batches: ['red'],
  enforcement: 'lock',
  policy: DEFAULT_POLICY,
};

const WALL = Date.UTC(2026, 0, 5, 14, 0, 0);
/** Odd on purpose: a real kernel time is not round. */
const CARD_NS = 812_345_671;

export const finding = (seq: number): Finding => ({
  id: `${seq}.1`,
  code: 'burn.short',
  clause: '631a.5(f)',
  severity: 'hold',
  lifespan: 'step',
  expected: '7 cards burned after a seven',
  observed: '6 cards out',
  remedy: 'BURN 1 more',
  authority: 'dealer',
  by: 1,
  raisedSeq: seq,
  raisedNs: seq * CARD_NS,
  raisedWallMs: WALL + seq * 812,
});

const cardDecisions = (seq: number): readonly Decision[] => [
  { do: 'noted', part: 'shoe', set: { out: seq % 416 } },
  { do: 'noted', part: 'round', set: { cards: seq % 6 } },
  { do: 'noted', part: 'counting', set: { sinceNs: seq * CARD_NS } },
];

/** One row of a table that deals a card at a time and ends a round every sixth. */
export const stepAt = (seq: number): TableStep => {
  const stamp = {
    seq,
    atNs: seq * CARD_NS,
    wallMs: WALL + seq * 812,
    wallTrusted: true,
  };
  const happening: Happening =
    seq % 6 === 0
      ? { kind: 'press', role: 'dealer', key: 'round-end' }
      : { kind: 'card.out', lengthMm: 88, speedMmS: 640 + (seq % 90) };
  const decisions: readonly Decision[] =
    seq % 97 === 0
      ? [{ do: 'raised', finding: finding(seq) }]
      : seq % 6 === 0
        ? [
            { do: 'moved', phase: 'ready' },
            { do: 'noted', part: 'counting', set: { sinceNs: seq * CARD_NS } },
            {
              do: 'direct',
              directive: {
                to: 'display',
                line1: 'NO MORE BETS next',
                line2: `round ${seq / 6} · § 627a.9`,
                clause: '627a.9',
                step: 'no-more-bets',
              },
            },
          ]
        : cardDecisions(seq);
  return { observation: { ...stamp, ...happening }, decisions };
};

export const stepsFrom = (firstSeq: number, count: number): readonly TableStep[] =>
  Array.from({ length: count }, (_, i) => stepAt(firstSeq + i));
