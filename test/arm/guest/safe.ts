import assert from 'node:assert/strict';
import { type Backend, BACKENDS, type Check, Child, type Rig } from './check.js';
import { LINE } from './board.js';
import { idle } from './lines.js';

/** The gate of a running program, opened by a directive; the lock's resistor pulls to locked. */
const openedGate = async ({ wires }: Rig, backend: Backend): Promise<Child> => {
  await idle({ wires });
  await wires.pull(LINE.gate, true);
  const child = new Child(['board', backend, 'gate']);
  await child.tells(/"link.up","device":"gate"/);
  assert.equal(await wires.level(LINE.gate), true, 'locked from the first moment on');
  child.order({ gate: 'open' });
  await child.tells(/"gate":"open"/);
  assert.equal(await wires.level(LINE.gate), false, 'opened by the directive');
  return child;
};

const onExit =
  (backend: Backend) =>
  async (rig: Rig): Promise<void> => {
    const child = await openedGate(rig, backend);
    await child.end('SIGTERM');
    assert.equal(await rig.wires.level(LINE.gate), true, 'locked after the end');
  };

/** The kernel lets the line go at once; the resistor decides. */
const onCrash = async (rig: Rig): Promise<void> => {
  const child = await openedGate(rig, 'gpiochip');
  await child.end('SIGKILL');
  assert.equal(await rig.wires.level(LINE.gate), true, 'locked by its resistor');
};

/** Sysfs keeps an exported line as it was: only the next start, or a reset, makes it safe. */
const onSysfsCrash = async (rig: Rig): Promise<void> => {
  const child = await openedGate(rig, 'onoff');
  await child.end('SIGKILL');
  assert.equal(await rig.wires.level(LINE.gate), false, 'sysfs keeps the level');
  const next = new Child(['board', 'onoff', 'gate']);
  try {
    await next.tells(/"link.up","device":"gate"/);
    assert.equal(await rig.wires.level(LINE.gate), true, 'locked by the next start');
  } finally {
    await next.end('SIGTERM');
  }
  assert.equal(await rig.wires.level(LINE.gate), true);
};

export const SAFE_CHECKS: readonly Check[] = [
  ...BACKENDS.map(
    (backend): Check => [
      `${backend}: the gate is safe from its first moment and after a stop`,
      onExit(backend),
    ],
  ),
  ['gpiochip: the gate falls to its resistor when the program is killed', onCrash],
  ['onoff: the gate keeps its level when the program is killed, until the next', onSysfsCrash],
];
