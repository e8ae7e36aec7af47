import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../../firmware-bridge/files.js';
import type { Channel, GuestOptions } from './guest.js';
import { type Entry, folder, link, plain, program, text, writeInitramfs } from './initramfs.js';
import { agentOf, APPLETS, type Arch, kernelOf, piEmulator, rootOf } from './parts.js';

const PACKAGE = packageRoot();

/**
 * The guest's clock counts instructions, 2 ns each, while it computes, and follows the host's only
 * while it waits: a busy host makes it slower, never its cards faster or its edges late. One
 * processor: of two, one would stand still while the other moves the clock.
 */
const CLOCK = ['-icount', 'shift=1,sleep=on'];
const ACCEL = ['-accel', 'tcg,tb-size=512'];
const MEMORY_MB = 1024;
/** A guest whose host is gone ends by itself, s of its own clock. */
const LIFE_S = 1_200;
/** Places of the serial ports on the bus: rig.yaml names them. */
const SERIAL_AT = { serial: '0x10', panel: '0x11' } as const;

const COMMON = ['configfs', 'netfs', '9pnet', '9pnet_virtio', '9p', 'gpio-sim', 'i2c-dev'];
/** The stub holds registers at the addresses of the reference head. */
const STUB = 'i2c-stub chip_addr=0x20,0x29,0x68';

const nameOf = (module: string): string => module.split(' ')[0] ?? module;

const initramfs = (
  arch: Arch,
  kernel: string,
  modules: readonly string[],
  settings: Readonly<Record<string, string>>,
  more: readonly Entry[] = [],
): string => {
  const read = (file: string): Buffer => readFileSync(join(kernel, file));
  const words = Object.entries(settings).map(([key, value]) => `${key}="${value}"\n`);
  const entries: Entry[] = [
    ...more,
    ...['bin', 'dev', 'mods'].map(folder),
    program('bin/busybox', read('busybox')),
    ...APPLETS.map((applet) => link(`bin/${applet}`, 'busybox')),
    program('bin/agent', readFileSync(agentOf(arch))),
    program('init', readFileSync(join(PACKAGE, 'test/arm/guest/init'))),
    text('rig.env', words.join('')),
    text('mods/order', modules.map((module) => `${module}\n`).join('')),
    ...modules.map(nameOf).map((module) => plain(`mods/${module}.ko`, read(`mods/${module}.ko`))),
  ];
  const file = join(mkdtempSync(join(tmpdir(), 'cutcard-initramfs-')), 'initramfs');
  writeInitramfs(file, entries);
  return file;
};

const share = (tag: string, path: string): readonly string[] => [
  '-fsdev',
  `local,id=${tag},path=${path},security_model=none,readonly=on,multidevs=remap`,
  '-device',
  `virtio-9p-pci,fsdev=${tag},mount_tag=${tag}`,
];

const chardev = (name: Channel, path: string): readonly string[] => [
  '-chardev',
  `socket,id=${name},path=${path},server=on,wait=off`,
];

const ports = (socket: (channel: Channel) => string): readonly string[] => [
  '-device',
  'virtio-serial-pci',
  ...(['agent', 'checks'] as const).flatMap((name) => [
    ...chardev(name, socket(name)),
    '-device',
    `virtserialport,chardev=${name},name=${name}`,
  ]),
  ...(['serial', 'panel'] as const).flatMap((name) => [
    ...chardev(name, socket(name)),
    '-device',
    `pci-serial,chardev=${name},addr=${SERIAL_AT[name]}`,
  ]),
];

export interface Tier {
  readonly name: string;
  readonly kernel: string;
  readonly guest: Omit<GuestOptions, 'log'>;
  /** A folder that may go once the guest has ended. */
  readonly scratch: string;
  /** Its journal is compared with the one of virtual lines. */
  readonly hasStory: boolean;
}

/** One kernel serves both arm64 guests. */
const fetched = (tier: TierName): readonly string[] =>
  tier === '1' ? [...COMMON, nameOf(STUB)] : [...COMMON, 'i2c-bcm2835'];

