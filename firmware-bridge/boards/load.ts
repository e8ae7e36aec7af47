import { dirname, join, resolve } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import type { LineSpec } from '../bus/gpio.js';
import { FileError, loadProfile, packageRoot, readText } from '../files.js';
import { formFaults, lineAt, plainOf, type FileFault } from '../framing/yaml-faults.js';
import type { Profile } from '../framing/profile.js';
import type { MouthCalibration } from '../signal/calibration.js';
import { lintBoard } from './lint.js';
import { boardSchema, calibrationSchema, type BoardFile, type DeviceSpec } from './schema.js';

/** A board file, checked, with everything it names read in. */
export interface Board extends BoardFile {
  readonly file: string;
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly calibrations: Readonly<Record<string, MouthCalibration>>;
}

/** The boards of this program, by name. */
export const BOARDS = ['virtual', 'pi4', 'pi5', 'dev-buttons'] as const;

type Path = readonly (string | number)[];

/**
 * One of our boards by name (`virtual`, `pi4`), or a board file by its path.
 * @throws FileError naming the boards there are
 */
export const boardFile = (nameOrPath: string): string => {
  if (!/^[a-z0-9-]+$/.test(nameOrPath)) return resolve(nameOrPath);
  if (BOARDS.some((name) => name === nameOrPath)) {
    return join(packageRoot(), 'firmware-bridge', 'boards', `${nameOrPath}.yaml`);
  }
  const message =
    `there is no such board in this program; it has ${BOARDS.join(', ')} ` +
    '(`cutcard board list`); a file of yours is named by a path such as ./mine.yaml';
  throw new FileError([{ file: nameOrPath, line: 0, message }]);
};

/** Reads and checks a board file. Throws `FileError` with every fault, each with its line. */
export const loadBoard = (nameOrPath: string): Board => {
  const file = boardFile(nameOrPath);
  return parseBoard(readText(file), file);
};

export const parseBoard = (text: string, file: string): Board => {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: true });
  const fault = (path: Path, message: string): FileFault => ({
    file,
    line: lineAt(document, counter, path),
    message: path.length === 0 ? message : `${path.join('.')}: ${message}`,
  });
  const [bad] = document.errors;
  if (bad !== undefined) {
    const line = bad.linePos?.[0].line ?? 0;
    throw new FileError([{ file, line, message: bad.message.split('\n')[0] ?? 'not YAML' }]);
  }
  const plain = plainOf(document);
  if (plain === null) throw new FileError([{ file, line: 0, message: 'uses an alias' }]);
  const parsed = boardSchema.safeParse(plain);
  if (!parsed.success) throw new FileError(formFaults(parsed.error, document, counter, file));
  const faults = lintBoard(parsed.data).map(([path, message]) => fault(path, message));
  if (faults.length > 0) throw new FileError(faults);
  return { ...parsed.data, file, ...attachments(parsed.data, file) };
};

const attachments = (board: BoardFile, file: string): Pick<Board, 'profiles' | 'calibrations'> => {
  const profiles: Record<string, Profile> = {};
  const calibrations: Record<string, MouthCalibration> = {};
  for (const [name, device] of Object.entries(board.devices)) {
    if ('profile' in device) profiles[name] = loadProfile(device.profile, file);
    if (device.driver === 'shoe-mouth') calibrations[name] = calibrationOf(device, file);
  }
  return { profiles, calibrations };
};

const calibrationOf = (
  device: Extract<DeviceSpec, { driver: 'shoe-mouth' }>,
  besides: string,
): MouthCalibration => {
  if (typeof device.calibration !== 'string') return device.calibration;
  const file = resolve(dirname(besides), device.calibration);
  return parseCalibration(readText(file), file);
};

/** A file written by `cutcard calibrate`. */
export const parseCalibration = (text: string, file: string): MouthCalibration => {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const parsed = calibrationSchema.safeParse(plainOf(document));
  if (!parsed.success) throw new FileError(formFaults(parsed.error, document, counter, file));
  return parsed.data;
};

/** The line as the buses take it. */
export const lineSpec = (board: BoardFile, name: string): LineSpec => {
  const line = board.lines[name];
  if (line === undefined) throw new Error(`the board ${board.name} has no line ${name}`);
  const { chip, offset, bias, debounceUs } = line;
  return { name, chip, offset, activeLow: line.active === 'low', bias, debounceUs };
};

/** What a table has: a board lists all that can be fitted. */
export interface Fitted {
  readonly shuffler: boolean;
  readonly reader: boolean;
  readonly lampTap: boolean;
  /** The house's `policy.blockedMs`. */
  readonly blockedMs: number;
}

const streamsOf = (devices: Board['devices']): ReadonlySet<string> =>
  new Set(Object.values(devices).flatMap((spec) => ('stream' in spec ? [spec.stream] : [])));

/** The board without the devices that this table does not have. */
export const fitBoard = (board: Board, fitted: Fitted): Board => {
  const keep = (device: DeviceSpec): boolean => {
    if (device.driver === 'shuffler') return fitted.shuffler;
    if (device.driver === 'rank-reader') return fitted.reader;
    return device.driver === 'lamp-tap' ? fitted.lampTap : true;
  };
  const devices: Record<string, DeviceSpec> = {};
  for (const [name, device] of Object.entries(board.devices)) {
    if (!keep(device)) continue;
    if (device.driver === 'shoe-mouth') {
      const { reader, ...mouth } = { ...device, blockedMs: fitted.blockedMs };
      devices[name] = fitted.reader && reader !== undefined ? { ...mouth, reader } : mouth;
    } else devices[name] = device;
  }
  // A line whose device is not fitted is not opened; one that no device ever named is a mistake.
  const [named, used] = [streamsOf(board.devices), streamsOf(devices)];
  const streams = Object.fromEntries(
    Object.entries(board.streams).filter(([name]) => used.has(name) || !named.has(name)),
  );
  return { ...board, devices, streams };
};

/** What the table's configuration puts in place of the board file's own. */
export interface BoardChoices {
  /** Name or path of the shuffler's profile. */
  readonly shufflerProfile?: string;
  /** A file written by `cutcard calibrate`. */
  readonly calibration?: string;
}

/** The board with the site's own shuffler profile and calibration. Throws `FileError`. */
export const chooseOnBoard = (board: Board, choices: BoardChoices): Board => {
  const profiles = { ...board.profiles };
  const calibrations = { ...board.calibrations };
  for (const [name, device] of Object.entries(board.devices)) {
    if (device.driver === 'shuffler' && choices.shufflerProfile !== undefined) {
      profiles[name] = loadProfile(choices.shufflerProfile, board.file);
    }
    if (device.driver === 'shoe-mouth' && choices.calibration !== undefined) {
      calibrations[name] = parseCalibration(readText(choices.calibration), choices.calibration);
    }
  }
  return { ...board, profiles, calibrations };
};
