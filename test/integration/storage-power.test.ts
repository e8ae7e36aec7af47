import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { openJournal } from '../../storage/journal.js';
import { verifyChain } from '../../storage/verify.js';
import { type Missing, testWith } from '../support/needs.js';
import { Appender, childStep, firstWrongRow, needsBuild } from './storage-child.js';

/** `CUTCARD_POWER_CUTS=500` for a night. */
const CUTS = Number(process.env['CUTCARD_POWER_CUTS'] ?? 3);
const IMAGE_BYTES = 96 * 1024 * 1024;
const SMALL_DISK = '1m';
const MS_A_CUT = 60_000;
/** EXT4_IOC_SHUTDOWN, `_IOR('X', 125, __u32)`, with 2: what the log did not reach is forgotten. */
const CUT = [
  'import fcntl, os, struct, sys',
  "fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))",
].join('\n');

const run = (program: string, ...args: readonly string[]): void => {
  const ran = spawnSync(program, args, { encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${ran.stderr}`);
};

/** Why nothing can be mounted here; null when it can. */
const needsMount = (): Missing => {
  if (process.getuid?.() !== 0) return 'only root can mount a disk to fill or to cut';
  const probe = mkdtempSync(join(tmpdir(), 'mount-'));
  const ran = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe]);
  if (ran.status === 0) spawnSync('umount', [probe]);
  rmSync(probe, { recursive: true });
  return ran.status === 0 ? null : 'this machine does not let us mount a disk';
};
const needsLoop = (): Missing => {
  const missing = needsMount() ?? needsBuild();
  if (missing !== null) return missing;
  return spawnSync('losetup', ['-f']).status === 0 ? null : 'there is no loop device';
};

let folder: string;
let disk: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'power-'));
  disk = join(folder, 'disk');
  mkdirSync(disk);
});
afterEach(() => {
  spawnSync('umount', [disk]);
  rmSync(folder, { recursive: true });
});

const mountImage = (): void => run('mount', '-o', 'loop', join(folder, 'image'), disk);
const makeImage = (): void => {
  const image = join(folder, 'image');
  writeFileSync(image, '');
  truncateSync(image, IMAGE_BYTES);
  run('mkfs.ext4', '-q', '-F', image);
  mountImage();
};

/** Lets the child write, then takes the power away under it. Resolves with the disk back. */
const cutPowerUnder = async (child: Appender, rows: number): Promise<void> => {
  await child.acknowledged(rows);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
  run('python3', '-c', CUT, disk);
};
const powerBack = (): void => {
  run('umount', disk);
  mountImage();
};

describe('a power cut', () => {
  testWith(
    needsLoop(),
    `forgets what was not synced, and no acknowledged row, in ${CUTS} cuts`,
    async () => {
      makeImage();
      const path = join(disk, 'table.journal');
      for (let cut = 1; cut <= CUTS; cut += 1) {
        const child = new Appender(path, 'worker', cut);
        await child.opened();
        await cutPowerUnder(child, child.lastSeq + 300);
        await child.end();
        // The disk was gone: said as such, and refused ever after.
        expect(child.words).toMatch(/fault (io|read-only)\nagain \1/);
        const acknowledged = child.lastSeq;
        powerBack();
        const journal = await openJournal(path, { writer: 'inline' });
        expect(journal.unclean).toBe(true);
        const { seq } = journal.head();
        expect(seq, `cut ${cut}`).toBeGreaterThanOrEqual(acknowledged);
        await journal.append([childStep(seq + 1)]);
        await journal.close();
        expect((await verifyChain(path)).damage).toBeNull();
        expect(firstWrongRow(path)).toBeNull();
      }
    },
    CUTS * MS_A_CUT,
  );

  testWith(
    needsLoop(),
    'is one: without syncing the same rows are lost',
    async () => {
      makeImage();
      const path = join(disk, 'control.db');
      const child = new Appender(path, 'unsafe');
      await cutPowerUnder(child, 2000);
      await child.kill();
      const acknowledged = child.lastSeq;
      expect(acknowledged).toBeGreaterThanOrEqual(2000);
      powerBack();
      const db = new Database(path);
      const known = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'step'").get();
      const rows =
        known === undefined ? 0 : db.prepare<[], number>('SELECT count(*) FROM step').pluck().get();
      db.close();
      expect(rows ?? 0).toBeLessThan(acknowledged);
    },
    MS_A_CUT,
  );
});

describe('a full disk', () => {
  testWith(
    needsMount(),
    'refuses with `full`, keeps every acknowledged row, and goes on once there is room',
    async () => {
      run('mount', '-t', 'tmpfs', '-o', `size=${SMALL_DISK}`, 'tmpfs', disk);
      const path = join(disk, 'table.journal');
      for (const writer of ['worker', 'inline'] as const) {
        const journal = await openJournal(path, { writer });
        let acknowledged = journal.head().seq;
        let code: unknown = null;
        while (code === null) {
          const steps = Array.from({ length: 50 }, (_, i) => childStep(acknowledged + 1 + i));
          try {
            await journal.append(steps);
            acknowledged += steps.length;
          } catch (fault) {
            code = fault instanceof Error && 'code' in fault ? fault.code : fault;
          }
        }
        expect(code).toBe('full');
        expect(journal.fault?.message).toMatch(/make room on the disk, then start again/);
        await expect(journal.append([childStep(acknowledged + 1)])).rejects.toThrow(/full/);
        expect(journal.head().seq).toBe(acknowledged);
        await journal.close();
        run('mount', '-o', 'remount,size=64m', disk);
        const again = await openJournal(path, { writer });
        expect(again.head().seq).toBe(acknowledged);
        await again.append([childStep(acknowledged + 1)]);
        await again.close();
        expect((await verifyChain(path)).damage).toBeNull();
        expect(firstWrongRow(path)).toBeNull();
        rmSync(path);
        run('mount', '-o', `remount,size=${SMALL_DISK}`, disk);
      }
    },
    MS_A_CUT,
  );
});

describe('a read-only disk', () => {
  testWith(
    needsMount(),
    'is said to be one; the journal on it can still be checked',
    async () => {
      run('mount', '-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk);
      const path = join(disk, 'table.journal');
      const journal = await openJournal(path, { writer: 'inline' });
      await journal.append([childStep(1), childStep(2)]);
      await journal.close();
      run('mount', '-o', 'remount,ro', disk);
      for (const writer of ['worker', 'inline'] as const) {
        await expect(openJournal(path, { writer })).rejects.toMatchObject({ code: 'read-only' });
      }
      expect(await verifyChain(path)).toMatchObject({ damage: null, head: { seq: 2 } });
      run('mount', '-o', 'remount,rw', disk);
    },
    MS_A_CUT,
  );
});
