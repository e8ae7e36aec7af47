import { expect, it } from 'vitest';
import { Line } from '../../../surveillance/floor/line.js';
import { EmbeddedBroker } from '../../../surveillance/mqtt/embedded-broker.js';

it('names the setting for a broker that speaks the older MQTT only', async () => {
  const broker = new EmbeddedBroker();
  await broker.start();
  const said: string[] = [];
  const line = new Line({
    address: () => ({ host: '127.0.0.1', port: broker.port, tls: null, mqtt: '5' }),
    clientId: 'floor-test',
    subscriptions: () => ['#'],
    message: () => undefined,
    hasRoom: () => true,
    changed: (_isUp, why) => said.push(why),
    random: () => 0.5,
  });
  line.start();
  try {
    await expect.poll(() => said.length, { timeout: 30_000 }).toBeGreaterThan(0);
    expect(said[0]).toMatch(/protocol version: the broker does not speak MQTT 5;.*--mqtt 3\.1\.1/);
  } finally {
    await line.stop();
    await broker.stop();
  }
}, 60_000);
