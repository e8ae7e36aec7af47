import { RealScheduler } from '../../../controller/runtime/real-scheduler.js';
import { GpiochipBus } from '../../../firmware-bridge/bus/gpiochip.js';
import { OnoffBus } from '../../../firmware-bridge/bus/onoff.js';
import { reasonOf } from '../../../firmware-bridge/bus/errors.js';
import { openBoardBridge } from '../../../firmware-bridge/open-board.js';
import { plainLine } from '../../contract/gpio.js';
import { CHIP, LINE, rigBoardFile } from './board.js';

/**
 * A program that the checks start and end: `own OFFSET` takes a line and keeps it, `board BACKEND`
 * runs the devices of the rig's board, `board BACKEND DEVICE...` some of them only. It tells its
 * parent everything the devices tell, and how long its loop was ever held up.
 */
const tell = (message: object): void => {
  process.send?.(message);
};

/** A program that is blocked sees its own timer come late. */
const TICK_MS = 50;
let heldMs = 0;
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  heldMs = Math.max(heldMs, now - last - TICK_MS);
  last = now;
}, TICK_MS);

const own = (offset: number): void => {
  new GpiochipBus().output(plainLine(CHIP, offset), false);
  tell({ owns: offset });
};

const board = async (backend: 'gpiochip' | 'onoff', only: readonly string[]): Promise<void> => {
  const scheduler = new RealScheduler();
  const fitted = { shuffler: true, reader: false, lampTap: false, blockedMs: 2000 };
  const bridge = await openBoardBridge(rigBoardFile(backend, only), fitted, scheduler);
  await bridge.start((happening, atNs) => tell({ ...happening, atNs }));
  tell({ started: backend });
  process.on('message', (order: unknown) => {
    if (typeof order !== 'object' || order === null) return;
    if ('gate' in order) {
      bridge.perform({ to: 'gate', locked: order.gate === 'locked' });
      tell({ gate: order.gate });
    }
    if ('status' in order) tell({ heldMs: Math.round(heldMs), status: bridge.status() });
  });
  process.once('SIGTERM', () => {
    void bridge.close().then(() => process.exit(0));
  });
};

/** Answers each edge of a line with the same level on the gate's, as short as it can be done. */
const answer = (backend: 'gpiochip' | 'onoff'): void => {
  const bus = backend === 'gpiochip' ? new GpiochipBus() : new OnoffBus();
  const output = bus.output(plainLine(CHIP, LINE.gate), false);
  bus.input(plainLine(CHIP, LINE.beamA), {
    edge: (active) => output.set(active),
    fault: (error) => tell({ fault: error.message }),
  });
  tell({ answers: backend });
};

const [what, ...args] = process.argv.slice(2);
const backend = args[0] === 'onoff' ? 'onoff' : 'gpiochip';
try {
  if (what === 'own') own(Number(args[0]));
  else if (what === 'answer') answer(backend);
  else await board(backend, args.slice(1));
} catch (thrown) {
  tell({ failed: reasonOf(thrown) });
}
