import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drilledText, FloorService, type Played, playedText, playTables } from './floor-rig.js';
import { BenchBroker, Children, missingPrograms } from './path-rig.js';
import { missingRabbit, RabbitCluster } from './rabbit-rig.js';
import type { Figure } from './storage.js';

const TABLES = 200;
const SECONDS = 60;
const SECONDS_QUICK = 30;
const NODES = 3;
const KILL_AT = 0.4;
const AWAY_MS = 5000;

/** Tables on the second node, the floor on the first; `killed`: the node that dies in between. */
const playCluster = async (
  folder: string,
  seconds: number,
  killed: number | null,
): Promise<{ readonly played: Played; readonly nodeMb: number }> => {
  const children = new Children();
  const cluster = await RabbitCluster.start(children, folder, NODES);
  try {
    const floor = { port: cluster.port(0), mqtt: '3.1.1' } as const;
    const service = await FloorService.start(children, folder, floor);
    const tables = { port: cluster.port(1), mqtt: '3.1.1' } as const;
    const asked = { floor: service, site: 'cluster', tables: TABLES, seconds };
    const played = await playTables(children, folder, tables, asked, async () => {
      if (killed === null) return;
      await sleep(seconds * KILL_AT * 1000);
      cluster.kill(killed);
      await sleep(AWAY_MS);
      await cluster.again(killed);
    });
    return { played, nodeMb: await cluster.memoryMb(0) };
  } finally {
    cluster.killAll();
    await children.stop();
  }
};

const playMosquitto = async (folder: string, seconds: number): Promise<Played> => {
  const children = new Children();
  try {
    const { port } = await BenchBroker.start(children, folder);
    const broker = { port, mqtt: '5' } as const;
    const service = await FloorService.start(children, folder, broker);
    return await playTables(children, folder, broker, {
      floor: service,
      site: 'alone',
      tables: TABLES,
      seconds,
    });
  } finally {
    await children.stop();
  }
};

/**
 * A clustered broker where a house has one: three nodes of RabbitMQ on this machine, tables on one
 * node and the floor on another, beside one mosquitto with the same tables.
 */
export const clusterFigures = async (quick: boolean): Promise<readonly Figure[]> => {
  const what = `${TABLES} tables, 1 act/s each, on ${NODES} RabbitMQ nodes, the floor on another`;
  const missing = missingRabbit() ?? missingPrograms(['mosquitto', 'setsid']);
  if (missing !== null) {
    return [{ what, subject: `not measured: ${missing}`, peer: '-', ratio: '-', goal: '-' }];
  }
  const seconds = quick ? SECONDS_QUICK : SECONDS;
  const root = mkdtempSync(join(tmpdir(), 'cutcard-cluster-'));
  try {
    const alone = await playMosquitto(mkdtempSync(join(root, 'm-')), seconds);
    const whole = await playCluster(mkdtempSync(join(root, 'a-')), seconds, null);
    const killed = await playCluster(mkdtempSync(join(root, 'b-')), seconds, 1);
    const ratio = (whole.played.acked.p99Ms ?? Number.NaN) / (alone.acked.p99Ms ?? Number.NaN);
    return [
      {
        what,
        subject: `${playedText(whole.played)}, ${whole.nodeMb} MB a node`,
        peer: `one mosquitto, MQTT 5: ${playedText(alone)}`,
        ratio: ratio.toFixed(2),
        goal: '0 lost',
      },
      {
        what: 'the same, the tables’ node killed with -9 and started 5 s later',
        subject: drilledText(killed.played),
        peer: '-',
        ratio: '-',
        goal: '0 lost',
      },
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};
