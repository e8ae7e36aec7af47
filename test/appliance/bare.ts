import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

export type Arch = 'amd64' | 'arm64';

const MEMORY_MB = 1024;
/** The machine's disk in the folder of its run; it is backed by `root.img` of its base. */
export const DISK = 'disk.qcow2';

/** Plain processors: what a newer one adds (five page levels, wide registers) is slow emulated. */
const MACHINE: Readonly<Record<Arch, readonly string[]>> = {
  amd64: ['qemu-system-x86_64', '-M', 'q35', '-cpu', 'Nehalem'],
  arm64: ['qemu-system-aarch64', '-M', 'virt', '-cpu', 'cortex-a72'],
};
const CONSOLE: Readonly<Record<Arch, string>> = { amd64: 'ttyS0', arm64: 'ttyAMA0' };

/** Jobs of the night and logins at the console: nobody needs them here. */
const MASKED = [
  ...['apt-daily.timer', 'apt-daily-upgrade.timer', 'man-db.timer', 'dpkg-db-backup.timer'],
  ...['e2scrub_all.timer', 'e2scrub_reap.service', 'fstrim.timer', 'getty.target'],
];

/**
 * What costs an emulated processor much and is not tried here: guards against side channels, and
 * doubts about a clock that stands still with its host.
 */
const LIGHTER = [
  ...[
    'mitigations=off',
    'nokaslr',
    'audit=0',
    'selinux=0',
    'apparmor=0',
    'nowatchdog',
    'no_timer_check',
  ],
  // A busy host stands still for minutes: a service that starts meanwhile has not failed.
  ...['systemd.default_timeout_start_sec=900', 'systemd.default_device_timeout_sec=900'],
  ...['tsc=reliable', 'random.trust_cpu=on', 'cryptomgr.notests', 'quiet'],
  ...['systemd.show_status=0', ...MASKED.map((unit) => `systemd.mask=${unit}`)],
];

/**
 * A bare Debian on a disk of its own that outlives a power cut.
 * @param base folder with root.img, vmlinuz and initrd.img (base.sh)
 * @returns what the emulator is started with
 */
export const bareMachine = (arch: Arch, base: string, folder: string) => (): readonly string[] => {
  const disk = join(folder, DISK);
  if (!existsSync(disk)) {
    mkdirSync(folder, { recursive: true });
    const args = ['create', '-q', '-f', 'qcow2', '-b', join(base, 'root.img'), '-F', 'raw', disk];
    execFileSync('qemu-img', args);
  }
  const append = `root=/dev/vda rw console=${CONSOLE[arch]} panic=-1 ${LIGHTER.join(' ')}`;
  return [
    ...MACHINE[arch],
    ...['-m', String(MEMORY_MB)],
    ...['-kernel', join(base, 'vmlinuz'), '-initrd', join(base, 'initrd.img')],
    ...['-append', append],
    ...['-drive', `file=${disk},if=virtio,format=qcow2,cache=writeback`],
  ];
};
