import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { partyNameOf, readFloorPlan } from '../../surveillance/broker/floor-plan.js';
import { rabbitAdvanced, rabbitConfig, rabbitUsers } from '../../surveillance/broker/rabbitmq.js';
import { clientIdOf } from '../../surveillance/contract/topics.js';
import { makeAuthority } from '../../surveillance/identity/authority.js';
import { deviceFiles } from '../../surveillance/identity/device.js';
import { MqttTransport } from '../../surveillance/mqtt/mqtt-transport.js';
import { HOST, House } from '../support/house.js';
import { needsFile, needsProgram } from '../support/needs.js';
import { card, NAME, ROOT, seqsOf } from '../unit/surveillance/rows.js';
import { freePort, liveTable, sleep, until } from './mqtt-tools.js';

const BIN = '/usr/lib/rabbitmq/bin';
const why =
  (process.env['CUTCARD_RABBITMQ'] === '1'
    ? null
    : 'it takes minutes: run it with CUTCARD_RABBITMQ=1') ??
  needsFile(`${BIN}/rabbitmq-server`, 'apt-get install rabbitmq-server, where it matters') ??
  needsProgram('openssl');
beforeEach((context) => {
  if (why !== null) context.skip(why);
});

describe("RabbitMQ's MQTT plugin, MQTT 3.1.1 over TLS 1.3", () => {
  const house = new House<{ readonly port: number }>();
  const { dir, ca } = house;
  let port = 0;
  let node: ChildProcess;
  let env: NodeJS.ProcessEnv = {};
  beforeAll(async () => {
    if (why !== null) return;
    makeAuthority(ca, 'north-ca');
    port = await freePort();
    const broker = deviceFiles(
      house.identity('broker', partyNameOf('north', 'broker'), { hosts: [HOST] }),
    );
    const plan = readFloorPlan(
      `floor: 1
site: north
tables: [{ pit: p1, table: bac-04 }, { pit: p1, table: bac-05 }]
listen: { address: 127.0.0.1, port: ${port} }
files:
  ca: ${ca}/ca.crt
  certificate: ${broker.certificate}
  key: ${broker.key}
  crl: ${ca}/ca.crl
  acl: ${dir}/acl
  store: ${dir}/
`,
      'plan.yaml',
    );
    writeFileSync(join(dir, 'rabbitmq.conf'), rabbitConfig(plan));
    writeFileSync(join(dir, 'advanced.config'), rabbitAdvanced());
    writeFileSync(join(dir, 'plugins'), '[rabbitmq_mqtt].\n');
    writeFileSync(join(dir, 'users.sh'), rabbitUsers(plan));
    env = {
      ...process.env,
      HOME: dir,
      RABBITMQ_NODENAME: `cutcard${process.pid}@localhost`,
      RABBITMQ_CONFIG_FILE: join(dir, 'rabbitmq.conf'),
      RABBITMQ_ADVANCED_CONFIG_FILE: join(dir, 'advanced.config'),
      RABBITMQ_MNESIA_BASE: join(dir, 'mnesia'),
      RABBITMQ_LOG_BASE: join(dir, 'log'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(dir, 'plugins'),
      RABBITMQ_DIST_PORT: `${await freePort()}`,
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
      ERL_EPMD_ADDRESS: '127.0.0.1',
      ERL_EPMD_PORT: `${await freePort()}`,
      CTL: `${BIN}/rabbitmqctl -n cutcard${process.pid}@localhost`,
    };
    node = spawn(`${BIN}/rabbitmq-server`, [], {
      env,
      // A crash dump belongs in the test's own folder.
      cwd: dir,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    node.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    node.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until('started', () => said.includes('completed with') || node.exitCode !== null, 90_000);
    if (node.exitCode !== null) throw new Error(`RabbitMQ did not start: ${said.slice(-2000)}`);
    execFileSync('sh', [join(dir, 'users.sh')], { env, stdio: 'pipe' });
  }, 280_000);
  afterAll(async () => {
    if (why !== null) return;
    if (node.exitCode === null) {
      const gone = new Promise((resolve) => node.once('exit', resolve));
      node.kill('SIGTERM');
      await gone;
    }
    rmSync(dir, { recursive: true, force: true });
  }, 60_000);

  it('rows arrive in order; a table can neither write nor read another’s branch', async () => {
    const historian = house.tls(house.identity('historian', partyNameOf('north', 'historian')));
    const heard: { topic: string; payload: string }[] = [];
    const client = await new Promise<MqttClient>((resolve, reject) => {
      const one = connect({
        protocol: 'mqtts',
        host: '127.0.0.1',
        port,
        clientId: 'historian',
        ca: historian.ca,
        cert: historian.certificate,
        key: historian.key,
        reconnectPeriod: 0,
      });
      one.once('connect', () => resolve(one));
      one.once('error', reject);
    });
    client.on('message', (topic, payload) => heard.push({ topic, payload: payload.toString() }));
    await client.subscribeAsync('cutcard/v1/north/#', { qos: 1 });
    const tls = house.tls(house.identity('t04', clientIdOf(NAME)));
    const transport = new MqttTransport({ host: '127.0.0.1', port, mqtt: '3.1.1', tls });
    const table = liveTable(transport, { mqtt: '3.1.1' });
    table.start();
    try {
      for (let i = 0; i < 200; i += 1) await table.commit(card);
      const events = () => heard.filter(({ topic }) => topic === `${ROOT}/event`);
      await until('200 rows', () => events().length >= 200);
      const rows = events().map(({ payload }): unknown => JSON.parse(payload));
      expect(seqsOf(rows)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
      expect(table.faults).toEqual([]);
      // A table that writes elsewhere is thrown out; nothing of it is delivered.
      const other = liveTable(new MqttTransport({ host: '127.0.0.1', port, mqtt: '3.1.1', tls }), {
        mqtt: '3.1.1',
        table: { ...NAME, table: 'bac-05' },
      });
      other.start();
      await until('thrown out', () => other.faults.length > 0);
      await other.commit(card);
      await sleep(500);
      await other.publisher.stop();
      expect(heard.filter(({ topic }) => topic.includes('/bac-05/'))).toEqual([]);
    } finally {
      await table.publisher.stop();
      client.end(true);
    }
  });
});
