import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { partyNameOf, readFloorPlan } from '../../surveillance/broker/floor-plan.js';
import { mosquittoAcl, mosquittoConfig } from '../../surveillance/broker/mosquitto.js';
import { clientIdOf } from '../../surveillance/contract/topics.js';
import { makeAuthority, revoke, signRequest } from '../../surveillance/identity/authority.js';
import {
  deviceFiles,
  identityStatus,
  installCertificate,
  makeRequest,
} from '../../surveillance/identity/device.js';
import { Renewal } from '../../surveillance/identity/renewal.js';
import { MqttTransport } from '../../surveillance/mqtt/mqtt-transport.js';
import { needsProgram, skipWhere } from '../support/needs.js';
import { card, NAME } from '../unit/surveillance/rows.js';
import { liveTable, Mosquitto, realClock, until, whyNoMosquitto } from './mqtt-tools.js';

skipWhere(whyNoMosquitto() ?? needsProgram('openssl'));

const DAY_MS = 86_400_000;
const name = clientIdOf(NAME);

it('a certificate is renewed before it runs out: asked for, laid in, reconnected', async () => {
  const house = mkdtempSync(join(tmpdir(), 'cutcard-renewal-'));
  const ca = join(house, 'ca');
  makeAuthority(ca, 'north-ca');
  const caFile = join(ca, 'ca.crt');
  const caPem = readFileSync(caFile, 'utf8');
  const identity = (folder: string, who: string, hosts: readonly string[] = []): string => {
    const dir = join(house, folder);
    const request = readFileSync(makeRequest(dir, who), 'utf8');
    installCertificate(dir, signRequest(ca, request, { name: who, hosts }), caPem, Date.now());
    return dir;
  };
  const broker = await Mosquitto.start((port, dir) => {
    const own = deviceFiles(identity('broker', partyNameOf('north', 'broker'), ['127.0.0.1']));
    const plan = readFloorPlan(
      `floor: 1
site: north
tables: [{ pit: p1, table: bac-04 }]
listen: { address: 127.0.0.1, port: ${port} }
files:
  ca: ${caFile}
  certificate: ${own.certificate}
  key: ${own.key}
  crl: ${ca}/ca.crl
  acl: ${dir}/acl
  store: ${dir}/
`,
      'plan.yaml',
    );
    writeFileSync(join(dir, 'acl'), mosquittoAcl(plan), { mode: 0o600 });
    return `${mosquittoConfig(plan)}\nuser root\n`;
  });
  const dir = identity('t04', name);
  const { certificate, key, nextRequest } = deviceFiles(dir);
  const table = liveTable(
    new MqttTransport(() => ({
      host: '127.0.0.1',
      port: broker.port,
      mqtt: '5',
      tls: {
        ca: caPem,
        certificate: readFileSync(certificate, 'utf8'),
        key: readFileSync(key, 'utf8'),
      },
    })),
  );
  // 61 of 90 days later, by the device's clock.
  const late = { ...realClock, wallMs: () => Date.now() + 61 * DAY_MS };
  const said: string[] = [];
  const renewal = new Renewal({
    dir,
    caFile,
    scheduler: late,
    report: (text) => said.push(text),
    renewed: () => table.publisher.reconnect('a new certificate is in use'),
    lookMs: 100,
  });
  try {
    table.start();
    await until('link', () => table.publisher.stats().isUp);
    const before = identityStatus(dir, Date.now());
    const first = readFileSync(certificate, 'utf8');
    renewal.start();
    await until('the request', () => existsSync(nextRequest));
    expect(renewal.health()).toMatchObject({ standing: 'renew', daysLeft: 28, asked: true });
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('28 days are left: have');
    // What somebody lays there by mistake is refused, said once, and nothing changes.
    writeFileSync(join(dir, 'issued.crt'), first);
    await until('refused', () => said.some((text) => text.includes('another key')));
    expect(identityStatus(dir, Date.now()).serial).toBe(before.serial);
    const issued = signRequest(ca, readFileSync(nextRequest, 'utf8'), { name });
    writeFileSync(join(dir, 'issued.crt'), issued);
    await until('in use', () => readFileSync(certificate, 'utf8') === issued);
    await until('linked anew', () => table.publisher.stats().connects >= 2);
    expect(identityStatus(dir, Date.now()).serial).not.toBe(before.serial);
    // The link really uses the new one: the old one is revoked and the broker started again.
    revoke(ca, first);
    await broker.kill();
    await broker.up();
    await until('in with the new one', () => table.publisher.stats().connects >= 3, 60_000);
    await table.commit(card);
    await until('the row', () => table.publisher.stats().queued === 0, 60_000);
    expect(existsSync(join(dir, 'issued.crt'))).toBe(false);
  } finally {
    renewal.stop();
    await table.publisher.stop();
    await broker.stop();
    rmSync(house, { recursive: true, force: true });
  }
}, 180_000);
