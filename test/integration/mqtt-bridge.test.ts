import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { MqttTransport } from '../../surveillance/mqtt/mqtt-transport.js';
import { readFloorPlan } from '../../surveillance/broker/floor-plan.js';
import { mosquittoConfig } from '../../surveillance/broker/mosquitto.js';
import { card, ROOT, seqsOf } from '../unit/surveillance/rows.js';
import {
  liveTable,
  Mosquitto,
  publishOnce,
  sleep,
  Subscriber,
  until,
  whyNoMosquitto,
} from './mqtt-tools.js';

const why = whyNoMosquitto();
beforeEach((context) => {
  if (why !== null) context.skip(why);
});

it('a bridge takes everything to the group and lets no order down to the floor', async () => {
  const group = await Mosquitto.start();
  const floor = await Mosquitto.start((port, dir) => {
    const plan = readFloorPlan(
      `floor: 1\nsite: north\ntables: [{ pit: p1, table: bac-04 }]\n` +
        `bridge: { address: 127.0.0.1, port: ${group.port}, ca: ca.crt }\n`,
      'plan.yaml',
    );
    // The bridge section as generated, less its TLS: the group's broker of this test has none.
    const bridge = mosquittoConfig(plan)
      .split('\n')
      .filter((line) =>
        /^(connection|address|topic|remote_|cleansession|restart_|bridge_prot|try_|notif)/.test(
          line,
        ),
      );
    const path = join(dir, 'bridge.conf');
    writeFileSync(path, bridge.join('\n'));
    return [`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'user root', ...bridge, ''].join(
      '\n',
    );
  });
  const above = await Subscriber.start(group.port, ['cutcard/v1/#']);
  const below = await Subscriber.start(floor.port, ['cutcard/v1/#']);
  const table = liveTable(
    new MqttTransport({ host: '127.0.0.1', port: floor.port, mqtt: '5', tls: null }),
  );
  table.start();
  try {
    for (let i = 0; i < 50; i += 1) await table.commit(card);
    await until('50 rows above', () => above.of(`${ROOT}/event`).length >= 50);
    const rows = above.of(`${ROOT}/event`).map((line): unknown => JSON.parse(line));
    expect(seqsOf(rows)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    await until('status above', () => above.of(`${ROOT}/status`).length > 0);
    publishOnce(group.port, `${ROOT}/cmd`, 'from above');
    publishOnce(group.port, `${ROOT}/ack/group`, 'from above');
    await sleep(500);
    expect(below.lines.filter(({ payload }) => payload === 'from above')).toEqual([]);
    expect(table.told).toEqual([]);
  } finally {
    await table.publisher.stop();
    above.stop();
    below.stop();
    await floor.stop();
    await group.stop();
  }
});
