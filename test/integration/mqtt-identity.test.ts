import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { partyNameOf, readFloorPlan } from '../../surveillance/broker/floor-plan.js';
import { mosquittoAcl, mosquittoConfig } from '../../surveillance/broker/mosquitto.js';
import { clientIdOf } from '../../surveillance/contract/topics.js';
import {
  makeAuthority,
  renewRevocations,
  revoke,
  signRequest,
} from '../../surveillance/identity/authority.js';
import {
  deviceFiles,
  identityStatus,
  installCertificate,
  makeRequest,
  recoverInstall,
} from '../../surveillance/identity/device.js';
import { MqttTransport } from '../../surveillance/mqtt/mqtt-transport.js';
import { card, ROOT } from '../unit/surveillance/rows.js';
import { needsProgram } from '../support/needs.js';
import { HOST, House, reach, type Reach } from '../support/house.js';
import {
  type LiveTable,
  liveTable,
  Mosquitto,
  sleep,
  until,
  whyNoMosquitto,
} from './mqtt-tools.js';

const why = whyNoMosquitto() ?? needsProgram('openssl');
const stamp = (ms: number): string =>
  new Date(ms).toISOString().replace(/[-:T]/g, '').replace(/\..*/, 'Z');

const PLAN = `floor: 1
site: north
tables: [{ pit: p1, table: bac-04 }, { pit: p1, table: bac-05 }]
consumers: [historian]
readers: [wall]
issuers: [desk]
`;
const NAME_04 = { site: 'north', pit: 'p1', table: 'bac-04' };
const OTHER = 'cutcard/v1/north/p1/bac-05';

beforeEach((context) => {
  if (why !== null) context.skip(why);
});

