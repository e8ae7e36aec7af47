import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import { initialState } from '../../controller/core/state.js';
import { RealScheduler } from '../../controller/runtime/real-scheduler.js';
import { openJournal, type SqliteJournal } from '../../storage/journal.js';
import { clientIdOf } from '../../surveillance/contract/topics.js';
import { makeAuthority } from '../../surveillance/identity/authority.js';
import { deviceFiles } from '../../surveillance/identity/device.js';
import { MqttTransport, type TlsIdentity } from '../../surveillance/mqtt/mqtt-transport.js';
import { Publisher } from '../../surveillance/mqtt/publisher.js';
import { WINDOW } from '../../surveillance/mqtt/session.js';
import { HOST, House } from '../support/house.js';
import { count, median } from './median.js';
import { BenchBroker, Children, missingPrograms } from './path-rig.js';
import { benchRules, shoeSteps, take } from './shoe-steps.js';
import type { Figure } from './storage.js';

const ROWS = 40_000;
const ROWS_QUICK = 15_000;
const ROUNDS = 5;
const ROUNDS_QUICK = 3;
const APPEND = 256;
const PEER_WINDOW = 100;
const LOOK_MS = 2;
const LIMIT_MS = 120_000;
const NAME = { site: 'bench', pit: 'p1', table: 't1' };

type BenchHouse = House<BenchBroker>;

/** Lines of mosquitto's configuration: TLS 1.3, and nobody without a certificate. */
const brokerLines = (house: BenchHouse): readonly string[] => {
  const dir = house.identity('broker', 'cutcard:bench:broker', { hosts: [HOST] });
  const { certificate, key } = deviceFiles(dir);
  return [
    `cafile ${house.ca}/ca.crt`,
    `certfile ${certificate}`,
    `keyfile ${key}`,
    'require_certificate true',
    'use_identity_as_username true',
    'tls_version tlsv1.3',
    // As the configuration made for a floor has it (surveillance/broker/mosquitto.ts).
    `max_inflight_messages ${WINDOW}`,
  ];
};

const fill = async (journal: SqliteJournal, rows: number): Promise<void> => {
  const steps = shoeSteps();
  for (let done = 0; done < rows; done += APPEND) {
    await journal.append(take(steps, Math.min(APPEND, rows - done)));
  }
};

/** The product: publisher and journal as they run, from the first row sent to the last PUBACK. */
const drainOurs = async (
  journal: SqliteJournal,
  port: number,
  tls: TlsIdentity,
  payloads: string[] | null,
): Promise<number> => {
  for (const lane of ['mqtt.event', 'mqtt.alert']) journal.moveCursor(lane, 0);
  const scheduler = new RealScheduler();
  let firstMs = 0;
  const publisher = new Publisher({
    mqtt: '5',
    ...{ table: NAME, version: 'bench', cameras: [], consumers: [], keys: [] },
    ...{ journal, scheduler, random: Math.random, tell: () => undefined },
    transport: new MqttTransport({ host: HOST, port, mqtt: '5', tls }),
    report: (kind, text) => process.stderr.write(`${kind}: ${text}\n`),
    inspect: (kind, payload) => {
      if (kind !== 'event') return;
      if (firstMs === 0) firstMs = performance.now();
      payloads?.push(payload);
    },
  });
  publisher.start(initialState(benchRules.table));
  const { seq } = journal.head();
  const endMs = performance.now() + LIMIT_MS;
  while (journal.cursor('mqtt.event') < seq) {
    if (performance.now() > endMs) throw new Error('the backlog was not drained');
    await sleep(LOOK_MS);
  }
  const perS = (seq * 1000) / (performance.now() - firstMs);
  await publisher.stop();
  scheduler.close();
  return perS;
};

/** mqtt.js with so many out at once and the same messages ready in memory: it keeps nothing. */
const drainBare = async (client: MqttClient, payloads: readonly string[]): Promise<number> => {
  const startMs = performance.now();
  let [sent, acked] = [0, 0];
  await new Promise<void>((resolve, reject) => {
    const acknowledged = (error?: Error | null): void => {
      if (error instanceof Error) reject(error);
      acked += 1;
      if (acked === payloads.length) resolve();
      else send();
    };
    const send = (): void => {
      while (sent - acked < PEER_WINDOW && sent < payloads.length) {
        client.publish('bench/event', payloads[sent] ?? '', { qos: 1 }, acknowledged);
        sent += 1;
      }
    };
    send();
  });
  return (acked * 1000) / (performance.now() - startMs);
};

const measure = async (house: BenchHouse, children: Children, quick: boolean): Promise<Figure> => {
  const { port } = await BenchBroker.start(children, house.dir, brokerLines(house));
  const own = house.tls(house.identity('table', clientIdOf(NAME)));
  const { ca, certificate: cert, key } = house.tls(house.identity('peer', 'cutcard:bench:peer'));
  const peerTls = { ca, cert, key, minVersion: 'TLSv1.3' };
  const client = await connectAsync({
    protocol: 'mqtts',
    protocolVersion: 5,
    ...{ host: HOST, port, reconnectPeriod: 0, ...peerTls },
  });
  const journal = await openJournal(join(house.dir, 'table.journal'), { writer: 'worker' });
  const [ours, theirs]: [number[], number[]] = [[], []];
  const rows = quick ? ROWS_QUICK : ROWS;
  try {
    await fill(journal, rows);
    const payloads: string[] = [];
    // The first turn of each is not counted: nothing is compiled yet.
    await drainOurs(journal, port, own, payloads);
    await drainBare(client, payloads);
    for (let round = 0; round < (quick ? ROUNDS_QUICK : ROUNDS); round += 1) {
      theirs.push(await drainBare(client, payloads));
      ours.push(await drainOurs(journal, port, own, null));
    }
  } finally {
    await client.endAsync(true);
    await journal.close();
  }
  const ratios = ours.map((perS, round) => perS / (theirs[round] ?? Number.NaN));
  return {
    what: `backlog of ${count(rows)} rows, mutual TLS 1.3, QoS 1`,
    subject: `${count(median(ours))}/s from the journal, ${WINDOW} out at once, in order`,
    peer: `mqtt.js ${count(median(theirs))}/s from memory, ${PEER_WINDOW} out at once`,
    ratio: median(ratios).toFixed(2),
    goal: '>= 0.8 of mqtt.js',
  };
};

/** How fast a backlog goes out after an outage, turn by turn with bare mqtt.js on one broker. */
export const drainFigures = async (quick: boolean): Promise<readonly Figure[]> => {
  const missing = missingPrograms(['mosquitto', 'openssl']);
  if (missing !== null) {
    const subject = `not measured: ${missing}`;
    return [{ what: 'backlog over mutual TLS', subject, peer: '-', ratio: '-', goal: '-' }];
  }
  const house: BenchHouse = new House();
  makeAuthority(house.ca, 'bench-ca');
  const children = new Children();
  try {
    return [await measure(house, children, quick)];
  } finally {
    await children.stop();
    rmSync(house.dir, { recursive: true, force: true });
  }
};
