import { identityFolder } from '../../surveillance/identity/folder.js';
import type { BrokerAddress } from '../../surveillance/mqtt/mqtt-transport.js';
import { type CommandKeys, readCommandKeys } from '../config/command-keys.js';
import type { SiteConfig } from '../config/schema.js';
import type { LoadedConfig } from './config-file.js';
import { configuredBroker, configuredText } from './configured.js';
import { EXIT, Refusal } from './exit.js';

// Apart from publishing: a start reads which broker it has, and loads the network's library later.

export interface BrokerTarget {
  readonly place: SiteConfig['place'];
  readonly address: BrokerAddress | (() => BrokerAddress);
  readonly mqtt: '5' | '3.1.1';
  readonly consumers: readonly string[];
  readonly cameras: readonly string[];
  readonly keys: CommandKeys;
  /** The table's identity, where it lies in a folder that can be renewed. */
  readonly identity?: { readonly dir: string; readonly caFile: string };
}

/** A broker on this machine, without TLS: the demo's, or one for a trial. */
export const plainAddress = (url: string, mqtt: '5' | '3.1.1'): BrokerAddress => {
  const { host, port } = configuredBroker(url);
  return { host, port, mqtt, tls: null };
};

/** The broker of a configuration; null where none is named. @throws Refusal, exit code 78. */
export const targetOf = ({ config, resolve }: LoadedConfig): BrokerTarget | null => {
  const { broker, place } = config;
  if (broker === undefined) return null;
  const mqtt = broker.protocol === 5 ? '5' : '3.1.1';
  const { host, port, isTls } = configuredBroker(broker.url);
  // Files are read at each attempt to connect: a renewed certificate is taken without a restart.
  const address = (): BrokerAddress => ({
    host,
    port,
    mqtt,
    tls:
      !isTls || !broker.caFile || !broker.certFile || !broker.keyFile
        ? null
        : {
            ca: configuredText(resolve(broker.caFile), 'broker.caFile'),
            certificate: configuredText(resolve(broker.certFile), 'broker.certFile'),
            key: configuredText(resolve(broker.keyFile), 'broker.keyFile'),
          },
    ...(broker.username === undefined ? {} : { username: broker.username }),
    ...(broker.passwordFile === undefined
      ? {}
      : { password: configuredText(resolve(broker.passwordFile), 'broker.passwordFile').trim() }),
  });
  address();
  const identity = isTls ? identityOf(broker, resolve) : null;
  const trusted = trustedBy({ config, resolve });
  return { place, address, mqtt, ...trusted, ...(identity === null ? {} : { identity }) };
};

const identityOf = (
  { caFile, certFile, keyFile }: NonNullable<SiteConfig['broker']>,
  resolve: (path: string) => string,
): NonNullable<BrokerTarget['identity']> | null => {
  if (caFile === undefined || certFile === undefined || keyFile === undefined) return null;
  const dir = identityFolder(resolve(certFile), resolve(keyFile));
  return dir === null ? null : { dir, caFile: resolve(caFile) };
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
  const text = configuredText(path, 'commandKeysFile');
  try {
    return readCommandKeys(text, path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(EXIT.config, why, cause);
  }
};
