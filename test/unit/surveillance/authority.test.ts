import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority, signRequest } from '../../../surveillance/identity/authority.js';
import { makeRequest } from '../../../surveillance/identity/device.js';
import { needsProgram, skipWhere } from '../../support/needs.js';

const NAME = 'cutcard:north:p1:bac-01';
const missing = needsProgram('openssl');

describe('an authority whose making was cut short', () => {
  skipWhere(missing);
  const folder = mkdtempSync(join(tmpdir(), 'cutcard-authority-'));
  const at = (...names: readonly string[]): string => join(folder, ...names);
  let request = '';
  beforeAll(() => {
    if (missing !== null) return;
    makeAuthority(at('whole'), 'north-ca');
    request = readFileSync(makeRequest(at('table'), NAME), 'utf8');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['ca.key', 'ca.key openssl.cnf index.txt', 'ca.key serial'])(
    'is ended by making it again, with the key that is there (%s)',
    (text) => {
      const left = text.split(' ');
      const cut = at(`cut-${left.length}`);
      for (const name of left) cpSync(at('whole', name), join(cut, name));
      const sign = () => signRequest(cut, request, { name: NAME });
      expect(sign).toThrow(/its making was cut short: `cutcard provision authority init` again/);
      makeAuthority(cut, 'north-ca');
      const key = (dir: string): string => readFileSync(join(dir, 'ca.key'), 'utf8');
      expect(key(cut)).toBe(key(at('whole')));
      expect(sign()).toContain('BEGIN CERTIFICATE');
    },
  );

  it('never takes the place of one that has signed, whatever it has lost', () => {
    const used = at('used');
    makeAuthority(used, 'north-ca');
    signRequest(used, request, { name: NAME });
    rmSync(join(used, 'ca.crt'));
    expect(() => makeAuthority(used, 'north-ca')).toThrow(/ca.key is there already/);
    const sign = () => signRequest(used, request, { name: NAME });
    expect(sign).toThrow(/ca.crt is missing: put it back from a copy of the folder/);
    const nowhere = () => signRequest(at('nowhere'), request, { name: NAME });
    expect(nowhere).toThrow(/there is no authority; `cutcard provision authority init` makes one/);
  });
});
