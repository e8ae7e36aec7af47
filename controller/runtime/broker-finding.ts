import { checkHost, fail, type Finding, ok, warn } from '../../firmware-bridge/doctor/hardware.js';
import { connectDesk } from '../../surveillance/mqtt/desk.js';
import type { LoadedConfig } from './config-file.js';
import { configuredBroker } from './configured.js';

const WHAT = 'broker login';
const CURE =
  'see to the authority’s certificate and this table’s own (`cutcard provision status`), the ' +
  'clocks, and the name in the broker’s access list';

/**
 * What the doctor says of the broker: whether anything answers there, and whether it takes this
 * table's certificate. It logs in under a name of its own: the table's would end a running table.
 */
export const brokerFindings = async ({ config, resolve }: LoadedConfig): Promise<Finding[]> => {
  const { broker } = config;
  if (broker === undefined) {
    const cure = '`broker:` in the configuration, where surveillance is to hear this table';
    return [warn('broker', 'none configured: rows stay on this machine', cure)];
  }
  const { host, port } = configuredBroker(broker.url);
  const reached = await checkHost('broker', host, port);
  if (reached.state !== 'ok') return [reached];
  const { caFile, certFile, keyFile, passwordFile, username } = broker;
  try {
    const client = await connectDesk({
      broker: broker.url,
      mqtt: broker.protocol === 5 ? '5' : '3.1.1',
      ...(caFile === undefined ? {} : { ca: resolve(caFile) }),
      ...(certFile === undefined ? {} : { cert: resolve(certFile) }),
      ...(keyFile === undefined ? {} : { key: resolve(keyFile) }),
      ...(username === undefined ? {} : { username }),
      ...(passwordFile === undefined ? {} : { passwordFile: resolve(passwordFile) }),
    });
    await client.endAsync();
    return [reached, ok(WHAT, `taken, MQTT ${broker.protocol}`)];
  } catch (thrown) {
    const said = thrown instanceof Error ? thrown.message : String(thrown);
    // The TLS library ends its words with a line feed.
    return [reached, fail(WHAT, said.replaceAll(/\s+/g, ' '), CURE)];
  }
};
