import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The kernel counts in sectors of this size, whatever the device has. Source: iostats.rst. */
const SECTOR_BYTES = 512;
/** Field of `stat` with the sectors written, from 0. */
const WRITTEN = 6;
/** eMMC, JEDEC 84-B51 [268..269]: 1 is up to 10 % of its life, 11 is beyond it. */
const LIFE_STEP_PERCENT = 10;
const LIFE_MAX = 11;

/** What writing has cost the device that the journal lies on; null where nobody can say. */
export interface DiskWear {
  /** Written since the machine was switched on, bytes. */
  readonly diskWrittenBytes: number | null;
  /** Upper bound of the device's own figure, percent; eMMC only, SD cards tell nothing. */
  readonly diskLifeUsedPercent: number | null;
}

export const UNKNOWN_WEAR: DiskWear = { diskWrittenBytes: null, diskLifeUsedPercent: null };

const text = async (file: string): Promise<string | null> => {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return null;
  }
};

/** Sectors written, from a block device's `stat`. */
export const writtenBytes = (line: string): number | null => {
  const sectors = Number(line.trim().split(/\s+/)[WRITTEN]);
  return Number.isSafeInteger(sectors * SECTOR_BYTES) ? sectors * SECTOR_BYTES : null;
};

/** Two estimates, `0x01 0x02`: the worse one counts. */
export const lifeUsedPercent = (line: string): number | null => {
  const steps = line.trim().split(/\s+/).map(Number);
  const worst = Math.max(...steps);
  const isSaid = steps.length === 2 && worst >= 1 && worst <= LIFE_MAX;
  return isSaid ? Math.min(100, worst * LIFE_STEP_PERCENT) : null;
};

/** Looks at the block device under a folder. `sys`: where sysfs is, for tests. */
export const diskWear = async (folder: string, sys = '/sys'): Promise<DiskWear> => {
  try {
    const { dev } = await stat(folder);
    // Linux keeps major and minor apart in a device number: glibc's gnu_dev_major.
    const major = (dev >> 8) & 0xfff;
    const minor = (dev & 0xff) | ((dev >> 12) & 0xfff00);
    const block = join(sys, 'dev/block', `${major}:${minor}`);
    const [stats, own, whole] = await Promise.all([
      text(join(block, 'stat')),
      text(join(block, 'device/life_time')),
      // A partition: the device is one folder up.
      text(`${block}/../device/life_time`),
    ]);
    const life = own ?? whole;
    return {
      diskWrittenBytes: stats === null ? null : writtenBytes(stats),
      diskLifeUsedPercent: life === null ? null : lifeUsedPercent(life),
    };
  } catch {
    return UNKNOWN_WEAR;
  }
};
