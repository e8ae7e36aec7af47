import { accessSync, constants } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Board, loadBoard } from '../../firmware-bridge/boards/load.js';
import {
  checkGpio,
  checkI2c,
  checkStreams,
  checkSupply,
  fail,
  type Finding,
  ok,
  warn,
} from '../../firmware-bridge/doctor/hardware.js';
import { FileError } from '../../firmware-bridge/files.js';
import { brokerFindings } from './broker-finding.js';
import { certificateFinding } from './certificate-finding.js';
import { clockTrust } from './clock-trust.js';
import { type LoadedConfig, readConfigFile, refuseConfig } from './config-file.js';
import { EXIT, Refusal } from './exit.js';
import { signingKeyFinding } from './signing-key.js';

/** Free space below which the journal is close to its end, and at its end; bytes. */
export const DISK_WARN = 1024 ** 3;
export const DISK_FAIL = 64 * 1024 ** 2;

export interface DoctorOptions {
  readonly config?: string;
  readonly board?: string;
}

const loaded = (file: string): LoadedConfig => {
  const read = readConfigFile(file);
  if (!read.ok) throw refuseConfig(read.problems);
  return read.loaded;
};

const boardOf = (name: string): Board => {
  try {
    return loadBoard(name);
  } catch (error) {
    if (error instanceof FileError) throw new Refusal(EXIT.config, error.message, error);
    throw error;
  }
};

const checkDisk = async (folder: string): Promise<Finding[]> => {
  const what = `disk ${folder}`;
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const seen = `${(free / 1024 ** 3).toFixed(1)} GB free, writable`;
    const cure = 'make room, or keep fewer days (`keepDays`)';
    if (free < DISK_FAIL) return [fail(what, seen, cure)];
    return [free < DISK_WARN ? warn(what, seen, cure) : ok(what, seen)];
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error);
    return [fail(what, seen, 'make the folder, writable for the service')];
  }
};

const checkClock = async (): Promise<Finding> => {
  const trusted = await clockTrust();
  if (trusted === true) return ok('clock', 'synchronised');
  const cure = 'set up chrony with NTS sources; decisions never use this clock';
  const seen = trusted === null ? 'nobody on this machine can say' : 'not synchronised';
  return warn('clock', seen, cure);
};

/** What may be looked at while the table runs: its buses are in use and are left alone. */
export const examineRunning = async (
  board: string,
  journalFolder: string,
): Promise<readonly Finding[]> => [
  ...checkGpio(boardOf(board)),
  ...(await checkDisk(journalFolder)),
  await checkClock(),
  ...checkSupply(),
];

/** Everything the doctor looks at, in the order in which it should be put right. */
export const examine = async (options: DoctorOptions): Promise<readonly Finding[]> => {
  const config = options.config === undefined ? null : loaded(options.config);
  const board = boardOf(options.board ?? config?.config.board ?? 'virtual');
  const findings: Finding[] = [ok('board', `${board.name}: ${board.title}`)];
  findings.push(...checkGpio(board));
  if (Object.values(board.i2c).some((bus) => bus.backend === 'i2c-dev')) {
    const { I2cDev } = await import('../../firmware-bridge/bus/i2c-dev.js');
    findings.push(...(await checkI2c(board, (number) => new I2cDev(number))));
  }
  findings.push(...(await checkStreams(board)));
  const journal = config?.resolve(config.config.journal);
  findings.push(...(await checkDisk(journal === undefined ? '.' : dirname(journal))));
  if (config !== null) {
    const { deviceKeyFile } = config.config;
    findings.push(signingKeyFinding(deviceKeyFile ? config.resolve(deviceKeyFile) : null));
  }
  if (config !== null) findings.push(...(await brokerFindings(config)));
  const certFile = config?.config.broker?.certFile;
  if (config !== null && certFile !== undefined) {
    findings.push(certificateFinding(config.resolve(certFile), Date.now()));
  }
  findings.push(await checkClock(), ...checkSupply());
  return findings;
};
