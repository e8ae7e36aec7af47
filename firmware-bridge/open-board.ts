import type { Scheduler } from '../controller/core/ports.js';
import {
  chooseOnBoard,
  fitBoard,
  loadBoard,
  type Board,
  type BoardChoices,
  type Fitted,
} from './boards/load.js';
import { BoardBridge } from './bridge.js';
import type { Buses } from './bus/buses.js';
import { BusError } from './bus/errors.js';
import type { GpioBus } from './bus/gpio.js';
import type { I2cBus } from './bus/i2c.js';
import { SharedI2c } from './bus/shared-i2c.js';
import type { ByteStream } from './bus/stream.js';
import { recordBuses, type RecordOptions } from './trace/record.js';

const VIRTUAL = 'is virtual: only createVirtualTable can give it';

/** Opens the buses of a real board; what a board does not use is not even loaded. */
export const openBuses = async (board: Board, scheduler: Scheduler): Promise<Buses> => {
  const i2c: Record<string, I2cBus> = {};
  for (const [name, spec] of Object.entries(board.i2c)) {
    if (spec.backend === 'virtual') throw new BusError('config', `i2c.${name} ${VIRTUAL}`, '');
    const { I2cDev } = await import('./bus/i2c-dev.js');
    i2c[name] = new SharedI2c(new I2cDev(spec.number), scheduler);
  }
  const streams: Record<string, ByteStream> = {};
  for (const name of Object.keys(board.streams)) {
    streams[name] = await openStream(board, name, scheduler);
  }
  return { gpio: await openGpio(board), i2c, streams };
};

const openGpio = async (board: Board): Promise<GpioBus> => {
  switch (board.gpio.backend) {
    case 'gpiochip': {
      const { GpiochipBus } = await import('./bus/gpiochip.js');
      return new GpiochipBus();
    }
    case 'onoff': {
      const { OnoffBus } = await import('./bus/onoff.js');
      return new OnoffBus();
    }
    case 'virtual':
      throw new BusError('config', `gpio ${VIRTUAL}`, '');
  }
};

/** A port's speed and form are those of the profile of the device that uses it. */
const openStream = async (
  board: Board,
  name: string,
  scheduler: Scheduler,
): Promise<ByteStream> => {
  const spec = board.streams[name];
  if (spec?.backend === 'tcp') {
    const { TcpStream } = await import('./bus/tcp.js');
    return new TcpStream(spec.host, spec.port, scheduler);
  }
  const [device] =
    Object.entries(board.devices).find(([, d]) => 'stream' in d && d.stream === name) ?? [];
  const profile = device === undefined ? undefined : board.profiles[device];
  if (spec?.backend !== 'serial') throw new BusError('config', `streams.${name} ${VIRTUAL}`, '');
  if (profile === undefined) {
    const cure = 'take it out, or name it in a device';
    throw new BusError('config', `no device uses the stream ${name}`, cure);
  }
  const { SerialStream } = await import('./bus/serial.js');
  return new SerialStream(spec.path, profile.line, scheduler);
};

/**
 * The bridge of a real board (`pi4`, or a path), fitted to the table. Throws `FileError` for a
 * faulty file and `BusError` for a missing addon; missing hardware is a link that is down.
 */
export const openBoardBridge = async (
  nameOrPath: string,
  fitted: Fitted,
  scheduler: Scheduler,
  options: BoardChoices & { readonly record?: RecordOptions } = {},
): Promise<BoardBridge> => {
  const board = fitBoard(chooseOnBoard(loadBoard(nameOrPath), options), fitted);
  const buses = await openBuses(board, scheduler);
  const { record } = options;
  const used = record === undefined ? buses : recordBuses(buses, board, scheduler, record);
  return new BoardBridge(board, used, scheduler);
};
