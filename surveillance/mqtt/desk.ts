import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { readGiven } from '../../controller/config/given-file.js';
import { type BrokerPlace, brokerPlace, crossesBare } from '../../controller/config/schema.js';

/** How a desk (a checker, a person with a command key) reaches the broker. */
export interface DeskOptions {
  /** `mqtts://host:8883`, or `mqtt://127.0.0.1:1883` on this machine. */
  readonly broker: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly username?: string;
  readonly passwordFile?: string;
  readonly mqtt?: string;
  readonly clientId?: string;
}

/** The user can put it right: a wrong address, a file that cannot be read, no answer. */
export class DeskError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'DeskError';
  }
}

const CONNECT_MS = 10_000;
const MAX_FILE_BYTES = 65_536;

/** @throws DeskError naming the file. */
export const readSmallFile = (path: string, what: string): string => {
  try {
    return readGiven(path, MAX_FILE_BYTES);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown cause';
    throw new DeskError(`${path}: ${what} cannot be read: ${why}`, cause);
  }
};

const addressOf = (broker: string): BrokerPlace => {
  const place = brokerPlace(broker);
  if (place === null || place.host === '' || !['', '/'].includes(new URL(broker).pathname)) {
    const hint = 'write mqtts://host:8883, or mqtt://127.0.0.1:1883 on this machine';
    throw new DeskError(`\`${broker}\` is no broker's address: ${hint}`);
  }
  if (crossesBare(broker)) {
    throw new DeskError(
      `\`${broker}\`: messages and passwords would cross the network unprotected: write ` +
        `mqtts://${new URL(broker).hostname}:8883 and give --ca, --cert and --key; mqtt:// is ` +
        'for a broker on this machine',
    );
  }
  return place;
};

const optionsOf = (options: DeskOptions): IClientOptions => {
  const { host, port, isTls } = addressOf(options.broker);
  const { ca, cert, key, username, passwordFile, mqtt = '5' } = options;
  if (mqtt !== '5' && mqtt !== '3.1.1') {
    throw new DeskError(`MQTT ${mqtt} is not known: 5 or 3.1.1`);
  }
  if (!isTls && (ca !== undefined || cert !== undefined)) {
    throw new DeskError('certificates are given but the address is plain: write mqtts://');
  }
  return {
    protocol: isTls ? 'mqtts' : 'mqtt',
    host,
    port,
    protocolVersion: mqtt === '5' ? 5 : 4,
    clientId: options.clientId ?? `cutcard-desk-${process.pid}-${Date.now().toString(36)}`,
    clean: true,
    keepalive: 15,
    reconnectPeriod: 0,
    connectTimeout: CONNECT_MS,
    queueQoSZero: false,
    ...(username === undefined ? {} : { username }),
    ...(passwordFile === undefined
      ? {}
      : { password: readSmallFile(passwordFile, 'the password').trim() }),
    ...(isTls ? { rejectUnauthorized: true, minVersion: 'TLSv1.3' } : {}),
    ...(ca === undefined ? {} : { ca: readSmallFile(ca, "the authority's certificate") }),
    ...(cert === undefined ? {} : { cert: readSmallFile(cert, 'the certificate') }),
    ...(key === undefined ? {} : { key: readSmallFile(key, 'the private key') }),
  };
};

/** @throws DeskError when the broker cannot be reached or will not have us. */
export const connectDesk = (options: DeskOptions): Promise<MqttClient> => {
  const given = optionsOf(options);
  return new Promise((resolve, reject) => {
    const client = connect(given);
    let why = 'it does not answer';
    const fail = (): void => {
      client.end(true);
      reject(
        new DeskError(
          `${options.broker} cannot be used: ${why}; is the broker running, is this desk ` +
            'in its access list, does it speak MQTT 5 (if not: --mqtt 3.1.1)?',
        ),
      );
    };
    client.once('connect', () => {
      client.off('close', fail);
      resolve(client);
    });
    client.on('error', (error) => {
      why = error.message || why;
    });
    client.once('close', fail);
  });
};
