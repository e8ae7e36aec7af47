import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, Child, type Rig } from './check.js';
import { LINE } from './board.js';
import { idle } from './lines.js';

/** A user without any group: it owns nothing of the hardware. */
const NOBODY = 1000;
/** A loop held up for longer would miss cards, ms of the guest's slow clock. */
const HELD_MAX_MS = 2_000;
const SYSFS = '/sys/class/gpio';

const UP = /"link.up","device":"mouth"/;
const down = (reason: string): RegExp =>
  new RegExp(`"link.down","device":"mouth","reason":"[^"]*${reason}`);

const heldMs = async (child: Child): Promise<number> => {
  const from = child.told.length;
  child.order({ status: true });
  await child.tells(/"heldMs"/, from);
  const [, held] = /"heldMs":(\d+)/.exec(child.told.slice(from).join(' ')) ?? [];
  return Number(held);
};

const ownedLine =
  (backend: 'gpiochip' | 'onoff', reason: string) =>
  async ({ wires }: Rig): Promise<void> => {
    await idle({ wires });
    const owner = new Child(['own', String(LINE.beamA)]);
    await owner.tells(/"owns"/);
    const child = new Child(['board', backend, 'mouth', 'lid']);
    try {
      await child.tells(down(reason));
      await child.tells(/"link.up","device":"lid"/);
      assert.ok(!child.has(UP));
      await owner.end('SIGKILL');
      await child.tells(UP);
    } finally {
      await child.end('SIGKILL');
      await owner.end('SIGKILL');
    }
  };

const noPermission = async ({ wires }: Rig): Promise<void> => {
  await idle({ wires });
  // The emulator's own machine may have a chip besides the simulated one.
  const chips = readdirSync('/dev').filter((name) => /^gpiochip\d+$/.test(name));
  const allow = (mode: number): void => {
    for (const chip of chips) chmodSync(join('/dev', chip), mode);
  };
  allow(0o600);
  const child = new Child(['board', 'gpiochip', 'mouth'], NOBODY);
  try {
    await child.tells(down('permission|may'));
    // What the udev rule would have done.
    allow(0o666);
    await child.tells(UP);
    assert.ok((await heldMs(child)) < HELD_MAX_MS, 'the program was held up');
  } finally {
    allow(0o600);
    await child.end('SIGKILL');
  }
};

const openToAll = (folder: string): void => {
  for (const file of ['direction', 'value', 'edge', 'active_low']) {
    const path = join(folder, file);
    if (existsSync(path)) chmodSync(path, 0o666);
  }
};

const noSysfsPermission = async ({ wires }: Rig): Promise<void> => {
  await idle({ wires });
  const child = new Child(['board', 'onoff', 'mouth'], NOBODY);
  const udev = setInterval(() => {
    if (!child.has(down('may not'))) return;
    chmodSync(join(SYSFS, 'export'), 0o222);
    chmodSync(join(SYSFS, 'unexport'), 0o222);
    for (const name of readdirSync(SYSFS)) {
      if (/^gpio\d+$/.test(name)) openToAll(join(SYSFS, name));
    }
  }, 100);
  try {
    await child.tells(down('may not'));
    await child.tells(UP);
    // onoff itself would wait in its constructor, and everything with it.
    assert.ok((await heldMs(child)) < HELD_MAX_MS, 'the program was held up');
  } finally {
    clearInterval(udev);
    chmodSync(join(SYSFS, 'export'), 0o200);
    await child.end('SIGKILL');
  }
};

const PORT = '/dev/serial/by-path/pci-0000:00:10.0';

const renamedPort = async ({ port }: Rig): Promise<void> => {
  renameSync(PORT, `${PORT}-away`);
  const child = new Child(['board', 'gpiochip', 'shuffler']);
  try {
    await child.tells(/"link.down","device":"shuffler","reason":"[^"]*No such file/);
    renameSync(`${PORT}-away`, PORT);
    await child.tells(/"link.up","device":"shuffler"/);
    await port.ask({ to: 'serial', send: Buffer.from('\u0002CNT 416\u0003').toString('hex') });
    await child.tells(/"shuffler.done".*416/);
  } finally {
    if (existsSync(`${PORT}-away`)) renameSync(`${PORT}-away`, PORT);
    await child.end('SIGKILL');
  }
};

const garbage = async ({ port }: Rig): Promise<void> => {
  const child = new Child(['board', 'gpiochip', 'shuffler']);
  try {
    await child.tells(/"link.up","device":"shuffler"/);
    const frame = Buffer.from('\u0002CNT 4x6*00\u0003').toString('hex');
    await port.ask({ to: 'serial', send: frame.repeat(40) });
    await child.tells(/"link.down","device":"shuffler","reason":"[^"]*garbage/);
    await child.tells(/"link.up"/, child.told.length - 1);
    const from = child.told.length;
    await port.ask({ to: 'serial', send: Buffer.from('\u0002CNT 312\u0003').toString('hex') });
    await child.tells(/"shuffler.done".*312/, from - 1);
  } finally {
    await child.end('SIGKILL');
  }
};

export const FAULT_CHECKS: readonly Check[] = [
  [
    'gpiochip: a line of another program is named, and taken when free',
    ownedLine('gpiochip', 'owned'),
  ],
  ['onoff: a line of another program is named, and taken when free', ownedLine('onoff', 'in use')],
  ['gpiochip: missing permission is named, and recovers without a restart', noPermission],
  ['onoff: missing permission is named, blocks nothing, and recovers', noSysfsPermission],
  ['serial: a port that is not there is named, and opened when it is back', renamedPort],
  ['serial: a machine that answers garbage is named, and heard again', garbage],
];
