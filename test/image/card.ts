import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const SECTOR_BYTES = 512;
const SELECT = 1;

const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` },
  });

/** What the firmware hands the processor to. */
export interface Start {
  /** The partition it started from: 2 or 3. */
  readonly partition: number;
  readonly kernel: string;
  readonly initrd: string;
  readonly commandLine: string;
}

/** Under a heading of autoboot.txt. @throws where there is no such slot */
const slotUnder = (text: string, heading: 'all' | 'tryboot'): number => {
  const found = new RegExp(`^\\[${heading}\\]\\n(?:[^[]*\\n)?boot_partition=(\\d+)$`, 'm').exec(
    text,
  );
  if (found === null) throw new Error(`autoboot.txt has no boot_partition under [${heading}]`);
  return Number(found[1]);
};

/** The card of a machine that is off, and what the Pi's firmware would do with it. */
export class Card {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  /** Text of a file on a boot partition. @throws where it is not there */
  read(partition: number, name: string): string {
    return run('mtype', '-i', this.#place(partition), `::/${name}`);
  }

  copyOut(partition: number, name: string, to: string): void {
    rmSync(to, { force: true });
    run('mcopy', '-o', '-i', this.#place(partition), `::/${name}`, to);
  }

  /** What a technician does with the card in a reader. */
  put(partition: number, from: string, name: string): void {
    run('mcopy', '-o', '-i', this.#place(partition), from, `::/${name}`);
  }

  get autoboot(): string {
    return this.read(SELECT, 'autoboot.txt');
  }

  /**
   * The firmware's part, as its documentation gives it: the partition out of autoboot.txt, kernel,
   * initramfs and command line out of that partition.
   * @param folder where kernel and initramfs are put
   */
  start(asked: 'tryboot' | 'plain', folder: string): Start {
    const partition = slotUnder(this.autoboot, asked === 'tryboot' ? 'tryboot' : 'all');
    const config = this.read(partition, 'config.txt');
    const named = (pattern: RegExp): string => {
      const name = pattern.exec(config)?.[1];
      if (name === undefined) throw new Error(`config.txt of partition ${partition}: ${pattern}?`);
      return name;
    };
    const kernel = join(folder, 'kernel');
    const initrd = join(folder, 'initrd');
    this.copyOut(partition, named(/^kernel=(\S+)/m), kernel);
    this.copyOut(partition, named(/^initramfs (\S+)/m), initrd);
    return { partition, kernel, initrd, commandLine: this.read(partition, 'cmdline.txt').trim() };
  }

  /** Where a partition begins, as mtools take it. */
  #place(partition: number): string {
    const number = String(partition);
    const line = run('sfdisk', '--dump', this.file)
      .split('\n')
      .find((one) => one.startsWith(`${this.file}${number} `) || one.includes(`img${number} `));
    const start = /start=\s*(\d+)/.exec(line ?? '')?.[1];
    if (start === undefined) throw new Error(`${this.file} has no partition ${number}`);
    return `${this.file}@@${Number(start) * SECTOR_BYTES}`;
  }
}

/** What a machine said on its console from a place on. */
export const saidSince = (file: string, from: number): string => {
  try {
    return readFileSync(file).subarray(from).toString('utf8');
  } catch {
    return '';
  }
};
