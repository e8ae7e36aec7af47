import { describe, expect, it } from 'vitest';
import { isTile, SILENT_MS, tableIdOf, tableKey } from '../../../surveillance/floor/api.js';
import {
  stateSchema,
  type StateMessage,
  type StatusMessage,
} from '../../../surveillance/contract/messages.js';
import { tileOf, newRecord, type TableRecord } from '../../../surveillance/floor/tile.js';
import { findingOf } from '../surveillance/rows.js';

const ID = { site: 'north', pit: 'p1', table: 'bac-04' };
const NOW = Date.UTC(2026, 10, 29, 20);

const stateOf = (more: Partial<StateMessage> = {}): StateMessage => {
  const state: StateMessage = {
    wallMs: NOW,
    wallTrusted: true,
    boot: 1,
    phase: 'round',
    seq: 40,
    shoe: 1,
    round: 3,
    cardsThisRound: 2,
    loaded: 416,
    out: 30,
    left: 386,
    behind: null,
    due: 0,
    batch: 'red',
    dealer: 'D-1',
    coverSeen: false,
    lastHand: false,
    dealerBurnDue: false,
    countRequired: null,
    quarantined: [],
    gap: false,
    roundsSinceCount: 3,
    gate: 'open',
    tower: { to: 'tower', colour: 'green', light: 'steady' },
    display: null,
    findings: [],
    raised: {},
    duties: [],
    cardsAfterWarning: 0,
    timeToStopMs: 0,
    ...more,
  };
  expect(stateSchema.safeParse(state).success).toBe(true);
  return state;
};

const online: StatusMessage = {
  status: 'online',
  reason: 'start',
  boot: 1,
  version: '1',
  sinceMs: NOW - 60_000,
  wallTrusted: true,
  mqtt: '5',
  seq: 4,
  hash: 'a'.repeat(64),
};

const recordOf = (more: Partial<TableRecord> = {}): TableRecord => ({
  ...newRecord(ID, tableKey(ID), NOW),
  status: online,
  statusMs: NOW - 60_000,
  heardMs: NOW,
  state: stateOf(),
  seq: 40,
  top: 40,
  ...more,
});

