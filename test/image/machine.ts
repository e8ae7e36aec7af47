import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Card, saidSince, type Start } from './card.js';

const MEMORY_MB = 1024;

/** The boards that build.sh knows, and the machines that play them. */
export type Board = 'pi4' | 'pc';
const EMULATOR: Readonly<Record<Board, string>> = {
  pi4: 'qemu-system-aarch64',
  pc: 'qemu-system-x86_64',
};
const MACHINE: Readonly<Record<Board, readonly string[]>> = {
  pi4: ['-cpu', 'cortex-a72', '-m', String(MEMORY_MB)],
  // A plain processor: what a newer one adds is slow emulated.
  pc: ['-M', 'q35', '-cpu', 'Nehalem', '-m', String(MEMORY_MB)],
};
const CONSOLE: Readonly<Record<Board, string>> = { pi4: 'ttyAMA0', pc: 'ttyS0' };

/** What costs an emulated processor much and is not tried here, and a watchdog that is patient. */
const LIGHTER = [
  ...['mitigations=off', 'nokaslr', 'audit=0', 'nowatchdog', 'cryptomgr.notests'],
  ...[
    'random.trust_cpu=on',
    'tsc=reliable',
    'no_timer_check',
    'systemd.default_device_timeout_sec=900',
    'systemd.watchdog_sec=600',
  ],
];

const AGENT = `[Unit]
After=systemd-udevd.service local-fs.target
[Service]
ExecStart=/bin/sh -c 'modprobe 9pnet_virtio;mount -t tmpfs t /mnt;mkdir /mnt/parcel;\
mount -t 9p -o trans=virtio,version=9p2000.L,ro parcel /mnt/parcel;exec bash /mnt/parcel/agent'
Environment=HOME=/root TERM=dumb LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
`;

/** A busy host arms a good slot late; a bad one is to be found out in the time of a test, s. */
export const PATIENT_S = 1800;
export const IMPATIENT_S = 240;

/** The test's hand, and a busy host's wider limits, from outside: the card knows of neither. */
const fromOutside = (healthWaitS: number): Readonly<Record<string, string>> => ({
  'systemd.extra-unit.agent.service': AGENT,
  'systemd.unit-dropin.cutcard.service': '[Service]\nWatchdogSec=60s\nTimeoutStartSec=900s\n',
  'systemd.unit-dropin.slot-health.service': [
    ...['[Service]', 'TimeoutStartSec=2h', `Environment=SLOT_HEALTH_WAIT_S=${healthWaitS}`, ''],
  ].join('\n'),
});

/** How the firmware says which partition it took: a Pi's in the device tree, in four bytes. */
const saying = (board: Board, folder: string, partition: number): readonly string[] => {
  if (board === 'pc') {
    const told = join(folder, 'partition');
    writeFileSync(told, Buffer.from([0, 0, 0, partition]));
    return ['-fw_cfg', `name=opt/cutcard.partition,file=${told}`];
  }
  const file = join(folder, 'board.dtb');
  const args = ['-M', `virt,dumpdtb=${file}`, ...MACHINE[board], '-smp', '2', '-display', 'none'];
  execFileSync(EMULATOR[board], args, { stdio: 'pipe' });
  const number = String(partition);
  execFileSync('fdtput', ['-p', '-t', 'u', file, '/chosen/bootloader', 'partition', number]);
  return ['-M', 'virt', '-dtb', file];
};

/** An emulated board with an SD card, and its firmware, played as documented. */
export class Machine {
  readonly #card: Card;
  readonly #folder: string;
  readonly #board: Board;
  /** How long slot-health waits for the table from the next start on, s. */
  healthWaitS = PATIENT_S;
  #heardUpTo = 0;
  #started: Start | null = null;

  constructor(board: Board, card: Card, folder: string) {
    this.#board = board;
    this.#card = card;
    this.#folder = folder;
  }

  /** The partition of the last start. */
  get partition(): number | null {
    return this.#started?.partition ?? null;
  }

  /** What the console said since the last start. */
  get said(): string {
    return saidSince(join(this.#folder, 'console.log'), this.#heardUpTo);
  }

  /** Power on, or on again. @returns what the emulator is started with */
  start(): readonly string[] {
    // What a kernel that knows the firmware would tell it stands on the console alone here.
    const asked = this.said.includes("Restarting system with command '0 tryboot'");
    const start = this.#card.start(asked ? 'tryboot' : 'plain', this.#folder);
    this.#started = start;
    this.#heardUpTo = sizeOf(join(this.#folder, 'console.log'));
    const credentials = Object.entries(fromOutside(this.healthWaitS)).map(
      ([name, text]) =>
        `systemd.set_credential_binary=${name}:${Buffer.from(text).toString('base64')}`,
    );
    const added = [
      `console=${CONSOLE[this.#board]}`,
      'systemd.wants=agent.service',
      ...LIGHTER,
      ...credentials,
    ];
    return [
      ...[EMULATOR[this.#board], ...MACHINE[this.#board]],
      ...saying(this.#board, this.#folder, start.partition),
      ...['-kernel', start.kernel, '-initrd', start.initrd],
      ...['-append', `${start.commandLine} ${added.join(' ')}`],
      ...['-drive', `if=none,id=card,file=${this.#card.file},format=raw,cache=writeback`],
      ...['-device', 'sdhci-pci', '-device', 'sd-card,drive=card'],
    ];
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
