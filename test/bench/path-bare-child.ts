import {
  isMainThread,
  parentPort,
  receiveMessageOnPort,
  Worker,
  workerData,
} from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { connect } from 'mqtt';
import { SerialPort } from 'serialport';
import { CARDS } from './path-lines.js';

/**
 * What one would write by hand, well: lines of a port, a rule in a few lines, a thread that
 * commits whatever arrived while the last commit ran, then a publish for each row. No chain, no
 * state, no check of what the line says, nothing kept for an outage.
 */
interface Row {
  readonly seq: number;
  readonly body: string;
}

const writeRows = (file: string): void => {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE ev (seq INTEGER PRIMARY KEY, body TEXT)');
  const insert = db.prepare<[number, string]>('INSERT INTO ev VALUES (?, ?)');
  const commit = db.transaction((rows: readonly Row[]) => {
    for (const { seq, body } of rows) insert.run(seq, body);
  });
  const port = parentPort;
  port?.on('message', (first: readonly Row[]) => {
    const rows = [...first];
    for (;;) {
      const more: { message: readonly Row[] } | undefined = receiveMessageOnPort(port);
      if (more === undefined) break;
      rows.push(...more.message);
    }
    commit.immediate(rows);
    port.postMessage(rows.at(-1)?.seq);
  });
};

let seq = 0;
let countedNs = 0;
const decide = (line: string): Row => {
  const [code, value, batch] = line.split(' ');
  const atNs = Number(process.hrtime.bigint());
  const observation =
    code === 'INV'
      ? { kind: 'shuffler.inventory', batch, count: Number(value) }
      : { kind: 'shuffler.door', open: value === 'OPEN' };
  const decisions: object[] = [];
  if (code === 'INV' && Number(value) === CARDS) {
    countedNs = atNs;
    decisions.push(
      { do: 'noted', part: 'batches', set: { red: { quarantined: false, lastCount: CARDS } } },
      { do: 'noted', part: 'counting', set: { roundsSince: 0, sinceNs: countedNs } },
    );
  } else if (code === 'INV') {
    decisions.push({ do: 'raised', code: 'count.wrong', expected: CARDS, observed: value });
  }
  seq += 1;
  const stamp = { seq, atNs, wallMs: Date.now(), wallTrusted: true };
  const table = { site: 'bench', pit: 'p1', table: 't1', countedNs };
  return {
    seq,
    body: JSON.stringify({ seq, table, decisions, observation: { ...stamp, ...observation } }),
  };
};

const runScript = (port: string, broker: string, file: string): void => {
  const writer = new Worker(fileURLToPath(import.meta.url), { workerData: file });
  const client = connect(broker, { protocolVersion: 5, reconnectPeriod: 0 });
  const waiting: Row[] = [];
  writer.on('message', (durable: number) => {
    const rows = waiting.splice(0, durable - (waiting[0]?.seq ?? 0) + 1);
    for (const { body } of rows) client.publish('bench/event', body, { qos: 1 });
  });
  client.on('connect', () => {
    const serial = new SerialPort({ path: port, baudRate: 9600 });
    let rest = '';
    serial.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      if (lines.length === 0) return;
      const rows = lines.map(decide);
      waiting.push(...rows);
      writer.postMessage(rows);
    });
    serial.on('open', () => client.publish('bench/ready', 'x', { qos: 1 }));
  });
};

if (isMainThread) {
  const [port = '', broker = '', file = ''] = process.argv.slice(2);
  runScript(port, broker, file);
} else if (typeof workerData === 'string') writeRows(workerData);
