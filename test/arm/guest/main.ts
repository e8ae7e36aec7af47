import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import type { Check, Rig } from './check.js';
import { HostPort, Wires } from './host-port.js';

/**
 * Runs in the guest, as its only program: every check of this tier, one after another, told to the
 * host as it ends. The last word is `end`; the guest then switches itself off.
 */
const checksOf = async (tier: string, only: RegExp | null): Promise<readonly Check[]> => {
  const all = await allChecks(tier);
  return only === null ? all : all.filter(([name]) => only.test(name));
};

const allChecks = async (tier: string): Promise<readonly Check[]> => {
  if (tier === '3') return (await import('./pi.js')).PI_CHECKS;
  const { LINE_CHECKS } = await import('./lines.js');
  const { SAFE_CHECKS } = await import('./safe.js');
  const { FAULT_CHECKS } = await import('./faults.js');
  const { FIGURE_CHECKS } = await import('./figures.js');
  const { STORY_CHECKS } = await import('./story.js');
  const { STUB_CHECKS } = await import('./stub.js');
  return [
    ...LINE_CHECKS,
    ...SAFE_CHECKS,
    ...FAULT_CHECKS,
    ...(tier === '1' ? STUB_CHECKS : []),
    ...FIGURE_CHECKS,
    ...STORY_CHECKS,
  ];
};

/** A killed program leaves its sysfs lines exported: they would be owned for every later check. */
const freeSysfsLines = (): void => {
  const folder = '/sys/class/gpio';
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((one) => /^gpio\d+$/.test(one))) {
    writeFileSync(`${folder}/unexport`, name.slice('gpio'.length));
  }
};

const portPath = process.env['PORT'];
if (portPath === undefined) throw new Error('PORT names no port of the host');
const port = new HostPort(portPath);
const rig: Rig = { port, wires: new Wires(port) };
const [tier = '1', only] = process.argv.slice(2);
for (const [name, run] of await checksOf(tier, only === undefined ? null : new RegExp(only))) {
  const startedMs = performance.now();
  try {
    await run(rig);
    port.say({ say: 'passed', name, ms: Math.round(performance.now() - startedMs) });
  } catch (thrown) {
    const why = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    port.say({ say: 'failed', name, why });
  }
  freeSysfsLines();
}
port.say({ say: 'end' });
// A thread waits in a read of the port for ever, and an orderly exit would wait for it.
process.kill(process.pid, 'SIGKILL');
