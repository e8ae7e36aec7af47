import { describe, expect, it } from 'vitest';
import type { Happening } from '../../../controller/core/observation.js';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { lineSpec, loadBoard } from '../../../firmware-bridge/boards/load.js';
import { VirtualGpio } from '../../../firmware-bridge/bus/virtual-gpio.js';
import { RANK_WAIT_NS, ShoeMouth } from '../../../firmware-bridge/devices/shoe-mouth.js';

const MS = 1e6;
const board = loadBoard('virtual');
const [beamA, beamB] = [lineSpec(board, 'beam-a'), lineSpec(board, 'beam-b')];

const rig = (reader: boolean) => {
  const calibration = board.calibrations['mouth'];
  if (calibration === undefined) throw new Error('no calibration');
  const scheduler = new SimulatedClock();
  const gpio = new VirtualGpio();
  const beams = { beamA, beamB, calibration, blockedNs: 2000 * MS };
  const mouth = new ShoeMouth({ name: 'mouth', scheduler, gpio, colour: null, reader, ...beams });
  const told: Happening[] = [];
  mouth.start((h) => told.push(h));
  told.length = 0;
  const move = (beam: typeof beamA, covered: boolean, ms: number): void => {
    scheduler.runUntil(ms * MS);
    gpio.drive(beam, covered, ms * MS);
  };
  /** A card at 600 mm/s from `ms` on; `half` runs while it covers both beams. */
  const card = (ms: number, half: () => void = () => undefined): void => {
    move(beamA, true, ms);
    move(beamB, true, ms + 10 / 0.6);
    scheduler.runUntil((ms + 50) * MS);
    half();
    move(beamA, false, ms + 63.5 / 0.6);
    move(beamB, false, ms + 73.5 / 0.6);
  };
  return { scheduler, gpio, mouth, told, move, card };
};

describe('the mouth and lost edges', () => {
  it('says that edges were lost, reads the levels again, and goes on', () => {
    const { gpio, scheduler, told, card, mouth } = rig(false);
    scheduler.runUntil(5 * MS);
    // Two edges come and go unseen: the level is the same, the sequence has jumped.
    gpio.dropEdges(beamA, 2);
    card(10);
    scheduler.runUntil(500 * MS);
    // The card's way out was seen after the loss; its first edge may be the wrong one.
    expect(told.map((h) => h.kind)).toEqual(['link.down', 'link.up', 'card.out']);
    expect(told[2]).toMatchObject({ lengthMm: null, speedMmS: null });
    expect(told[0]).toMatchObject({ device: 'mouth', reason: '2 edges of beam A were lost' });
    expect(mouth.status().counts['lostEdges']).toBe(1);
    expect(mouth.status().readings).toEqual({ good: 1, bad: 1 });
    card(600);
    scheduler.runUntil(1500 * MS);
    expect(told.slice(3)).toMatchObject([{ kind: 'card.out', lengthMm: 63.5 }]);
  });

  it('finds out when a beam moved and no edge ever came', () => {
    const { gpio, scheduler, told, move } = rig(false);
    move(beamB, true, 10);
    scheduler.runUntil(11 * MS);
    gpio.dropEdges(beamB, 1);
    scheduler.runUntil(200 * MS);
    expect(told).toMatchObject([
      { kind: 'link.down', reason: 'a beam changed and no edge was told' },
      { kind: 'link.up' },
    ]);
  });

  it('is blocked by a beam that stays covered after a loss, and clear when it ends', () => {
    const { gpio, scheduler, told, move } = rig(false);
    gpio.dropEdges(beamA, 1);
    move(beamB, true, 20);
    gpio.dropEdges(beamB, 2);
    move(beamB, false, 60);
    scheduler.runUntil(4000 * MS);
    expect(told.map((h) => h.kind)).toContain('mouth.blocked');
    gpio.drive(beamA, false, 4100 * MS);
    scheduler.runUntil(4500 * MS);
    expect(told.at(-1)?.kind).not.toBe('card.out');
  });
});

describe('the mouth and the rank reader', () => {
  it('joins a reading that comes while the card passes, or shortly after', () => {
    const { scheduler, mouth, told, card } = rig(true);
    card(10, () => mouth.rank('7', 'h', 60 * MS));
    scheduler.runUntil(300 * MS);
    card(400);
    scheduler.runUntil(550 * MS);
    mouth.rank('K', 'd', 550 * MS);
    scheduler.runUntil(900 * MS);
    expect(told).toMatchObject([
      { kind: 'card.out', rank: '7', suit: 'h' },
      { kind: 'card.out', rank: 'K', suit: 'd' },
    ]);
  });

  it('leaves the rank out when none came, and gives no late one to the next card', () => {
    const { scheduler, mouth, told, card } = rig(true);
    card(10);
    const late = 10 * MS + (73.5 / 600) * 1e9 + RANK_WAIT_NS + 5 * MS;
    scheduler.runUntil(late);
    mouth.rank('7', 'h', late);
    card(400);
    scheduler.runUntil(900 * MS);
    expect(told).toHaveLength(2);
    for (const h of told) expect(h).not.toHaveProperty('rank');
    expect(mouth.status().counts['strayRanks']).toBe(1);
  });

  it('trusts neither of two readings that differ', () => {
    const { scheduler, mouth, told, card } = rig(true);
    card(10, () => {
      mouth.rank('7', 'h', 60 * MS);
      mouth.rank('8', 'h', 60 * MS);
    });
    scheduler.runUntil(400 * MS);
    expect(told).toHaveLength(1);
    expect(told[0]).not.toHaveProperty('rank');
  });

  it('forgets the rank of a card that was shown and taken back', () => {
    const { scheduler, mouth, told, move, card } = rig(true);
    move(beamA, true, 10);
    move(beamB, true, 30);
    mouth.rank('A', 's', 30 * MS);
    move(beamB, false, 90);
    move(beamA, false, 110);
    scheduler.runUntil(300 * MS);
    expect(told).toEqual([]);
    card(400);
    scheduler.runUntil(900 * MS);
    expect(told).toHaveLength(1);
    expect(told[0]).not.toHaveProperty('rank');
  });
});
