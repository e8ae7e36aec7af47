import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadBoard } from '../../firmware-bridge/boards/load.js';
import { BoardBridge } from '../../firmware-bridge/bridge.js';
import { SerialStream } from '../../firmware-bridge/bus/serial.js';
import { VirtualGpio } from '../../firmware-bridge/bus/virtual-gpio.js';
import { DeviceKey } from '../../storage/checkpoint.js';
import { createLog } from '../../controller/runtime/log.js';
import { openTable } from '../../controller/runtime/main.js';
import { plainAddress } from '../../controller/runtime/broker-target.js';
import { RealScheduler } from '../../controller/runtime/real-scheduler.js';
import { benchRules } from './shoe-steps.js';

/**
 * Cutcard's own path, with the controller's parts as `cutcard run` wires them: the serial driver
 * by its profile, the rules, the chained journal in its thread with signed checkpoints, the
 * publisher. Only the port's path is given here, for a pseudo-terminal has no lasting name.
 */
const [port = '', broker = '', folder = ''] = process.argv.slice(2);

const boardFile = join(folder, 'bench.yaml');
writeFileSync(
  boardFile,
  [
    'board: 1',
    'name: bench',
    'title: A shuffler on a serial line',
    'gpio: { backend: virtual }',
    'streams: { shuffler: { backend: serial, path: /dev/cutcard-bench } }',
    'lines: {}',
    'devices: { shuffler: { driver: shuffler, stream: shuffler, profile: shuffler-lines } }',
  ].join('\n'),
);
const keyFile = join(folder, 'device.pem');
const { privateKey } = generateKeyPairSync('ed25519');
writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });

const scheduler = new RealScheduler();
const board = loadBoard(boardFile);
const profile = board.profiles['shuffler'];
if (profile === undefined) throw new Error('the bench board has no shuffler');
const place = { site: 'bench', pit: 'p1', table: 't1' };
const table = await openTable({
  rules: benchRules,
  place,
  journalPath: join(folder, 'table.journal'),
  scheduler,
  bridge: new BoardBridge(
    board,
    {
      gpio: new VirtualGpio(),
      i2c: {},
      streams: { shuffler: new SerialStream(port, profile.line, scheduler) },
    },
    scheduler,
  ),
  broker: {
    place,
    address: plainAddress(broker, '5'),
    mqtt: '5',
    consumers: [],
    cameras: [],
    keys: [],
  },
  page: null,
  key: DeviceKey.load(keyFile),
  log: createLog('error'),
  version: 'bench',
});
await table.start();
for (const key of ['open-table', 'cards-inspected'] as const) {
  table.table.loop.tell({ kind: 'press', key, role: 'dealer' });
}
await table.table.loop.settled();
