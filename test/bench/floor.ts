import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drilledText, FloorService, playedText, playTables } from './floor-rig.js';
import { BenchBroker, Children, missingPrograms } from './path-rig.js';
import type { Figure } from './storage.js';

const TABLES = 1000;
const SECONDS = 300;
const SECONDS_QUICK = 60;
const GOAL_P99_MS = 250;
/** Into the drill: when the broker is killed, and how long after that the historian is, s. */
const BROKER_AT = 0.3;
const HISTORIAN_AFTER = 0.3;
const AWAY_MS = 3000;

/**
 * One floor: 1,000 tables at one act a second, broker, historian and wall on this machine; then
 * the same with the broker killed (its store is in memory only) and the historian killed.
 */
export const floorFigures = async (quick: boolean): Promise<readonly Figure[]> => {
  const what = `${TABLES} tables, 1 act/s each, broker, floor and tables on one machine`;
  const missing = missingPrograms(['mosquitto']);
  const goal = `p99 <= ${GOAL_P99_MS} ms, 0 lost`;
  if (missing !== null) {
    return [{ what, subject: `not measured: ${missing}`, peer: '-', ratio: '-', goal }];
  }
  const seconds = quick ? SECONDS_QUICK : SECONDS;
  const folder = mkdtempSync(join(tmpdir(), 'cutcard-floor-'));
  const children = new Children();
  try {
    const mosquitto = await BenchBroker.start(children, folder);
    const broker = { port: mosquitto.port, mqtt: '5' } as const;
    const service = await FloorService.start(children, folder, broker);
    const asked = { floor: service, site: 'whole', tables: TABLES, seconds };
    const quiet = await playTables(children, folder, broker, asked);
    const memory = service.rssMb();
    const drilled = await playTables(
      children,
      folder,
      broker,
      { ...asked, site: 'drill' },
      async () => {
        await sleep(seconds * BROKER_AT * 1000);
        mosquitto.kill();
        await sleep(AWAY_MS);
        await mosquitto.again();
        await sleep(seconds * HISTORIAN_AFTER * 1000);
        service.kill();
        await sleep(AWAY_MS);
        await service.start();
      },
    );
    const p99 = Math.max(quiet.acked.p99Ms ?? Infinity, quiet.shown.p99Ms ?? Infinity);
    return [
      {
        what: `${what}, ${seconds} s`,
        subject: `${playedText(quiet)}, floor ${memory} MB`,
        peer: '-',
        ratio: (p99 / GOAL_P99_MS).toFixed(2),
        goal,
      },
      {
        what: 'the same, broker and historian killed with -9 and started 3 s later',
        subject: drilledText(drilled),
        peer: '-',
        ratio: '-',
        goal: '0 lost',
      },
    ];
  } finally {
    await children.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
