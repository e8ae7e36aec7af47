import { headerGpio } from './header.js';
import type { BoardFile, DeviceSpec } from './schema.js';

type Path = readonly (string | number)[];

/** What each driver names, and in which list it must stand. */
const references = (
  device: DeviceSpec,
): readonly (readonly [string, string, 'lines' | 'i2c' | 'streams' | 'devices'])[] => {
  switch (device.driver) {
    case 'shoe-mouth':
      return [
        ['beamA', device.beamA, 'lines'],
        ['beamB', device.beamB, 'lines'],
        ...(device.colour === undefined ? [] : ([['colour', device.colour, 'devices']] as const)),
        ...(device.reader === undefined ? [] : ([['reader', device.reader, 'devices']] as const)),
      ];
    case 'tcs34725':
    case 'display':
    case 'ds3231':
      return [['bus', device.bus, 'i2c']];
    case 'keypad':
      return [
        ['bus', device.bus, 'i2c'],
        ['interrupt', device.interrupt, 'lines'],
        ...(device.floorKey === undefined
          ? []
          : ([['floorKey', device.floorKey, 'lines']] as const)),
        ...(device.techKey === undefined ? [] : ([['techKey', device.techKey, 'lines']] as const)),
      ];
    case 'tower':
      return [
        ['green', device.green, 'lines'],
        ['amber', device.amber, 'lines'],
        ['red', device.red, 'lines'],
      ];
    case 'lamp-tap':
      return [
        ['green', device.green, 'lines'],
        ['red', device.red, 'lines'],
      ];
    case 'gate':
    case 'sounder':
    case 'lid':
    case 'shoe-present':
      return [['line', device.line, 'lines']];
    case 'rank-reader':
      return [
        ['stream', device.stream, 'streams'],
        ['mouth', device.mouth, 'devices'],
      ];
    case 'badge-reader':
      return [
        ['stream', device.stream, 'streams'],
        ['keypad', device.keypad, 'devices'],
      ];
    case 'shuffler':
    case 'rack':
    case 'panel':
      return [['stream', device.stream, 'streams']];
  }
};

/** Names of the lines a device is on. */
export const linesOf = (device: DeviceSpec): readonly string[] =>
  references(device).flatMap(([, target, list]) => (list === 'lines' ? [target] : []));

/** What the schema cannot see: names without a bearer, lines, pins and addresses taken twice. */
export const lintBoard = (board: BoardFile): [Path, string][] => {
  const faults: [Path, string][] = [];
  const owners = new Map<string, string>();
  for (const [name, device] of Object.entries(board.devices)) {
    for (const [key, target, list] of references(device)) {
      if (!Object.hasOwn(board[list], target)) {
        const known = Object.keys(board[list]).join(', ') || 'none';
        faults.push([['devices', name, key], `there is no \`${target}\` in ${list}: ${known}`]);
      } else if (list === 'lines' || list === 'streams') {
        const owner = owners.get(`${list}/${target}`);
        if (owner !== undefined) {
          faults.push([['devices', name, key], `\`${target}\` already belongs to ${owner}`]);
        }
        owners.set(`${list}/${target}`, name);
      }
    }
    if (device.driver === 'keypad' && new Set(device.keys).size < device.keys.length) {
      faults.push([['devices', name, 'keys'], 'a key stands twice']);
    }
  }
  return [...faults, ...lineFaults(board), ...addressFaults(board)];
};

/** A line taken twice, and a pin of the header that is another line's. */
const lineFaults = (board: BoardFile): [Path, string][] => {
  const faults: [Path, string][] = [];
  const places = new Map<string, string>();
  for (const [name, line] of Object.entries(board.lines)) {
    const place = `${line.chip} line ${line.offset}`;
    const other = places.get(place);
    if (other !== undefined) faults.push([['lines', name], `${place} is already ${other}`]);
    places.set(place, name);
    const wanted = headerGpio(line);
    if (wanted !== null && wanted !== line.offset) {
      faults.push([
        ['lines', name, 'pin'],
        `pin ${line.pin ?? ''} of the header is GPIO${wanted}, not GPIO${line.offset}`,
      ]);
    }
  }
  return faults;
};

/** Two devices on one bus with one address would answer each other's questions. */
const addressFaults = (board: BoardFile): [Path, string][] => {
  const faults: [Path, string][] = [];
  const taken = new Map<string, string>();
  for (const [name, device] of Object.entries(board.devices)) {
    if (!('address' in device)) continue;
    const place = `${device.bus} 0x${device.address.toString(16)}`;
    const other = taken.get(place);
    if (other !== undefined) {
      faults.push([['devices', name, 'address'], `${place} is already ${other}`]);
    }
    taken.set(place, name);
  }
  return faults;
};
