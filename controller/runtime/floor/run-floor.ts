import { dirname, resolve } from 'node:path';
import { AuditFile } from '../../../surveillance/access/audit.js';
import { UsersBook } from '../../../surveillance/access/users-book.js';
import { commandKeyOf } from '../../../surveillance/mqtt/command-sign.js';
import type { BrokerAddress } from '../../../surveillance/mqtt/mqtt-transport.js';
import type { CommandKey } from '../../../surveillance/floor/asker.js';
import type { FloorAccess } from '../../../surveillance/floor/http/server.js';
import { configuredBroker, configuredText } from '../configured.js';
import { EXIT, Refusal } from '../exit.js';
import type { Log } from '../log-port.js';
import type { FloorConfig } from './floor-config.js';
import { isPostgres, type RunningFloor, startFloor } from './start-floor.js';

const MS_PER_S = 1000;

export interface RunFloorOptions {
  readonly config: FloorConfig;
  /** Folder that relative paths are taken from. */
  readonly folder: string;
  readonly log: Log;
  readonly version: string;
}

/** Read at each connection: a renewed certificate is taken without a restart. */
const addressOf = ({ broker }: FloorConfig, at: (path: string) => string): BrokerAddress => {
  const { host, port, isTls } = configuredBroker(broker.url);
  const { caFile, certFile, keyFile, username, passwordFile } = broker;
  if (isTls && (caFile === undefined || certFile === undefined || keyFile === undefined)) {
    throw new Refusal(EXIT.config, 'broker: mqtts takes caFile, certFile and keyFile');
  }
  return {
    host,
    port,
    mqtt: broker.protocol === 5 ? '5' : '3.1.1',
    tls:
      caFile === undefined || certFile === undefined || keyFile === undefined
        ? null
        : {
            ca: configuredText(at(caFile), 'broker.caFile'),
            certificate: configuredText(at(certFile), 'broker.certFile'),
            key: configuredText(at(keyFile), 'broker.keyFile'),
          },
    ...(username === undefined ? {} : { username }),
    ...(passwordFile === undefined
      ? {}
      : { password: configuredText(at(passwordFile), 'broker.passwordFile').trim() }),
  };
};

/** Where a configuration's rows lie, with the password of the database in it. */
export const storeOf = (config: FloorConfig, folder: string): string => {
  const at = (path: string): string => resolve(folder, path);
  const { store, storePasswordFile } = config;
  if (!isPostgres(store)) return at(store);
  if (storePasswordFile === undefined) return store;
  const url = new URL(store);
  url.password = configuredText(at(storePasswordFile), 'storePasswordFile').trim();
  return url.href;
};

const keyOf = (config: FloorConfig, at: (path: string) => string): CommandKey | null => {
  const { commandKey } = config;
  if (commandKey === undefined) return null;
  const path = at(commandKey.file);
  try {
    return { name: commandKey.name, key: commandKeyOf(configuredText(path, 'commandKey.file')) };
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(EXIT.config, `${path}: ${why}`, cause);
  }
};

const accessOf = (config: FloorConfig, at: (path: string) => string, log: Log): FloorAccess => {
  const { usersFile, listen } = config;
  let users: UsersBook | null = null;
  if (usersFile !== undefined) {
    users = new UsersBook(at(usersFile), { notice: (text) => log.warn({}, text) });
    try {
      users.load();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Refusal(EXIT.config, why, cause);
    }
  }
  const { tls, proxy } = listen;
  return {
    users,
    proxy: proxy ?? null,
    tls: tls === undefined ? null : { certFile: at(tls.certFile), keyFile: at(tls.keyFile) },
  };
};

/**
 * Starts the floor service of a configuration.
 * @throws Refusal in plain words for everything that can be put right.
 */
export const runFloor = async (options: RunFloorOptions): Promise<RunningFloor> => {
  const { config, folder, log, version } = options;
  const at = (path: string): string => resolve(folder, path);
  addressOf(config, at);
  const { listen, auditFile, escalation, shared } = config;
  const audit = auditFile === undefined ? null : new AuditFile(at(auditFile), warn(log));
  await audit?.start();
  const floor = await startFloor({
    store: storeOf(config, folder),
    broker: () => addressOf(config, at),
    host: listen.host,
    port: listen.port,
    log,
    version,
    consumer: config.consumer,
    site: config.site,
    commandKey: keyOf(config, at),
    expected: config.tables,
    escalation: {
      floorMs: escalation.floorS * MS_PER_S,
      shiftMs: escalation.shiftS * MS_PER_S,
    },
    retentionYears: config.retentionYears,
    dayBeginsHour: config.dayBeginsHour,
    access: accessOf(config, at, log),
    ...(shared === undefined ? {} : { isShared: shared }),
    ...(audit === null ? {} : { audit }),
  });
  return {
    ...floor,
    stop: async () => {
      await floor.stop();
      await audit?.stop();
    },
  };
};

const warn =
  (log: Log) =>
  (text: string): void =>
    log.error({}, text);

/** The folder a configuration's paths are taken from. */
export const folderOf = (file: string): string => dirname(resolve(file));
