import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { needsProgram } from '../support/needs.js';

const CLI = new URL('../../dist/controller/runtime/cli.js', import.meta.url).pathname;
const EXAMPLE = new URL('../../deploy/broker/', import.meta.url).pathname;
/** A dozen starts of the program, on a machine that is busy with other tests. */
const STARTS_MS = 240_000;
const dir = mkdtempSync(join(tmpdir(), 'cutcard-provision-'));
const ca = join(dir, 'ca');
const device = join(dir, 'device');
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const why = needsProgram('openssl');
beforeEach((context) => {
  if (why !== null) context.skip(why);
});

const provision = (...args: readonly string[]): { code: number; out: string; err: string } => {
  const ran = spawnSync(process.execPath, [CLI, 'provision', ...args], { encoding: 'utf8' });
  return { code: ran.status ?? -1, out: ran.stdout, err: ran.stderr };
};

it(
  'a device gets its identity: request, sign, install, status',
  () => {
    expect(provision('authority', 'init', 'north-ca', '--dir', ca).code).toBe(0);
    const asked = provision('request', 'north/p1/bac-01', '--dir', device);
    expect(asked).toMatchObject({ code: 0, err: '' });
    expect(statSync(join(device, 'next.key')).mode & 0o077).toBe(0);
    expect(asked.out).toContain('signing.key: made; write it as deviceKeyFile');
    expect(statSync(join(device, 'signing.key')).mode & 0o077).toBe(0);
    expect(provision('signing-key', '--dir', device).out).toContain('was there, kept');
    const file = join(dir, 'place.yaml');
    writeFileSync(
      file,
      'config: 1\nplace: { table: "bac-01", pit: p1, site: north }\n' +
        'procedure: pa/627a-minibaccarat\ntable: { decks: 8 }\nboard: virtual\n' +
        'deviceKeyFile: not-made-yet.key\n',
    );
    expect(provision('request', '--config', file, '--dir', device)).toMatchObject({ code: 0 });
    expect(provision('request', '--dir', device).err).toContain('--config FILE');
    expect(statSync(join(ca, 'ca.key')).mode & 0o077).toBe(0);
    const request = join(device, 'next.csr');
    const certificate = join(dir, 'bac-01.crt');
    const waiting = provision('status', '--dir', device);
    expect(waiting).toMatchObject({ code: 1, err: '' });
    expect(waiting.out).toMatch(
      /^requested, not yet signed: have .*next\.csr signed, then `.*install`/,
    );
    expect(JSON.parse(provision('status', '--dir', device, '--json').out)).toEqual({
      standing: 'requested',
      request,
    });
    const sign = (who: string) =>
      provision('authority', 'sign', request, who, '--dir', ca, '--out', certificate);
    const wrong = sign('north/p1/bac-02');
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('the request is for `cutcard:north:p1:bac-01`');
    expect(sign('north/p1/bac-01').code).toBe(0);
    const installed = provision('install', certificate, '--dir', device, '--ca', `${ca}/ca.crt`);
    expect(installed.err).toBe('');
    expect(installed.out).toContain('cutcard:north:p1:bac-01: in use');
    const status = provision('status', '--dir', device, '--json');
    expect(status.code).toBe(0);
    expect(JSON.parse(status.out)).toMatchObject({ name: 'cutcard:north:p1:bac-01', daysLeft: 89 });
    const revoked = provision('authority', 'revoke', certificate, '--dir', ca);
    expect(revoked.out).toContain('is revoked');
    expect(existsSync(join(ca, 'ca.crl'))).toBe(true);
  },
  STARTS_MS,
);

it(
  'what cannot be used is said in plain words: exit code 2, or 78 for a wrong plan',
  () => {
    const none = provision('status', '--dir', join(dir, 'nobody'));
    expect(none).toMatchObject({ code: 2, out: '' });
    expect(none.err).toContain('device.crt: the certificate cannot be read');
    expect(provision('request', 'north/p1/a b', '--dir', device).code).toBe(2);
    const named = provision('authority', 'init', 'Test House', '--dir', join(dir, 'other-ca'));
    expect(named).toMatchObject({ code: 2 });
    expect(named.err).toContain('it takes letters, digits');
    const plan = provision('broker', join(dir, 'no-plan.yaml'), '--out', dir);
    expect(plan.code).toBe(78);
  },
  STARTS_MS,
);

it(
  'the example under deploy/broker is what the plan beside it makes',
  () => {
    const out = join(dir, 'made');
    expect(provision('broker', join(EXAMPLE, 'floor.example.yaml'), '--out', out).code).toBe(0);
    for (const file of ['mosquitto.conf', 'acl']) {
      expect(readFileSync(join(out, file), 'utf8')).toBe(
        readFileSync(join(EXAMPLE, 'example', file), 'utf8'),
      );
    }
  },
  STARTS_MS,
);

it('RabbitMQ: configuration and users from the same plan; another kind is refused', () => {
  const out = join(dir, 'rabbit');
  const plan = join(EXAMPLE, 'floor.example.yaml');
  expect(provision('broker', plan, '--kind', 'rabbitmq', '--out', out).code).toBe(0);
  expect(readFileSync(join(out, 'rabbitmq.conf'), 'utf8')).toContain('mqtt.ssl_cert_login = true');
  expect(readFileSync(join(out, 'users.sh'), 'utf8')).toContain('set_topic_permissions');
  expect(existsSync(join(out, 'advanced.config'))).toBe(true);
  expect(provision('broker', plan, '--kind', 'other', '--out', out).code).toBe(2);
}, 240_000);
