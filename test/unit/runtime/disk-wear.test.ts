import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { diskWear, lifeUsedPercent, writtenBytes } from '../../../controller/runtime/disk-wear.js';

const folder = mkdtempSync(join(tmpdir(), 'cutcard-wear-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('what writing has cost the card', () => {
  it('reads sectors written as bytes', () => {
    expect(writtenBytes('  10 0 80 5 7 0 1000 9 0 5 6 0 0 0 0 0 0\n')).toBe(512_000);
    expect(writtenBytes('what')).toBeNull();
  });

  it('takes the worse of an eMMC’s two estimates, and none of a card that gives none', () => {
    expect(lifeUsedPercent('0x01 0x03\n')).toBe(30);
    expect(lifeUsedPercent('0x0b 0x01\n')).toBe(100);
    expect(lifeUsedPercent('0x00 0x00\n')).toBeNull();
    expect(lifeUsedPercent('')).toBeNull();
  });

  it('looks at the partition’s own counters and the whole device’s life', async () => {
    const { dev } = statSync(folder);
    const name = `${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`;
    const disk = join(folder, 'sys/devices/mmcblk0');
    mkdirSync(join(disk, 'mmcblk0p7'), { recursive: true });
    mkdirSync(join(disk, 'device'));
    mkdirSync(join(folder, 'sys/dev/block'), { recursive: true });
    writeFileSync(join(disk, 'mmcblk0p7/stat'), '1 0 8 0 1 0 2 0 0 0 0\n');
    writeFileSync(join(disk, 'device/life_time'), '0x02 0x01\n');
    symlinkSync(join(disk, 'mmcblk0p7'), join(folder, 'sys/dev/block', name));
    expect(await diskWear(folder, join(folder, 'sys'))).toEqual({
      diskWrittenBytes: 1024,
      diskLifeUsedPercent: 20,
    });
  });

  it('knows nothing where the machine says nothing', async () => {
    const nothing = { diskWrittenBytes: null, diskLifeUsedPercent: null };
    expect(await diskWear(folder, join(folder, 'elsewhere'))).toEqual(nothing);
    expect(await diskWear(join(folder, 'gone'))).toEqual(nothing);
  });
});
