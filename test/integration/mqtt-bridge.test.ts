import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MqttClient } from 'mqtt';
import { beforeEach, expect, it } from 'vitest';
import { partyNameOf, readFloorPlan } from '../../surveillance/broker/floor-plan.js';
import { mosquittoAcl, mosquittoConfig } from '../../surveillance/broker/mosquitto.js';
import { clientIdOf } from '../../surveillance/contract/topics.js';
import { makeAuthority } from '../../surveillance/identity/authority.js';
import { deviceFiles } from '../../surveillance/identity/device.js';
import { MqttTransport } from '../../surveillance/mqtt/mqtt-transport.js';
import { needsProgram } from '../support/needs.js';
import { card, NAME, ROOT, seqsOf } from '../unit/surveillance/rows.js';
import { HOST, House } from '../support/house.js';
import {
  freePort,
  liveTable,
  Mosquitto,
  publishOnce,
  sleep,
  Subscriber,
  until,
  whyNoMosquitto,
} from './mqtt-tools.js';

const why = whyNoMosquitto() ?? needsProgram('openssl');
beforeEach((context) => {
  if (why !== null) context.skip(why);
});

/** The group's broker: certificates for the bridge, and a plain door for this test's own eyes. */
const groupBroker = (house: House<Mosquitto>, tlsPort: number): Promise<Mosquitto> =>
  Mosquitto.start((port) => {
    const { key, certificate } = deviceFiles(
      house.identity('group', partyNameOf('group', 'broker'), { hosts: [HOST] }),
    );
    return `per_listener_settings true
user root
listener ${port} ${HOST}
allow_anonymous true
listener ${tlsPort} ${HOST}
allow_anonymous false
cafile ${house.ca}/ca.crt
certfile ${certificate}
keyfile ${key}
require_certificate true
use_identity_as_username true
tls_version tlsv1.3
`;
  });

/** A floor's broker, as the plan generates it: nothing is taken out or added but the user. */
const floorBroker = (house: House<Mosquitto>, groupPort: number): Promise<Mosquitto> =>
  Mosquitto.start((port, dir) => {
    const { key, certificate } = deviceFiles(
      house.identity('broker', partyNameOf('north', 'broker'), { hosts: [HOST] }),
    );
    const plan = readFloorPlan(
      `floor: 1
site: north
tables: [{ pit: p1, table: bac-04 }]
consumers: [historian]
bridge: { address: ${HOST}, port: ${groupPort}, ca: ${house.ca}/ca.crt }
listen: { address: ${HOST}, port: ${port} }
files:
  ca: ${house.ca}/ca.crt
  certificate: ${certificate}
  key: ${key}
  crl: ${house.ca}/ca.crl
  acl: ${dir}/acl
  store: ${dir}/
`,
      'plan.yaml',
    );
    writeFileSync(join(dir, 'acl'), mosquittoAcl(plan), { mode: 0o600 });
    return `${mosquittoConfig(plan)}\nuser root\n`;
  });

const listenBelow = async (house: House<Mosquitto>, heard: string[]): Promise<MqttClient> => {
  const dir = house.identity('historian', partyNameOf('north', 'historian'));
  const client = await house.client(dir, 'historian');
  client.on('message', (_topic, payload) => heard.push(payload.toString()));
  await client.subscribeAsync('cutcard/v1/#', { qos: 1 });
  return client;
};

it('a bridge over TLS takes everything to the group and no order down to the floor', async () => {
  const house = new House<Mosquitto>();
  makeAuthority(house.ca, 'north-ca');
  const tlsPort = await freePort();
  const group = await groupBroker(house, tlsPort);
  const floor = house.use(await floorBroker(house, tlsPort));
  const below: string[] = [];
  const historian = await listenBelow(house, below);
  const above = await Subscriber.start(group.port, ['cutcard/v1/#']);
  const tls = house.tls(house.identity('t04', clientIdOf(NAME)));
  const table = liveTable(new MqttTransport({ host: HOST, port: floor.port, mqtt: '5', tls }));
  table.start();
  try {
    for (let i = 0; i < 50; i += 1) await table.commit(card);
    await until('50 rows above', () => above.of(`${ROOT}/event`).length >= 50);
    const rows = above.of(`${ROOT}/event`).map((line): unknown => JSON.parse(line));
    expect(seqsOf(rows)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    await until('status above', () => above.of(`${ROOT}/status`).length > 0);
    await until('rows below', () => below.length >= 50);
    publishOnce(group.port, `${ROOT}/cmd`, 'from above');
    publishOnce(group.port, `${ROOT}/ack/group`, 'from above');
    await sleep(500);
    expect(below.filter((payload) => payload === 'from above')).toEqual([]);
    expect(table.told).toEqual([]);
  } finally {
    await table.publisher.stop();
    historian.end(true);
    above.stop();
    await floor.stop();
    await group.stop();
    rmSync(house.dir, { recursive: true, force: true });
  }
});
