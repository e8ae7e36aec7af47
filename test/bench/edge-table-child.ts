import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { COLLECTOR_FLAGS } from '../../controller/runtime/engine-flags.js';
import { silentLog } from '../../controller/runtime/log-port.js';
import { openTable } from '../../controller/runtime/main.js';
import { RealScheduler } from '../../controller/runtime/real-scheduler.js';
import { loadBoard } from '../../firmware-bridge/boards/load.js';
import { BoardBridge } from '../../firmware-bridge/bridge.js';
import { PIPE_CHIP, pipeChipBus } from '../fakes/pipe-chip.js';
import { BEAM_A, BEAM_B, nowNs, orderSchema, type Word } from './edge-words.js';
import { benchRules, nextHappenings } from './shoe-steps.js';

/**
 * A table as `cutcard run` wires it, on a chip that is pipes. Addon, lines, filter, transit, rules,
 * journal and outputs are the product's own; there is no broker.
 */
const [edges = '', outputs = '', folder = ''] = process.argv.slice(2);
const GATE = 16;
/** Steps played at once before the first edge: the code is compiled as in a table at work. */
const WARM_STEPS = 5000;
/** Steps a table takes at most from anywhere to its next round. */
const OPENING_MAX = 100;

const boardFile = join(folder, 'edges.yaml');
const line = (name: string, offset: number): string =>
  `  ${name}: { chip: ${PIPE_CHIP}, offset: ${offset} }`;
writeFileSync(
  boardFile,
  [
    'board: 1',
    'name: edges',
    'title: Two beams and a gate',
    'gpio: { backend: gpiochip }',
    'lines:',
    ...[line('beam-a', BEAM_A), line('beam-b', BEAM_B), line('gate', GATE)],
    'devices:',
    '  gate: { driver: gate, line: gate, safe: locked }',
    '  mouth:',
    '    driver: shoe-mouth',
    '    beamA: beam-a',
    '    beamB: beam-b',
    '    calibration:',
    '      spacingMm: 10',
    '      cardMm: 63.5',
    '      coverMm: 70',
    '      colours:',
    '        - { name: nothing, kind: nothing, clear: 150, red: 52, green: 55, blue: 45 }',
    '        - { name: cover, kind: cover, clear: 2700, red: 1250, green: 1080, blue: 350 }',
  ].join('\n'),
);

for (const flag of COLLECTOR_FLAGS) setFlagsFromString(flag);
const lockedNs: number[] = [];
const onSet = (isLocked: boolean): void => {
  if (isLocked) lockedNs.push(nowNs());
};
const scheduler = new RealScheduler();
const gpio = pipeChipBus({ edges, outputs, folder, onSet });
const running = await openTable({
  rules: benchRules,
  place: { site: 'bench', pit: 'p1', table: 't1' },
  journalPath: join(folder, 'table.journal'),
  scheduler,
  bridge: new BoardBridge(loadBoard(boardFile), { gpio, i2c: {}, streams: {} }, scheduler),
  broker: null,
  page: null,
  key: null,
  log: silentLog,
  version: 'bench',
});
await running.start();
const { loop } = running.table;

const playOn = (): void => {
  for (const happening of nextHappenings(loop.state(), benchRules)) loop.tell(happening);
};

/** The floor clears the stop that a card gone back raised. */
const clearStops = (): void => {
  for (const { id, severity } of loop.state().findings) {
    if (severity !== 'stop') continue;
    loop.tell({ kind: 'press', key: 'clear', finding: id, role: 'floor' });
  }
};

const say = (word: Word): void => void process.send?.(word);
let playing: NodeJS.Timeout | undefined;

process.on('message', (message) => {
  const order = orderSchema.parse(message);
  if (order.do === 'report') {
    say({ say: 'report', times: lockedNs.splice(0) });
    return;
  }
  clearInterval(playing);
  playing = order.perS === 0 ? undefined : setInterval(playOn, 1000 / order.perS);
});

const steps = WARM_STEPS + OPENING_MAX;
for (let i = 0; i < steps && (i < WARM_STEPS || loop.state().phase !== 'round'); i += 1) {
  playOn();
  await loop.settled();
}
if (loop.state().phase !== 'round') throw new Error(`no round, but ${loop.state().phase}`);
loop.onStep(({ observation }) => {
  if (observation.kind === 'card.back') setImmediate(clearStops);
  else if (observation.kind === 'press' && observation.key === 'clear') setImmediate(playOn);
});
lockedNs.length = 0;
say({ say: 'ready' });
