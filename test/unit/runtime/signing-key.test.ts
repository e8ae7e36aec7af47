import { mkdtempSync, readFileSync, rmSync, statSync, chmodSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ensureSigningKey,
  signingKeyFiles,
  signingKeyFinding,
} from '../../../controller/runtime/signing-key.js';
import { readPublicKey } from '../../../storage/checkpoint.js';

describe('the key that signs the journal', () => {
  const dir = mkdtempSync(join(tmpdir(), 'cutcard-signing-'));
  const home = join(dir, 'identity');
  const files = signingKeyFiles(home);
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('is made once, for its owner only, with its public half beside it', () => {
    const made = ensureSigningKey(home);
    expect(made.isNew).toBe(true);
    expect(statSync(files.key).mode & 0o777).toBe(0o600);
    expect(readPublicKey(readFileSync(files.public, 'utf8'), files.public)).toBe(
      made.key.publicKey,
    );
    const again = ensureSigningKey(home);
    expect(again.isNew).toBe(false);
    expect(again.key.name).toBe(made.key.name);
  });

  it('comes back with its public half where that was lost', () => {
    const { key } = ensureSigningKey(home);
    rmSync(files.public);
    ensureSigningKey(home);
    expect(readPublicKey(readFileSync(files.public, 'utf8'), files.public)).toBe(key.publicKey);
  });

  it('is refused, and kept as it is, where others may read it or it is something else', () => {
    ensureSigningKey(home);
    chmodSync(files.key, 0o644);
    expect(() => ensureSigningKey(home)).toThrow('chmod 600');
    expect(signingKeyFinding(files.key)).toMatchObject({ state: 'fail' });
    writeFileSync(files.key, 'hello', { mode: 0o600 });
    chmodSync(files.key, 0o600);
    expect(() => ensureSigningKey(home)).toThrow('is no private key');
    expect(readFileSync(files.key, 'utf8')).toBe('hello');
  });

  it('the doctor names it, and warns where there is none', () => {
    const { key } = ensureSigningKey(home);
    expect(signingKeyFinding(files.key)).toMatchObject({ state: 'ok', cure: '' });
    expect(signingKeyFinding(files.key).seen).toContain(key.name.slice(0, 16));
    expect(signingKeyFinding(null)).toMatchObject({ state: 'warn' });
    expect(signingKeyFinding(null).cure).toContain('cutcard provision signing-key');
  });
});