describe('a floor with its own authority, over TLS 1.3', () => {
  const house = new House<Mosquitto>();
  const clients: MqttClient[] = [];
  const tables: LiveTable[] = [];
  let historian: MqttClient;
  const heard: { topic: string; payload: string }[] = [];

  beforeAll(async () => {
    if (why !== null) return;
    makeAuthority(house.ca, 'north-ca');
    house.use(
      await Mosquitto.start((port, dir) => {
        const brokerDir = house.identity('broker', partyNameOf('north', 'broker'), {
          hosts: [HOST],
        });
        const { key, certificate } = deviceFiles(brokerDir);
        const plan = readFloorPlan(
          `${PLAN}listen: { address: 127.0.0.1, port: ${port} }
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
      }),
    );
    const dir = house.identity('historian', partyNameOf('north', 'historian'));
    historian = await house.client(dir, 'historian');
    historian.on('message', (topic, payload) => heard.push({ topic, payload: payload.toString() }));
    await historian.subscribeAsync('cutcard/v1/#', { qos: 1 });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.end(true);
    for (const table of tables.splice(0)) await table.publisher.stop();
  });
  afterAll(async () => {
    if (why !== null) return;
    historian.end(true);
    await house.broker?.stop();
    rmSync(house.dir, { recursive: true, force: true });
  });

  const tableAt = (dir: string): LiveTable => {
    const transport = new MqttTransport(() => ({
      host: HOST,
      port: house.broker?.port ?? 0,
      mqtt: '5',
      tls: house.tls(dir),
    }));
    const table = liveTable(transport);
    tables.push(table);
    table.start();
    return table;
  };
  const clientOf = async (folder: string, name: string): Promise<MqttClient> => {
    const client = await house.client(house.identity(folder, name), name);
    clients.push(client);
    return client;
  };
  const isTaken = async (client: MqttClient, topic: string): Promise<boolean> => {
    const probe = `probe-${Math.random()}`;
    await client.publishAsync(topic, probe, { qos: 1 }).catch(() => undefined);
    // The broker has dealt with it: what is published now comes behind it.
    const fence = `fence-${Math.random()}`;
    await historian.publishAsync(`${ROOT}/ack/historian`, fence, { qos: 1 });
    await until('what came behind', () => heard.some(({ payload }) => payload === fence));
    return heard.some((message) => message.topic === topic && message.payload === probe);
  };

  it('a table with its certificate is heard; its key file is its own', async () => {
    const dir = house.identity('t04', clientIdOf(NAME_04));
    const table = tableAt(dir);
    await table.commit(card);
    await until('the event', () => heard.some(({ topic }) => topic === `${ROOT}/event`));
    expect(table.faults).toEqual([]);
    expect(identityStatus(dir, Date.now())).toMatchObject({
      name: 'cutcard:north:p1:bac-04',
      standing: 'valid',
    });
  });

  it('a table cannot speak for another, write its ack, order, or read the floor', async () => {
    const table = await clientOf('t04-b', clientIdOf(NAME_04));
    const got: string[] = [];
    table.on('message', (topic) => got.push(topic));
    await table.subscribeAsync('cutcard/v1/#', { qos: 1 });
    expect(await isTaken(table, `${ROOT}/alert`)).toBe(true);
    for (const topic of [
      `${OTHER}/event`,
      `${OTHER}/status`,
      `${OTHER}/cmd`,
      `${ROOT}/cmd`,
      `${ROOT}/ack/historian`,
      `${ROOT}/sideways`,
      'cutcard/v1/south/p1/t/event',
      'elsewhere',
    ]) {
      expect([topic, await isTaken(table, topic)]).toEqual([topic, false]);
    }
    // The refusal is also told to the client in MQTT 5.
    await expect(table.publishAsync(`${OTHER}/event`, 'x', { qos: 1 })).rejects.toThrow(
      'Not authorized',
    );
    await historian.publishAsync(`${OTHER}/cmd`, 'not for bac-04', { qos: 1 });
    await historian.publishAsync(`${ROOT}/cmd`, 'for bac-04', { qos: 1 });
    await until('what came behind', () => got.includes(`${ROOT}/cmd`));
    expect(got.filter((topic) => topic.startsWith(OTHER))).toEqual([]);
  });

  it('a desk orders and reads answers; a wall only reads; neither writes events', async () => {
    const desk = await clientOf('desk', partyNameOf('north', 'desk'));
    expect(await isTaken(desk, `${ROOT}/cmd`)).toBe(true);
    expect(await isTaken(desk, `${ROOT}/event`)).toBe(false);
    expect(await isTaken(desk, `${ROOT}/ack/historian`)).toBe(false);
    const wall = await clientOf('wall', partyNameOf('north', 'wall'));
    for (const kind of ['cmd', 'event', 'state', 'ack/historian', 'ack/wall']) {
      expect(await isTaken(wall, `${ROOT}/${kind}`)).toBe(false);
    }
    expect(await isTaken(historian, `${ROOT}/ack/historian`)).toBe(true);
    expect(await isTaken(historian, `${ROOT}/ack/other`)).toBe(false);
  });

  it('no certificate, one of another house, plain TCP, TLS 1.2: nobody gets in', async () => {
    const port = house.broker?.port ?? 0;
    const ca = house.caPem;
    const attempt = (options: Reach): Promise<MqttClient> =>
      reach({ protocol: 'mqtts', host: HOST, port, ca, ...options });
    await expect(attempt({})).rejects.toThrow();
    await expect(attempt({ protocol: 'mqtt', connectTimeout: 1000 })).rejects.toThrow();
    const tls = house.tls(house.identity('t04-c', clientIdOf(NAME_04)));
    const own = { cert: tls.certificate, key: tls.key };
    await expect(attempt({ ...own, maxVersion: 'TLSv1.2' })).rejects.toThrow();
    const other = new House<Mosquitto>();
    makeAuthority(other.ca, 'other-ca');
    const theirs = other.tls(other.identity('t04', clientIdOf(NAME_04)));
    await expect(attempt({ cert: theirs.certificate, key: theirs.key })).rejects.toThrow();
    rmSync(other.dir, { recursive: true, force: true });
  });

  it.each([
    ['expired', -3_600_000 * 48, -3_600_000],
    ['not valid yet (a wrong clock)', 3_600_000 * 24, 3_600_000 * 48],
  ])(
    'a certificate that is %s: told, tried again; renewed, it gets in without a restart',
    async (_name, from, to) => {
      const dir = house.identity(`t04-${from}`, clientIdOf(NAME_04), {
        notBefore: stamp(Date.now() + from),
        notAfter: stamp(Date.now() + to),
      });
      const table = tableAt(dir);
      await until('a fault', () => table.faults.length >= 2);
      expect(table.publisher.stats().isUp).toBe(false);
      expect(table.faults[0]?.[1]).toMatch(/certificate|closed|alert/i);
      await table.commit(card);
      expect(table.publisher.stats().queued).toBe(1);
      // A new certificate is laid in: the same run of the program gets in and sends what waited.
      const request = readFileSync(makeRequest(dir, clientIdOf(NAME_04)), 'utf8');
      const pem = signRequest(house.ca, request, { name: clientIdOf(NAME_04) });
      installCertificate(dir, pem, house.caPem, Date.now());
      await until('in', () => table.publisher.stats().isUp);
      await until('the row', () => table.publisher.stats().queued === 0);
      expect(table.publisher.stats().connects).toBe(1);
    },
  );

  it('a revoked certificate is shut out once the broker knows; a new key gets in', async () => {
    const dir = house.identity('t04-d', clientIdOf(NAME_04));
    const table = tableAt(dir);
    await until('link', () => table.publisher.stats().isUp);
    const stolen = readFileSync(deviceFiles(dir).certificate, 'utf8');
    expect(revoke(house.ca, stolen)).toBe(clientIdOf(NAME_04));
    house.broker?.hup();
    // Whoever is connected stays so until the link ends; soon nobody gets in any more.
    const isLetIn = async (): Promise<boolean> => {
      const client = await house.client(dir, 'thief').catch(() => null);
      client?.end(true);
      return client !== null;
    };
    for (let i = 0; (await isLetIn()) && i < 200; i += 1) await sleep(200);
    expect(await isLetIn()).toBe(false);
    await house.broker?.kill();
    await house.broker?.up();
    await until('shut out', () => table.faults.length >= 3);
    expect(table.publisher.stats().isUp).toBe(false);
    const request = readFileSync(makeRequest(dir, clientIdOf(NAME_04)), 'utf8');
    const pem = signRequest(house.ca, request, { name: clientIdOf(NAME_04) });
    installCertificate(dir, pem, house.caPem, Date.now());
    await until('in again', () => table.publisher.stats().isUp);
    historian = await house.client(join(house.dir, 'historian'), 'historian');
  });
});

describe('identities on their own', () => {
  const house = new House<Mosquitto>();
  beforeAll(() => {
    if (why === null) makeAuthority(house.ca, 'north-ca');
  });
  afterAll(() => rmSync(house.dir, { recursive: true, force: true }));
  const name = clientIdOf(NAME_04);

  it('a request for another name is not signed', () => {
    const request = readFileSync(makeRequest(join(house.dir, 'a'), name), 'utf8');
    expect(() => signRequest(house.ca, request, { name: 'cutcard:north:p1:bac-05' })).toThrow(
      'the request is for `cutcard:north:p1:bac-04`, not for `cutcard:north:p1:bac-05`',
    );
    expect(() => signRequest(house.ca, request, { name: 'a/CN=b' })).toThrow('cannot stand');
  });

  it('a certificate of another key, authority or time is not installed', () => {
    const [a, b] = [join(house.dir, 'b'), join(house.dir, 'c')];
    const request = readFileSync(makeRequest(a, name), 'utf8');
    const pem = signRequest(house.ca, request, { name });
    makeRequest(b, name);
    expect(() => installCertificate(b, pem, house.caPem, Date.now())).toThrow('another key');
    const other = new House<Mosquitto>();
    makeAuthority(other.ca, 'other-ca');
    expect(() => installCertificate(a, pem, other.caPem, Date.now())).toThrow('not signed by');
    rmSync(other.dir, { recursive: true, force: true });
    const later = Date.now() + 100 * 86_400_000;
    expect(() => installCertificate(a, pem, house.caPem, later)).toThrow('expired on');
    expect(() => installCertificate(a, pem, house.caPem, 0)).toThrow('compare the clocks');
    expect(existsSync(deviceFiles(a).authority)).toBe(false);
    const installed = installCertificate(a, pem, house.caPem, Date.now());
    expect(installed).toMatchObject({ name, authority: 'kept' });
    expect(readFileSync(deviceFiles(a).authority, 'utf8')).toBe(house.caPem);
  });

  it('the authority that a person put there stays', () => {
    const dir = join(house.dir, 'e');
    const pem = signRequest(house.ca, readFileSync(makeRequest(dir, name), 'utf8'), { name });
    const { authority } = deviceFiles(dir);
    writeFileSync(authority, 'of the broker');
    expect(installCertificate(dir, pem, house.caPem, Date.now()).authority).toBe('another');
    expect(readFileSync(authority, 'utf8')).toBe('of the broker');
  });

  it('is to be renewed after two thirds of its life; the old pair is kept', () => {
    const dir = house.identity('d', name);
    const before = readFileSync(deviceFiles(dir).certificate, 'utf8');
    const day = 86_400_000;
    expect(identityStatus(dir, Date.now() + 50 * day).standing).toBe('valid');
    expect(identityStatus(dir, Date.now() + 61 * day).standing).toBe('renew');
    expect(identityStatus(dir, Date.now() + 91 * day).standing).toBe('expired');
    house.identity('d', name);
    expect(readFileSync(deviceFiles(dir).certificate, 'utf8')).not.toBe(before);
    expect(readFileSync(deviceFiles(dir).previousCertificate, 'utf8')).toBe(before);
  });

  it('a renewal cut off between the two files is finished at the next start', () => {
    const dir = house.identity('e', name);
    const request = readFileSync(makeRequest(dir, name), 'utf8');
    writeFileSync(deviceFiles(dir).certificate, signRequest(house.ca, request, { name }));
    expect(() => identityStatus(dir, Date.now())).toThrow('does not belong');
    expect(recoverInstall(dir)).toBe(true);
    expect(identityStatus(dir, Date.now()).standing).toBe('valid');
    expect(recoverInstall(dir)).toBe(false);
  });

  it('says what is wrong with a folder that holds no authority, or a second one', () => {
    expect(() => renewRevocations(join(house.dir, 'nowhere'))).toThrow('openssl ca failed');
    expect(() => makeAuthority(house.ca, 'again')).toThrow('there already');
    chmodSync(house.ca, 0o700);
  });

  it.each([
    ['floor: 1\nsite: north\ntables: []\n', 'tables'],
    ['floor: 1\nsite: north\ntables: [{pit: p1, table: "a/b"}]\n', 'tables.0.table'],
    ['floor: 1\nsite: north\ntables: [{pit: p, table: t}, {pit: p, table: t}]\n', 'listed twice'],
    ['floor: 1\nsite: n\ntables: [{pit: p, table: t}]\nreaders: [historian]\n', 'two parts'],
    ['floor: 1\nsite: [\n', 'plan.yaml:'],
    ['floor: 1\nsite: n\nextra: 1\ntables: [{pit: p, table: t}]\n', 'extra'],
    ['floor: 1\nsite: n\ntables: [{pit: p, table: t}]\nfiles: {ca: "a\\nlistener 1"}\n', 'files'],
  ])('a floor plan that is wrong names the place: %s', (text, place) => {
    expect(() => readFloorPlan(text, 'plan.yaml')).toThrow(place);
  });
});