const simTier = (tier: '1' | '2', only: string): Tier => {
  const arch = tier === '1' ? 'amd64' : 'arm64';
  const modules = tier === '1' ? [...COMMON, STUB] : COMMON;
  const kernel = kernelOf(arch, fetched(tier));
  const root = rootOf(arch, kernel);
  const bound = Object.entries(root.over).map(([from, to]) => `${from}=${to}`);
  const own = { TIER: tier, ONLY: only, LIFE_S: String(LIFE_S), ROOT: '/guest' };
  const settings = { ...own, CHIP: 'sim', SHARED: 'yes', BOUND: bound.join(' ') };
  const initrd = initramfs(arch, kernel.folder, modules, settings);
  const machine =
    arch === 'amd64' ? ['-M', 'q35', '-cpu', 'max'] : ['-M', 'virt', '-cpu', 'cortex-a72'];
  const console = arch === 'amd64' ? 'ttyS0' : 'ttyAMA0';
  return {
    name: arch === 'amd64' ? 'tier 1, x86-64, gpio-sim' : 'tier 2, arm64, gpio-sim',
    kernel: kernel.version,
    scratch: dirname(initrd),
    hasStory: true,
    guest: {
      program: arch === 'amd64' ? 'qemu-system-x86_64' : 'qemu-system-aarch64',
      channels: ['agent', 'checks', 'serial', 'panel'],
      args: (socket) => [
        ...machine,
        ...['-smp', '1', '-m', String(MEMORY_MB), ...ACCEL, ...CLOCK],
        ...['-display', 'none', '-no-reboot', '-nodefaults', '-serial', 'stdio'],
        ...['-kernel', join(kernel.folder, 'vmlinuz'), '-initrd', initrd],
        ...['-append', `console=${console} panic=-1 quiet`],
        ...ports(socket),
        ...share('guest', root.folder),
        ...share('app', PACKAGE),
      ],
    },
  };
};

const PI_MODULES = ['i2c-dev', 'i2c-bcm2835'];
/** What the Pi's checks load: its guest has no share, all lies in its first file system. */
const PI_PACKAGES = 'onoff epoll i2c-bus bindings file-uri-to-path lodash.debounce yaml zod'.split(
  ' ',
);
const PI_COMPILED = ['controller', 'firmware-bridge', 'test/arm', 'test/contract'];
const PI_FILES = ['package.json', 'firmware-bridge/boards/virtual.yaml'];

/** A folder of this machine as entries of the guest's, without what only a compiler reads. */
const tree = (from: string, to: string): readonly Entry[] => {
  const inside = readdirSync(from).flatMap((name) => {
    const [path, place] = [join(from, name), join(to, name)];
    const found = lstatSync(path);
    if (found.isDirectory()) return tree(path, place);
    if (found.isSymbolicLink()) return [link(place, readlinkSync(path))];
    if (/\.(map|d\.ts|[ch]|cc|cpp|o|a|md)$/.test(name)) return [];
    return [program(place, readFileSync(path))];
  });
  return [folder(to), ...inside];
};

/** The folders above a place, outermost first. */
const above = (place: string): readonly Entry[] =>
  place
    .split('/')
    .slice(0, -1)
    .map((_name, i, names) => folder(names.slice(0, i + 1).join('/')));

const piTier = (only: string): Tier => {
  const kernel = kernelOf('arm64', fetched('3'));
  const root = rootOf('arm64', kernel);
  const own = { TIER: '3', ONLY: only, LIFE_S: String(LIFE_S), ROOT: '/' };
  const settings = { ...own, CHIP: 'pi', SHARED: 'no', CHECKS: '/dev/ttyS1' };
  const compiled = PI_COMPILED.map((name) => `dist/${name}`);
  const entries = [
    ...['usr', 'bin', 'etc'].flatMap((name) => tree(join(root.folder, name), name)),
    link('lib', 'usr/lib'),
    ...PI_FILES.flatMap((file) => {
      const place = `app/${file}`;
      return [...above(place), plain(place, readFileSync(join(PACKAGE, file)))];
    }),
    ...compiled.flatMap((name) => [
      ...above(`app/${name}`),
      ...tree(join(PACKAGE, name), `app/${name}`),
    ]),
    folder('app/node_modules'),
    ...PI_PACKAGES.flatMap((name) =>
      tree(join(root.folder, 'node_modules', name), `app/node_modules/${name}`),
    ),
    ...above('app/firmware-bridge/bus/native/build/Release'),
    ...tree(join(root.folder, 'addon'), 'app/firmware-bridge/bus/native/build/Release'),
  ];
  const initrd = initramfs('arm64', kernel.folder, PI_MODULES, settings, entries);
  return {
    name: "tier 3, raspi3b, the Pi's own drivers",
    kernel: kernel.version,
    scratch: dirname(initrd),
    hasStory: false,
    guest: {
      program: piEmulator(),
      channels: ['checks', 'qmp'],
      args: (socket) => [
        ...['-M', 'raspi3b', '-accel', 'tcg,tb-size=512', '-display', 'none', '-no-reboot'],
        ...['-serial', 'null', ...chardev('checks', socket('checks')), '-serial', 'chardev:checks'],
        ...['-device', 'tmp105,id=t,bus=i2c-bus.1,address=0x48'],
        ...['-qmp', `unix:${socket('qmp')},server=on,wait=off`],
        ...['-kernel', join(kernel.folder, 'vmlinuz'), '-initrd', initrd],
        ...['-dtb', join(kernel.folder, 'dtb/bcm2837-rpi-3-b.dtb')],
        ...['-append', 'console=ttyS1,115200 panic=-1 quiet'],
      ],
    },
  };
};

export type TierName = '1' | '2' | '3';
export const TIERS: readonly TierName[] = ['1', '2', '3'];

export const tierOf = (tier: TierName, only: string): Tier =>
  tier === '3' ? piTier(only) : simTier(tier, only);
