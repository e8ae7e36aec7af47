import type { Phase } from '../../controller/core/state.js';
import type { Tile, TileFinding } from '../../surveillance/floor/api.js';

export const FLOOR_START_MS = Date.UTC(2026, 0, 5, 14, 0, 0);

const GAMES = [
  { id: 'pa/631a-baccarat', title: 'Baccarat, shuffle and cut', prefix: 'BAC', loaded: 416 },
  { id: 'pa/651a-casino-war', title: 'Casino War, dealing', prefix: 'WAR', loaded: 312 },
  { id: 'pa/663a-five-card-hi-lo', title: 'Five Card Hi-Lo', prefix: 'HIL', loaded: 52 },
  { id: 'pa/627a-ez-baccarat', title: 'EZ Baccarat, dealing', prefix: 'EZB', loaded: 416 },
] as const;

const PHASES: readonly Phase[] = ['round', 'ready', 'round', 'round', 'ready', 'shuffling', 'burn'];

export const findingOf = (given: Partial<TileFinding> & Pick<TileFinding, 'id'>): TileFinding => ({
  code: 'burn.short',
  clause: '631a.5(f)',
  severity: 'hold',
  expected: '8 burn cards after a seven',
  observed: '5 burn cards so far',
  remedy: 'Burn 3 more before the first round.',
  authority: 'dealer',
  sinceMs: FLOOR_START_MS - 40_000,
  cardsAfterWarning: 0,
  acknowledgedAtTable: null,
  acknowledged: null,
  escalation: 0,
  ...given,
});

/** A quiet table in play; `n` from 0. */
export const quietTile = (n: number): Tile => {
  const game = GAMES[n % GAMES.length] ?? GAMES[0];
  const pit = `pit-${1 + Math.floor(n / 50)}`;
  const table = `${game.prefix}-${String(n + 1).padStart(3, '0')}`;
  const out = (n * 37) % (game.loaded - 20);
  return {
    id: { site: 'harbour', pit, table },
    key: `harbour/${pit}/${table}`,
    game: { id: game.id, title: game.title },
    link: { state: 'online', sinceMs: FLOOR_START_MS - 3_600_000 },
    phase: PHASES[n % PHASES.length] ?? 'round',
    seq: 1000 + n,
    shoe: 3,
    round: 12,
    loaded: game.loaded,
    out,
    left: game.loaded - out,
    cardsToCover: { cards: Math.max(0, game.loaded - out - 14), basis: 'at-most' },
    lastHand: false,
    gate: 'open',
    tower: { colour: 'green', light: 'steady' },
    display: { line1: 'DEAL', line2: '', clause: '' },
    dealer: `D${100 + n}`,
    findings: [],
    cardsAfterWarning: 0,
    degraded: [],
    holding: { seq: 1000 + n, newest: 1000 + n, gaps: [], gapsMore: false, signedSeq: 1000 + n },
    cameras: [`cam-${n + 1}`],
    attention: 10,
    changedMs: FLOOR_START_MS,
  };
};

const STOP = findingOf({
  id: '16.0',
  code: 'burn.over',
  severity: 'stop',
  observed: '9 cards out before the first round',
  remedy: 'Call the floor.',
  authority: 'floor',
  sinceMs: FLOOR_START_MS - 130_000,
  cardsAfterWarning: 3,
  escalation: 2,
});

/** What some tables differ in, so that every condition is on the wall. */
const SPECIAL: Readonly<Record<number, Partial<Tile>>> = {
  7: {
    phase: 'burn',
    findings: [STOP, findingOf({ id: '1004.0' })],
    gate: 'locked',
    tower: { colour: 'red', light: 'blink' },
    display: { line1: 'STOP', line2: 'Call the floor', clause: '631a.5(f)' },
    cardsAfterWarning: 3,
    attention: 900,
  },
  12: {
    phase: 'cut-due',
    findings: [
      findingOf({
        id: '1001.0',
        code: 'cut.missing',
        clause: '631a.5(b)',
        acknowledged: { by: 'mara', atMs: FLOOR_START_MS - 9000, note: 'Called the pit' },
      }),
    ],
    tower: { colour: 'red', light: 'steady' },
    attention: 600,
  },
  21: {
    link: { state: 'offline', sinceMs: FLOOR_START_MS - 250_000 },
    attention: 700,
  },
  33: { link: { state: 'silent', sinceMs: FLOOR_START_MS - 45_000 }, attention: 650 },
  40: {
    findings: [
      findingOf({
        id: '1003.0',
        code: 'count.stale',
        clause: 'policy:count-age',
        severity: 'warn',
      }),
    ],
    attention: 300,
  },
  55: {
    degraded: [
      { kind: 'rows', missing: 14 },
      { kind: 'device', device: 'shuffler', what: 'stale' },
    ],
    attention: 200,
  },
  60: { left: null, cardsToCover: null, attention: 120, degraded: [{ kind: 'clock' }] },
  70: { cardsToCover: { cards: 0, basis: 'seen' }, lastHand: true, attention: 40 },
  80: {
    phase: 'closed',
    loaded: 0,
    out: 0,
    left: 0,
    cardsToCover: null,
    tower: null,
    attention: 0,
  },
  90: {
    link: { state: 'never', sinceMs: null },
    phase: null,
    game: null,
    loaded: null,
    out: null,
    left: null,
    cardsToCover: null,
    tower: null,
    attention: 500,
  },
};

export const floorTiles = (count: number): Tile[] =>
  Array.from({ length: count }, (_, n) => ({ ...quietTile(n), ...SPECIAL[n] }));

/** The same table a card later. */
export const cardLater = (tile: Tile, nowMs: number): Tile => {
  const { loaded, out } = tile;
  if (loaded === null || out === null || loaded === 0) return tile;
  const next = out + 1 >= loaded ? 0 : out + 1;
  const cards = Math.max(0, loaded - next - 14);
  return {
    ...tile,
    seq: (tile.seq ?? 0) + 1,
    out: next,
    left: tile.left === null ? null : loaded - next,
    cardsToCover: tile.cardsToCover === null ? null : { cards, basis: 'at-most' },
    phase: next % 5 === 0 ? 'ready' : 'round',
    changedMs: nowMs,
  };
};