describe('a tile', () => {
  it('of a table never heard says nothing it does not know', () => {
    const tile = tileOf(newRecord(ID, tableKey(ID), NOW), NOW);
    expect(tile).toMatchObject({
      link: { state: 'never', sinceMs: null },
      phase: null,
      left: null,
      cardsToCover: null,
      gate: null,
      holding: { seq: 0, newest: null },
    });
    expect(isTile(tile)).toBe(true);
  });

  it('calls a table silent by its own clock, and offline when it was said', () => {
    const record = recordOf();
    expect(tileOf(record, NOW + SILENT_MS).link.state).toBe('online');
    expect(tileOf(record, NOW + SILENT_MS + 1).link).toEqual({ state: 'silent', sinceMs: NOW });
    const gone = recordOf({ status: { ...online, status: 'offline', reason: 'lost' } });
    expect(tileOf(gone, NOW).link.state).toBe('offline');
  });

  it('tells the cards before the cover card only where a clause gives a number', () => {
    const bar = (more: Partial<TableRecord>) => tileOf(recordOf(more), NOW).cardsToCover;
    expect(bar({ minBehind: 14 })).toEqual({ cards: 372, basis: 'at-most' });
    expect(bar({ minBehind: null })).toBeNull();
    expect(bar({ minBehind: 14, state: stateOf({ left: null, gap: true }) })).toBeNull();
    const seen = stateOf({ coverSeen: true, behind: 20 });
    expect(bar({ minBehind: 14, state: seen })).toEqual({ cards: 0, basis: 'seen' });
  });

  it('ages a finding by when it was heard of where the table runs ahead or is not trusted', () => {
    const finding = findingOf('7.1', { severity: 'stop', raisedWallMs: NOW + 3_600_000 });
    const ahead = recordOf({
      state: stateOf({ findings: [finding] }),
      firstHeard: new Map([['7.1', NOW - 1000]]),
    });
    expect(tileOf(ahead, NOW).findings[0]?.sinceMs).toBe(NOW - 1000);
    const old = findingOf('7.1', { severity: 'stop', raisedWallMs: NOW - 90_000 });
    const later = recordOf({
      state: stateOf({ findings: [old] }),
      firstHeard: new Map([['7.1', NOW - 1000]]),
    });
    expect(tileOf(later, NOW).findings[0]).toMatchObject({ sinceMs: NOW - 90_000, escalation: 1 });
    const untrusted = recordOf({
      state: stateOf({ findings: [old], wallTrusted: false }),
      firstHeard: new Map([['7.1', NOW - 1000]]),
    });
    expect(tileOf(untrusted, NOW)).toMatchObject({
      findings: [{ sinceMs: NOW - 1000, escalation: 0 }],
      degraded: [{ kind: 'clock' }],
    });
  });

  it('grows louder with age until somebody in the room acknowledges', () => {
    const finding = findingOf('7.1', { severity: 'stop', raisedWallMs: NOW });
    const record = recordOf({
      state: stateOf({ findings: [finding] }),
      firstHeard: new Map([['7.1', NOW]]),
    });
    const at = (ms: number) => {
      record.heardMs = NOW + ms;
      return tileOf(record, NOW + ms);
    };
    expect(at(0).findings[0]?.escalation).toBe(0);
    expect(at(60_000).findings[0]?.escalation).toBe(1);
    expect(at(300_000).findings[0]?.escalation).toBe(2);
    const loud = at(300_000).attention;
    record.acknowledged.set('7.1', { by: 'mara', atMs: NOW, note: '' });
    expect(at(300_000).findings[0]).toMatchObject({ escalation: 0, acknowledged: { by: 'mara' } });
    expect(at(300_000).attention).toBeLessThan(loud);
    expect(at(300_000).attention).toBeGreaterThan(tileOf(recordOf(), NOW).attention);
  });

  it('puts a stop before a hold before a warning, and silence in play high', () => {
    const weight = (severity: 'stop' | 'hold' | 'warn') => {
      const findings = [findingOf('7.1', { severity, raisedWallMs: NOW })];
      return tileOf(recordOf({ state: stateOf({ findings }) }), NOW).attention;
    };
    expect(weight('stop')).toBeGreaterThan(weight('hold'));
    expect(weight('hold')).toBeGreaterThan(weight('warn'));
    const silent = tileOf(recordOf(), NOW + SILENT_MS + 1);
    expect(silent.attention).toBeGreaterThan(weight('hold'));
    const closed = recordOf({ state: stateOf({ phase: 'closed' }) });
    expect(tileOf(closed, NOW + SILENT_MS + 1).attention).toBeLessThan(weight('warn'));
  });

  it('names what is wrong with the table itself', () => {
    const gaps = [{ from: 10, to: 19 }];
    const record = recordOf({
      gaps,
      missingSinceMs: NOW - 60_000,
      chain: { seq: 12, text: 'row 12 came with two hashes' },
      schemaFault: { text: 'state: phase', atMs: NOW },
    });
    const { degraded, holding } = tileOf(record, NOW);
    expect(degraded).toEqual([
      { kind: 'chain', seq: 12, text: 'row 12 came with two hashes' },
      { kind: 'rows', missing: 10 },
      { kind: 'schema', text: 'state: phase' },
    ]);
    expect(holding).toMatchObject({ seq: 40, newest: 40, gaps });
  });
});

describe('a table\u2019s key', () => {
  it('is read back, and nothing else is', () => {
    expect(tableIdOf(tableKey(ID))).toEqual(ID);
    for (const wrong of ['', 'a/b', 'a/b/c/d', 'a//c']) expect(tableIdOf(wrong)).toBeNull();
  });
});
