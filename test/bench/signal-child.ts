import { SimulatedClock } from '../../controller/core/simulated-clock.js';
import { fitBoard, lineSpec, loadBoard } from '../../firmware-bridge/boards/load.js';
import { VirtualGpio } from '../../firmware-bridge/bus/virtual-gpio.js';
import { ShoeMouth } from '../../firmware-bridge/devices/shoe-mouth.js';
import { BeamPair, type MouthSink } from '../../firmware-bridge/signal/beam-pair.js';

/**
 * One measurement in a process of its own, started with a young generation so large that nothing
 * is collected while it runs: what the heap grew by is what was allocated. Prints one JSON line.
 */
const CARDS = 60_000;
const WARM_CARDS = 20_000;
const EDGES_A_CARD = 12;
const BOUNCE_NS = 200_000;
const CARD_NS = 105_833_000;
const BEAM_GAP_NS = 16_667_000;
const GAP_NS = 300e6;

type Edge = (beam: 0 | 1, covered: boolean, atNs: number) => void;

/** One change of one beam with one bounce. Nothing is allocated here: it would be measured too. */
const change = (edge: Edge, beam: 0 | 1, covered: boolean, atNs: number): void => {
  edge(beam, covered, atNs);
  edge(beam, !covered, atNs + BOUNCE_NS);
  edge(beam, covered, atNs + 2 * BOUNCE_NS);
};

/** Edges of one card at 0.6 m/s. */
const card = (edge: Edge, startNs: number): void => {
  change(edge, 0, true, startNs);
  change(edge, 1, true, startNs + BEAM_GAP_NS);
  change(edge, 0, false, startNs + CARD_NS);
  change(edge, 1, false, startNs + CARD_NS + BEAM_GAP_NS);
};

const bareWay = (): ((cards: number) => number) => {
  let cardsSeen = 0;
  const lastNs = new Float64Array(1);
  const edge: Edge = (beam, covered, atNs) => {
    if (beam === 1 && !covered && atNs - (lastNs[0] ?? 0) > BOUNCE_NS) cardsSeen += 1;
    lastNs[0] = atNs;
  };
  let nowNs = 0;
  return (cards) => {
    for (let i = 0; i < cards; i += 1) {
      nowNs += GAP_NS + CARD_NS;
      card(edge, nowNs);
    }
    return cardsSeen;
  };
};

const pairWay = (): ((cards: number) => number) => {
  let seen = 0;
  const sink: MouthSink = {
    leaving: () => undefined,
    transit: () => {
      seen += 1;
    },
    blocked: () => undefined,
    clear: () => undefined,
  };
  const pair = new BeamPair(10, sink);
  const edge: Edge = (beam, covered, atNs) => pair.edge(beam, covered, atNs);
  let nowNs = 0;
  return (cards) => {
    for (let i = 0; i < cards; i += 1) {
      nowNs += GAP_NS + CARD_NS;
      card(edge, nowNs);
    }
    pair.settle(nowNs + GAP_NS);
    return seen;
  };
};

/** The whole mouth: lines, filter, transit, judgement, observation; on the simulated clock. */
const mouthWay = (): ((cards: number) => number) => {
  const clock = new SimulatedClock();
  const gpio = new VirtualGpio();
  const board = fitBoard(loadBoard('virtual'), {
    shuffler: false,
    reader: false,
    lampTap: false,
    blockedMs: 2000,
  });
  const calibration = board.calibrations['mouth'];
  if (calibration === undefined) throw new Error('the virtual board has no mouth calibration');
  const [beamA, beamB] = [lineSpec(board, 'beam-a'), lineSpec(board, 'beam-b')];
  for (const beam of [beamA, beamB]) gpio.drive(beam, true, 0);
  for (const beam of [beamA, beamB]) gpio.drive(beam, false, 0);
  let seen = 0;
  const mouth = new ShoeMouth({
    name: 'mouth',
    scheduler: clock,
    gpio,
    beamA,
    beamB,
    colour: null,
    reader: false,
    calibration,
    blockedNs: 2e9,
  });
  mouth.start((happening) => {
    if (happening.kind === 'card.out') seen += 1;
  });
  clock.runUntil(1e9);
  const edge: Edge = (beam, covered, atNs) => {
    clock.runUntil(atNs);
    gpio.drive(beam === 0 ? beamA : beamB, covered, atNs);
  };
  return (cards) => {
    for (let i = 0; i < cards; i += 1) card(edge, clock.nowNs() + GAP_NS);
    clock.runUntil(clock.nowNs() + GAP_NS);
    return seen;
  };
};

const WAYS = { bare: bareWay, pair: pairWay, mouth: mouthWay } as const;
const isWay = (name: string | undefined): name is keyof typeof WAYS =>
  name !== undefined && Object.hasOwn(WAYS, name);

const name = process.argv[2];
if (!isWay(name)) throw new Error(`takes one of ${Object.keys(WAYS).join(', ')}`);
const run = WAYS[name]();
const warm = run(WARM_CARDS);
globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
const startMs = performance.now();
const seen = run(CARDS) - warm;
const ms = performance.now() - startMs;
const edges = CARDS * EDGES_A_CARD;
const bytesPerEdge = (process.memoryUsage().heapUsed - before) / edges;
process.stdout.write(
  `${JSON.stringify({ edgesPerS: (edges * 1000) / ms, bytesPerEdge, seen, cards: CARDS })}\n`,
);
