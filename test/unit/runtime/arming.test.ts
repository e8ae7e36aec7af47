import { expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../controller/core/procedure.js';
import type { Bridge } from '../../../controller/core/ports.js';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { ANSWER_MS, Arming } from '../../../controller/runtime/arming.js';
import { CardTable } from '../../../controller/runtime/card-table.js';
import { silentLog } from '../../../controller/runtime/log-port.js';
import { fitBoard, lineSpec, loadBoard } from '../../../firmware-bridge/boards/load.js';
import { BoardBridge } from '../../../firmware-bridge/bridge.js';
import type { ByteStream } from '../../../firmware-bridge/bus/stream.js';
import { VirtualGpio } from '../../../firmware-bridge/bus/virtual-gpio.js';
import { createVirtualTable, READY_NS } from '../../../firmware-bridge/virtual/table.js';
import { MemoryJournal } from '../../fakes/memory-journal.js';
import { plainRules } from '../../fakes/rules.js';

const started = async (clock: SimulatedClock, bridge: Bridge) => {
  const table = new CardTable({
    ...{ rules: plainRules, journal: new MemoryJournal(), scheduler: clock, bridge },
    ...{ log: silentLog, version: '0' },
  });
  const [log, said]: [string[], (string | null)[]] = [[], []];
  const write = (_: object, text: string): void => void log.push(text);
  const arming = new Arming({
    ...{ loop: table.loop, bridge, scheduler: clock, log: { info: write, warn: write } },
    next: () => '; more comes',
    said: (away) => void said.push(away),
  });
  arming.listen();
  await table.start();
  void arming.ask();
  const goOn = async (ns: number): Promise<void> => {
    const endNs = clock.nowNs() + ns;
    do await table.loop.settled();
    while (clock.runNext(endNs));
    clock.runUntil(endNs);
  };
  return { log, said, goOn };
};

/** Opens, and is never heard of. */
const SILENT: ByteStream = {
  open: () => undefined,
  write: () => undefined,
  close: () => undefined,
};
const NONE = { shuffler: false, reader: false, lampTap: false, blockedMs: 2000 };
const BUTTONS = fitBoard(loadBoard('dev-buttons'), NONE);

const buttons = (gpio: VirtualGpio, clock: SimulatedClock, withPanel: boolean): BoardBridge => {
  const { panel, ...others } = BUTTONS.devices;
  const devices = withPanel && panel !== undefined ? { ...others, panel } : others;
  const buses = { gpio, i2c: {}, streams: { panel: SILENT } };
  return new BoardBridge({ ...BUTTONS, devices }, buses, clock);
};

it('says that a table is watched once each device was reached', async () => {
  const clock = new SimulatedClock();
  const table = { shuffler: 'counting', reader: 'rank', batches: ['red'] } as const;
  const { bridge } = createVirtualTable(clock, {
    seed: 1,
    table: { ...table, policy: DEFAULT_POLICY },
  });
  const { log, said, goOn } = await started(clock, bridge);
  expect(log).toEqual([]);
  await goOn(READY_NS);
  expect(log).toEqual(['armed: the table is watched; more comes']);
  expect(said).toEqual([null]);
});

it('names what is not watched and what is out of reach, and says when all is there', async () => {
  const clock = new SimulatedClock();
  const gpio = new VirtualGpio();
  const lines = Object.keys(BUTTONS.lines).map((name) => lineSpec(BUTTONS, name));
  for (const line of lines) gpio.break(line, true);
  const { log, said, goOn } = await started(clock, buttons(gpio, clock, false));
  await goOn(1e9);
  expect(log).toEqual([
    "mouth: no connection: beam-a: the line's chip is gone",
    "gate: no connection: gate: the line's chip is gone",
    "tower: no connection: tower-green: the line's chip is gone",
    "buzzer: no connection: buzzer: the line's chip is gone",
    "lid: no connection: lid: the line's chip is gone",
    'armed, but not watched: mouth, lid; out of reach: gate, tower, buzzer; more comes',
  ]);
  expect(said).toEqual(['not watched: mouth, lid; out of reach: gate, tower, buzzer']);
  for (const line of lines) gpio.break(line, false);
  await goOn(20e9);
  expect(log.slice(6, -1).toSorted()).toEqual(
    ['buzzer', 'gate', 'lid', 'mouth', 'tower'].map((name) => `${name}: connected again`),
  );
  expect(log.at(-1)).toBe('armed: the table is watched');
  expect(said).toHaveLength(1);
});

it('does not wait for ever for a device that answers nothing', async () => {
  const clock = new SimulatedClock();
  const { log, goOn } = await started(clock, buttons(new VirtualGpio(), clock, true));
  await goOn(ANSWER_MS * 1e6 - 1e9);
  expect(log).toEqual([]);
  await goOn(2e9);
  expect(log).toEqual(['armed, but not watched: panel (no answer in 5 s); more comes']);
});
