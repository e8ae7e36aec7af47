import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { certificateFinding } from '../../../controller/runtime/certificate-finding.js';
import { makeAuthority, signRequest } from '../../../surveillance/identity/authority.js';
import { makeRequest } from '../../../surveillance/identity/device.js';
import { needsProgram } from '../../support/needs.js';

const why = needsProgram('openssl');
beforeEach((context) => {
  if (why !== null) context.skip(why);
});

const DAY_MS = 86_400_000;
const BEGIN_MS = Date.UTC(2026, 0, 1);

describe('what the doctor says of a certificate of 90 days', () => {
  const dir = mkdtempSync(join(tmpdir(), 'cutcard-certificate-'));
  const file = join(dir, 'table.crt');
  const on = (day: number) => certificateFinding(file, BEGIN_MS + day * DAY_MS);

  beforeAll(() => {
    if (why !== null) return;
    makeAuthority(join(dir, 'ca'), 'north-ca');
    const name = 'cutcard:north:p1:bac-04';
    const request = readFileSync(makeRequest(join(dir, 'table'), name), 'utf8');
    const life = { notBefore: '20260101000000Z', notAfter: '20260401000000Z' };
    writeFileSync(file, signRequest(join(dir, 'ca'), request, { name, ...life }));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it.each([
    [-1, 'fail', 'valid from', 'compare the clocks'],
    [1, 'ok', '89 days left', ''],
    [59, 'ok', '31 days left', ''],
    [61, 'warn', '29 days left', 'cutcard provision request'],
    [89.5, 'warn', '0 days left', 'cutcard provision request'],
    [90.5, 'fail', 'expired on', 'cutcard provision request'],
  ])('on day %d: %s, %s', (day, state, seen, cure) => {
    const finding = on(day);
    expect(finding.state).toBe(state);
    expect(finding.seen).toContain(seen);
    if (cure === '') expect(finding.cure).toBe('');
    else expect(finding.cure).toContain(cure);
  });

  it.each([
    ['a file that is not there', null],
    ['a file that is no certificate', 'hello'],
  ])('%s: told with the cure', (_what, text) => {
    const other = join(dir, 'other.crt');
    if (text !== null) writeFileSync(other, text);
    const finding = certificateFinding(other, BEGIN_MS);
    expect(finding.state).toBe('fail');
    expect(finding.what).toContain('other.crt');
    expect(finding.cure).toContain('cutcard provision request');
  });
});
