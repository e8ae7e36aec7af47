import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { needsProgram, testWith } from '../support/needs.js';

const IMAGE = fileURLToPath(new URL('../../deploy/image/', import.meta.url));
const LONG_MS = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'cutcard-image-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Slot = 'A' | 'B';

/** A card and the firmware's rules for it, as the Pi's documentation gives them. */
class Card {
  readonly #select: string;
  readonly #state: string;
  readonly #started: string;

  constructor(name: string) {
    const place = join(folder, name);
    this.#select = join(place, 'select');
    this.#state = join(place, 'state');
    this.#started = join(place, 'partition');
    mkdirSync(this.#select, { recursive: true });
    writeFileSync(
      join(this.#select, 'autoboot.txt'),
      '[all]\ntryboot_a_b=1\nboot_partition=2\n[tryboot]\nboot_partition=3\n',
    );
    this.start();
  }

  /** What the firmware takes: the one under `[tryboot]` after a restart that asked for it. */
  start(asked: 'tryboot' | 'plain' = 'plain'): Slot {
    const heading = asked === 'tryboot' ? 'tryboot' : 'all';
    const text = readFileSync(join(this.#select, 'autoboot.txt'), 'utf8');
    const part = new RegExp(`\\[${heading}\\][^[]*boot_partition=(\\d)`).exec(text)?.[1] ?? '';
    writeFileSync(this.#started, Buffer.from([0, 0, 0, Number(part)]));
    return part === '2' ? 'A' : 'B';
  }

  /** As the initramfs does (initramfs-slot). */
  putBack(): void {
    renameSync(join(this.#select, 'autoboot.old'), join(this.#select, 'autoboot.txt'));
  }

  slot(...args: readonly string[]): string {
    return this.slotWith({}, ...args);
  }

  slotWith(env: NodeJS.ProcessEnv, ...args: readonly string[]): string {
    return execFileSync('sh', [join(IMAGE, 'boot-slot'), ...args], {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        CUTCARD_SELECT: this.#select,
        CUTCARD_SLOT_STATE: this.#state,
        CUTCARD_STARTED: this.#started,
        CUTCARD_FIRMWARE: join(this.#state, 'none'),
        CUTCARD_RESTART: 'echo',
        ...env,
      },
    }).trim();
  }

  get files(): readonly string[] {
    return [join(this.#select, 'autoboot.txt.new'), join(this.#state, 'trial')];
  }
}

describe('the slots of the image', () => {
  it('a new card starts slot A', () => {
    const card = new Card('new');
    expect(card.slot('get-current')).toBe('A');
    expect(card.slot('get-primary')).toBe('A');
    expect(card.slot('get-state', 'B')).toBe('good');
  });

  it('an update is tried once; a restart by anything brings back the slot before', () => {
    const card = new Card('falls-back');
    card.slot('set-primary', 'B');
    expect(card.slot('get-primary')).toBe('B');
    expect(card.start('tryboot')).toBe('B');
    expect(card.slot('get-current')).toBe('B');
    // The power goes before the table is watched.
    expect(card.start()).toBe('A');
    expect(card.slot('get-current')).toBe('A');
  });

  it('marked good in its trial it is the slot of every start', () => {
    const card = new Card('kept');
    card.slot('set-primary', 'B');
    card.start('tryboot');
    card.slot('set-state', 'B', 'good');
    expect(card.start()).toBe('B');
    expect(card.slot('get-primary')).toBe('B');
    // And the next update goes the other way.
    card.slot('set-primary', 'A');
    expect(card.start()).toBe('B');
    expect(card.start('tryboot')).toBe('A');
  });

  it('marked bad it is not the next slot, and a slot that does not run cannot prove itself', () => {
    const card = new Card('bad');
    card.slot('set-primary', 'B');
    card.slot('set-state', 'B', 'good');
    expect(card.start()).toBe('A');
    card.slot('set-state', 'B', 'bad');
    expect(card.slot('get-state', 'B')).toBe('bad');
    expect(card.slot('get-primary')).toBe('A');
  });

  it('a kernel that tells the firmware: the trial is the firmware’s, nothing else changes', () => {
    const card = new Card('told');
    card.slot('set-primary', 'B');
    expect(card.slotWith({ CUTCARD_FIRMWARE: '/dev/null' }, 'try')).toBe(
      '--reboot-argument=0 tryboot',
    );
    expect(card.start()).toBe('A');
    expect(card.start('tryboot')).toBe('B');
  });

  it('a kernel that cannot tell it: the way back lies there before the new slot is first', () => {
    const card = new Card('untold');
    card.slot('set-primary', 'B');
    card.slot('try');
    expect(card.start()).toBe('B');
    // The initramfs of the new slot puts it back; then the power may go at any time.
    card.putBack();
    expect(card.slot('get-current')).toBe('B');
    expect(card.start()).toBe('A');
    card.slot('set-primary', 'B');
    card.slot('try');
    card.start();
    card.putBack();
    card.slot('set-state', 'B', 'good');
    expect(card.start()).toBe('B');
  });

  it('a trial that was made ready and never started is called off by what comes next', () => {
    const card = new Card('called-off');
    card.slot('set-primary', 'B');
    card.slot('try');
    card.slot('set-state', 'B', 'bad');
    expect(card.start()).toBe('A');
    expect(card.slot('get-primary')).toBe('A');
  });

  it('without an update there is nothing to try', () => {
    expect(() => new Card('nothing').slot('try')).toThrow(/no slot is on trial/);
  });

  it('a power cut between its writes leaves a card that starts the old slot', () => {
    const card = new Card('torn');
    const [half = '', trial = ''] = card.files;
    writeFileSync(half, '[all]\nboot_par');
    expect(card.start()).toBe('A');
    card.slot('set-primary', 'B');
    expect(existsSync(half)).toBe(false);
    rmSync(trial);
    expect(card.start()).toBe('A');
    expect(card.slot('get-primary')).toBe('A');
  });

  it('a card of another make is refused in plain words', () => {
    const { status, stderr } = spawnSync('sh', [join(IMAGE, 'boot-slot'), 'get-primary'], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], CUTCARD_SELECT: folder },
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/autoboot.txt is missing: the card was not made by deploy\/image/);
  });
});

describe('what the recipe of the image says in two places', () => {
  const text = (name: string): string => readFileSync(join(IMAGE, name), 'utf8');
  const mounts = text('fstab')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/\s+/));

  it('what the first start mounts from `data` is in the image: else it ends in a rescue', () => {
    const made = [...text('customize.sh').matchAll(/install -d ([^\n']*)/g)]
      .flatMap((found) => (found[1] ?? '').split(' '))
      .filter((word) => word.startsWith('/'));
    const from = mounts.filter((line) => line[2] === 'none').map((line) => line[0]);
    expect(from.length).toBeGreaterThan(1);
    expect(from.filter((folder) => !made.includes(folder ?? ''))).toEqual([]);
  });

  it('no partition that an update writes is mounted by itself', () => {
    const written = [
      ...text('rauc-system.conf.in').matchAll(/^device=\/dev\/disk\/by-partuuid\/(\S+)/gm),
    ].map((found) => `PARTUUID=${found[1] ?? ''}`);
    expect(written).toHaveLength(4);
    expect(mounts.map((line) => line[0])).toContain(written.at(0));
    const atStart = mounts.filter((line) => !(line[3] ?? '').split(',').includes('noauto'));
    expect(atStart.filter((line) => written.includes(line[0] ?? ''))).toEqual([]);
  });

  it('what the firmware reads is not made anew after it was written', () => {
    const steps = text('customize.sh').split('\n');
    const at = (pattern: RegExp): number => steps.findIndex((line) => pattern.test(line));
    const anew = at(/update-initramfs -c -k all$/);
    expect(anew).toBeGreaterThan(0);
    // Debian's hook writes config.txt and cmdline.txt with each initramfs; it takes this file in.
    expect(at(/>"\$root\/etc\/default\/raspi-firmware-custom"/)).toBeLessThan(anew);
    expect(at(/>"\$root\/boot\/firmware\/cmdline\.txt"/)).toBeGreaterThan(anew);
    // Written here for the emulated PC alone, whose firmware is the test's.
    const writes = />"\$root\/boot\/firmware\/config\.txt"/;
    expect(steps.filter((line) => writes.test(line))).toHaveLength(1);
    expect(steps.slice(0, at(writes)).findLast((line) => line.startsWith('if '))).toMatch(
      /= pc \]/,
    );
  });

  it('updates are opened where a read-only root lets them', () => {
    expect(text('rauc-system.conf.in')).toMatch(/^mountprefix=\/run\//m);
  });
});

describe('the signed bundle', () => {
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  const signer = (name: string): void =>
    openssl(
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-keyout', `${name}.key`, '-out', `${name}.pem`, '-days', '30', '-subj', `/CN=${name}`],
    );
  const verify = (keyring: string, bundle: string): number | null =>
    spawnSync('rauc', ['info', `--keyring=${keyring}.pem`, bundle], {
      cwd: folder,
      stdio: 'pipe',
    }).status;

  const missing = needsProgram('rauc') ?? needsProgram('mksquashfs') ?? needsProgram('openssl');
  testWith(
    missing,
    'is taken with the house’s signature only, and only whole',
    () => {
      signer('house');
      signer('stranger');
      const images = join(folder, 'images');
      mkdirSync(images, { recursive: true });
      writeFileSync(join(images, 'boot.vfat'), randomBytes(64 * 1024));
      writeFileSync(join(images, 'root.squashfs'), randomBytes(256 * 1024));
      const bundle = join(folder, 'cutcard-pi4.raucb');
      execFileSync('sh', [join(IMAGE, 'bundle.sh'), 'pi4', images, bundle], {
        cwd: folder,
        stdio: 'pipe',
        env: { ...process.env, CUTCARD_SIGN_KEY: 'house.key', CUTCARD_SIGN_CERT: 'house.pem' },
      });
      expect(verify('house', bundle)).toBe(0);
      expect(verify('stranger', bundle)).not.toBe(0);
      const bytes = readFileSync(bundle);
      // The signature stands at the end; one bit of it.
      const at = bytes.length - 200;
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      writeFileSync(join(folder, 'changed.raucb'), bytes);
      expect(verify('house', join(folder, 'changed.raucb'))).not.toBe(0);
    },
    LONG_MS,
  );
});
