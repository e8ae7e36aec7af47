import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const RELEASE = 'deploy/release/release.mjs';
const release = (...args: string[]) =>
  spawnSync(process.execPath, [RELEASE, '--out', folder, ...args], {
    encoding: 'utf8',
    env: { ...process.env, SOURCE_DATE_EPOCH: '1764460800' },
  });
const text = (name: string): string => readFileSync(join(folder, name), 'utf8');

const billSchema = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ timestamp: z.string(), component: z.object({ name: z.string() }) }),
  components: z.array(z.object({ name: z.string(), version: z.string() })),
});
const lockSchema = z.object({ dependencies: z.record(z.string(), z.string()) });

describe('a release folder', () => {
  it('has a bill of materials with every dependency, licences, hashes and a signature', () => {
    const key = join(folder, '..', `release-key-${process.pid}.pem`);
    execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', key]);
    try {
      chmodSync(key, 0o600);
      writeFileSync(join(folder, 'cutcard_0.1.0_arm64.deb'), 'stands for a package');
      const { status, stderr } = release('--key', key);
      expect([stderr, status]).toEqual(['', 0]);
      const bill = billSchema.parse(JSON.parse(text('cutcard.cdx.json')));
      const names = new Set(bill.components.map(({ name }) => name));
      const wanted = Object.keys(
        lockSchema.parse(JSON.parse(readFileSync('package.json', 'utf8'))).dependencies,
      );
      for (const name of wanted) {
        expect(names).toContain(name);
        expect(text('LICENCES.txt')).toContain(`${name} `);
      }
      expect(text('LICENCES.txt')).toMatch(/Permission is hereby granted/);
      const check = spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' });
      expect(check.status).toBe(0);
      expect(check.stdout).toContain('cutcard_0.1.0_arm64.deb: OK');
      const openssl = ['pkeyutl', '-verify', '-pubin', '-inkey', 'release.pub', '-rawin'];
      const files = ['-in', 'SHA256SUMS', '-sigfile', 'SHA256SUMS.sig'];
      expect(spawnSync('openssl', [...openssl, ...files], { cwd: folder }).status).toBe(0);
      expect(text('SHA256SUMS')).not.toContain('PRIVATE');
    } finally {
      rmSync(key, { force: true });
    }
  });

  it('gives the same bytes for the same source and time', () => {
    expect(release().status).toBe(0);
    const first = text('cutcard.cdx.json');
    expect(release().status).toBe(0);
    expect(text('cutcard.cdx.json')).toBe(first);
  });

  it('a key that others can read signs nothing', () => {
    const key = join(folder, 'open.pem');
    execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', key]);
    chmodSync(key, 0o644);
    rmSync(join(folder, 'SHA256SUMS.sig'), { force: true });
    const { status, stderr } = release('--key', key);
    rmSync(key);
    expect(status).toBe(1);
    expect(stderr).toContain('can be read by others');
    expect(existsSync(join(folder, 'SHA256SUMS.sig'))).toBe(false);
  });
});
