import { readFileSync } from 'node:fs';
import { type CommandKeys, readCommandKeys } from '../config/command-keys.js';
import type { SiteConfig } from '../config/schema.js';
import type { Cancel } from '../core/ports.js';
import { type BrokerAddress, MqttTransport } from '../../surveillance/mqtt/mqtt-transport.js';
import { readCheckpoint } from '../../storage/checkpoint.js';
import type { SqliteJournal } from '../../storage/journal.js';
import type { SignedCheckpoint } from '../../storage/store.js';
import { Publisher } from '../../surveillance/mqtt/publisher.js';
import type { LoadedConfig } from './config-file.js';
import { EXIT, Refusal } from './exit.js';
import type { Health } from './health.js';
import type { Log } from './log-port.js';
import type { TableLoop } from './loop.js';
import type { RealScheduler } from './real-scheduler.js';
import type { StepsSince } from './steps-since.js';
import type { Supervisor } from './supervisor.js';

const PLAIN_PORT = 1883;
const TLS_PORT = 8883;

export interface BrokerTarget {
  readonly place: SiteConfig['place'];
  readonly address: BrokerAddress | (() => BrokerAddress);
  readonly mqtt: '5' | '3.1.1';
  readonly consumers: readonly string[];
  readonly cameras: readonly string[];
  readonly keys: CommandKeys;
}

export interface PublishParts {
  readonly loop: TableLoop;
  readonly journal: SqliteJournal;
  /** Real time, even where the table runs on a simulated clock: a broker does not wait. */
  readonly scheduler: RealScheduler;
  readonly supervisor: Supervisor;
  readonly log: Log;
  readonly version: string;
}

/** Host and port of `mqtt://host:port`. */
const hostOf = (url: string): { host: string; port: number; isTls: boolean } => {
  const parsed = new URL(url);
  const isTls = parsed.protocol === 'mqtts:';
  const port = parsed.port === '' ? (isTls ? TLS_PORT : PLAIN_PORT) : Number(parsed.port);
  return { host: parsed.hostname.replace(/^\[|\]$/g, ''), port, isTls };
};

/** A broker on this machine, without TLS: the demo's, or one for a trial. */
export const plainAddress = (url: string, mqtt: '5' | '3.1.1'): BrokerAddress => {
  const { host, port } = hostOf(url);
  return { host, port, mqtt, tls: null };
};

const secret = (path: string, what: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(EXIT.config, `${path}: ${what} cannot be read: ${why}`, cause);
  }
};

/** The broker of a configuration; null where none is named. @throws Refusal, exit code 78. */
export const targetOf = ({ config, resolve }: LoadedConfig): BrokerTarget | null => {
  const { broker, place } = config;
  if (broker === undefined) return null;
  const mqtt = broker.protocol === 5 ? '5' : '3.1.1';
  const { host, port, isTls } = hostOf(broker.url);
  // Files are read at each attempt to connect: a renewed certificate is taken without a restart.
  const address = (): BrokerAddress => ({
    host,
    port,
    mqtt,
    tls:
      !isTls || !broker.caFile || !broker.certFile || !broker.keyFile
        ? null
        : {
            ca: secret(resolve(broker.caFile), 'broker.caFile'),
            certificate: secret(resolve(broker.certFile), 'broker.certFile'),
            key: secret(resolve(broker.keyFile), 'broker.keyFile'),
          },
    ...(broker.username === undefined ? {} : { username: broker.username }),
    ...(broker.passwordFile === undefined
      ? {}
      : { password: secret(resolve(broker.passwordFile), 'broker.passwordFile').trim() }),
  });
  address();
  return { place, address, mqtt, ...trustedBy({ config, resolve }) };
};

/** Who may hold rows back, order and film: the same whichever broker the rows go to. */
export const trustedBy = ({
  config: { consumers, cameras, commandKeysFile },
  resolve,
}: Pick<LoadedConfig, 'config' | 'resolve'>): Pick<
  BrokerTarget,
  'consumers' | 'cameras' | 'keys'
> => ({ consumers, cameras, keys: keysOf(commandKeysFile, resolve) });

const keysOf = (file: string | undefined, resolve: (path: string) => string): CommandKeys => {
  if (file === undefined) return [];
  const path = resolve(file);
  const text = secret(path, 'commandKeysFile');
  try {
    return readCommandKeys(text, path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(EXIT.config, why, cause);
  }
};

/** A table's line to surveillance: every durable step, alerts, state and health. */
export class Surveillance {
  readonly publisher: Publisher;
  readonly #parts: PublishParts;
  readonly #stops: Cancel[] = [];
  #running = false;

  constructor(target: BrokerTarget, parts: PublishParts) {
    this.#parts = parts;
    this.publisher = new Publisher({
      table: target.place,
      version: parts.version,
      mqtt: target.mqtt,
      cameras: target.cameras,
      consumers: target.consumers,
      keys: target.keys,
      journal: parts.journal,
      scheduler: parts.scheduler,
      transport: new MqttTransport(target.address),
      random: Math.random,
      tell: (happening) => {
        parts.loop.tell(happening);
      },
      report: (kind, text) => parts.log.warn({ kind }, text),
    });
  }

  /**
   * Begins to publish. The first rows of a run may be older than this object: `since` holds the
   * state before them and the steps, so that none of them goes unheard.
   */
  start(since: StepsSince): void {
    if (this.#running) return;
    this.#running = true;
    const { loop, journal, supervisor } = this.#parts;
    this.publisher.start(since.before);
    for (const { step, state } of since.steps) this.publisher.committed(step, state);
    this.#stops.push(
      loop.onStep((step, state) => this.publisher.committed(step, state)),
      journal.onCheckpoint((signed) => this.#checkpoint(signed)),
      supervisor.onLook((health) => this.#health(health)),
    );
    const { checkpoint } = journal;
    if (checkpoint !== null) this.#checkpoint(checkpoint);
    void supervisor.look();
  }

  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    for (const stop of this.#stops.splice(0)) stop();
    await this.publisher.stop();
    this.#parts.scheduler.close();
  }

  #checkpoint({ body, signature }: SignedCheckpoint): void {
    const said = readCheckpoint(body);
    if (said === null) return;
    const { type: _type, ...message } = said;
    this.publisher.checkpoint({ ...message, signature });
  }

  #health({ uptimeS, rssBytes, diskFreeBytes, temperatureC }: Health): void {
    const devices = Object.fromEntries(
      Object.entries(this.#parts.loop.state().devices).map(([name, { up, stale }]) => [
        name,
        { up, stale, quality: null },
      ]),
    );
    this.publisher.health({ uptimeS, rssBytes, diskFreeBytes, temperatureC, devices });
  }
}
