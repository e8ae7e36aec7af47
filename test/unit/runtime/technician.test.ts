import { expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../controller/core/procedure.js';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { silentLog } from '../../../controller/runtime/log-port.js';
import { TableLoop } from '../../../controller/runtime/loop.js';
import { technicianSource } from '../../../controller/runtime/technician.js';
import { loadBoard } from '../../../firmware-bridge/boards/load.js';
import { BoardBridge } from '../../../firmware-bridge/bridge.js';
import { VirtualGpio } from '../../../firmware-bridge/bus/virtual-gpio.js';
import { createVirtualTable, READY_NS } from '../../../firmware-bridge/virtual/table.js';
import { isTechReport } from '../../../surveillance/table-page/technician.js';
import { MemoryJournal } from '../../fakes/memory-journal.js';
import { plainRules } from '../../fakes/rules.js';

const loopOn = (clock: SimulatedClock): TableLoop =>
  new TableLoop({
    rules: plainRules,
    journal: new MemoryJournal(),
    scheduler: clock,
    log: silentLog,
    perform: () => undefined,
  });

it('shows the inside of a table whose program was replaced under it, and says so', async () => {
  const clock = new SimulatedClock();
  const { panel: _panel, ...devices } = loadBoard('dev-buttons').devices;
  const board = { ...loadBoard('dev-buttons'), devices, file: '/nowhere/gone.yaml' };
  const bridge = new BoardBridge(board, { gpio: new VirtualGpio(), i2c: {}, streams: {} }, clock);
  const loop = loopOn(clock);
  await loop.start();
  const source = technicianSource({ bridge, loop, scheduler: clock, journalFolder: '.' });
  const report = await source();
  expect(isTechReport(report)).toBe(true);
  expect(report.devices.map(({ name }) => name)).toContain('mouth');
  expect(report.checks).toHaveLength(1);
  expect(report.checks[0]).toMatchObject({ what: 'doctor', level: 'fail' });
  expect(report.checks[0]?.seen).toContain('/nowhere/gone.yaml');
  expect(report.checks[0]?.cure).toContain('restart the service');
});

it('tells a technician what the wires say, and nothing of a card’s rank', async () => {
  const clock = new SimulatedClock();
  const { bridge, hands } = createVirtualTable(clock, {
    seed: 1,
    table: {
      shuffler: 'counting',
      reader: 'rank',
      batches: ['red', 'blue'],
      policy: DEFAULT_POLICY,
    },
  });
  const loop = loopOn(clock);
  await loop.start();
  const source = technicianSource({ bridge, loop, scheduler: clock, journalFolder: '.' });
  await bridge.start(() => undefined);
  clock.runUntil(READY_NS);
  clock.runUntil(hands.cards(3));
  clock.runUntil(clock.nowNs() + 2e9);
  const report = await source();
  expect(isTechReport(report)).toBe(true);
  const beam = report.lines.find(({ name }) => name === 'beam-a');
  expect(beam).toMatchObject({ direction: 'in', level: { value: false }, error: null });
  expect(beam?.changes).toBeGreaterThanOrEqual(6);
  expect(beam?.level?.agoMs).toBeGreaterThan(1000);
  const mouth = report.devices.find(({ name }) => name === 'mouth');
  expect(mouth?.state).toBe('up');
  expect(mouth?.calibration).toMatch(/beams \d+ mm apart, card .*; nothing, red, blue/);
  expect(report.registers.some(({ bytes }) => /^[0-9a-f ]+$/.test(bytes?.value ?? ''))).toBe(true);
  const reader = report.streams.find(({ name }) => name === 'reader');
  expect(reader).toMatchObject({ isSecret: true, last: null });
  expect(report.streams.find(({ name }) => name === 'shuffler')?.isSecret).toBe(false);
  expect(report.checks.map(({ what }) => what)).toContain('disk .');
  // On the clock of the ages beside it, which is simulated here.
  const uptimeS = Math.round(clock.nowNs() / 1e9);
  expect(uptimeS).toBeGreaterThan(2);
  expect(report.figures).toMatchObject({ rows: 1, lost: 0, uptimeS });
  await bridge.stop();
});
