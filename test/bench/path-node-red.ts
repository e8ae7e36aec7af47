import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CARDS } from './path-lines.js';

/** Node-RED 5 takes a newer Node; these are the newest that run beside the table. */
const PEERS = [
  'node-red@4.1.8',
  'node-red-node-serialport@2.0.3',
  'node-red-node-sqlite@1.1.1',
] as const;
/** Building sqlite3 takes minutes on a small machine. */
const INSTALL_MS = 900_000;

/** The peer in a folder of the user's cache, installed once; not a dependency of the package. */
export const installNodeRed = async (): Promise<string> => {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 'cutcard-bench', 'node-red-4.1.8');
  const done = join(folder, 'installed');
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "peers", "private": true }\n');
  process.stderr.write(`bench: installing Node-RED into ${folder}, once; takes minutes\n`);
  await promisify(execFile)(
    'npm',
    ['install', '--save-exact', '--no-audit', '--no-fund', ...PEERS],
    { cwd: folder, timeout: INSTALL_MS, maxBuffer: 16 * 1024 * 1024 },
  );
  writeFileSync(done, `${PEERS.join('\n')}\n`);
  return folder;
};

/** The same rule and the same row as the bare script's, in a function node. */
const RULE = `
const [code, value, batch] = msg.payload.trim().split(' ');
const atNs = Date.now() * 1e6;
const observation = code === 'INV'
  ? { kind: 'shuffler.inventory', batch, count: Number(value) }
  : { kind: 'shuffler.door', open: value === 'OPEN' };
const decisions = [];
if (code === 'INV' && Number(value) === ${CARDS}) {
  context.set('countedNs', atNs);
  decisions.push(
    { do: 'noted', part: 'batches', set: { red: { quarantined: false, lastCount: ${CARDS} } } },
    { do: 'noted', part: 'counting', set: { roundsSince: 0, sinceNs: atNs } });
} else if (code === 'INV') {
  decisions.push({ do: 'raised', code: 'count.wrong', expected: ${CARDS}, observed: value });
}
const seq = (context.get('seq') || 0) + 1;
context.set('seq', seq);
const stamp = { seq, atNs, wallMs: Date.now(), wallTrusted: true };
const table = { site: 'bench', pit: 'p1', table: 't1', countedNs: context.get('countedNs') || 0 };
const body = JSON.stringify(
  { seq, table, decisions, observation: Object.assign({}, stamp, observation) });
return { body, params: { $seq: seq, $body: body }, topic: '' };
`;

const CREATE = 'CREATE TABLE IF NOT EXISTS ev (seq INTEGER PRIMARY KEY, body TEXT);';
const TUNED = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;';

interface FlowParts {
  readonly serial: string;
  readonly brokerPort: number;
  readonly database: string;
  readonly tuned: boolean;
  /** Its own page: not used, but it wants a port. */
  readonly uiPort: number;
}

/** serial in -> rule -> insert -> row again -> mqtt out; once: make the table, then say ready. */
const flow = ({ serial, brokerPort, database, tuned }: FlowParts): readonly object[] => {
  const at = { z: 'tab', x: 0, y: 0 };
  const mqtt = { broker: 'broker', qos: '1', retain: 'false', wires: [] };
  const func = (id: string, text: string, to: string): object => ({
    ...at,
    id,
    type: 'function',
    func: text,
    outputs: 1,
    libs: [],
    wires: [[to]],
  });
  return [
    { id: 'tab', type: 'tab', label: 'table' },
    {
      id: 'port',
      type: 'serial-port',
      serialport: serial,
      serialbaud: '9600',
      databits: '8',
      parity: 'none',
      stopbits: '1',
      newline: '\\n',
      bin: 'false',
      out: 'char',
      addchar: '',
    },
    { id: 'db', type: 'sqlitedb', db: database, mode: 'RWC' },
    {
      id: 'broker',
      type: 'mqtt-broker',
      broker: '127.0.0.1',
      port: `${brokerPort}`,
      clientid: 'node-red',
      autoConnect: true,
      protocolVersion: '5',
      keepalive: '60',
      cleansession: true,
    },
    { ...at, id: 'in', type: 'serial in', serial: 'port', wires: [['rule']] },
    func('rule', RULE, 'insert'),
    {
      ...at,
      id: 'insert',
      type: 'sqlite',
      mydb: 'db',
      sqlquery: 'prepared',
      sql: 'INSERT INTO ev (seq, body) VALUES ($seq, $body)',
      wires: [['again']],
    },
    func('again', 'return { payload: msg.body };', 'out'),
    { ...at, ...mqtt, id: 'out', type: 'mqtt out', topic: 'bench/event' },
    {
      ...at,
      id: 'once',
      type: 'inject',
      once: true,
      onceDelay: 1,
      repeat: '',
      topic: `${tuned ? TUNED : ''}${CREATE}`,
      payload: '',
      payloadType: 'str',
      props: [{ p: 'payload' }, { p: 'topic', vt: 'str' }],
      wires: [['create']],
    },
    { ...at, id: 'create', type: 'sqlite', mydb: 'db', sqlquery: 'batch', wires: [['say']] },
    func('say', "return { payload: 'x' };", 'ready'),
    { ...at, ...mqtt, id: 'ready', type: 'mqtt out', topic: 'bench/ready' },
  ];
};

/** Writes a user folder and gives what to run. */
export const nodeRedArgs = (peers: string, folder: string, parts: FlowParts): readonly string[] => {
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(peers, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "name": "flows", "private": true }\n');
  writeFileSync(join(folder, 'flows.json'), JSON.stringify(flow(parts)));
  writeFileSync(
    join(folder, 'settings.js'),
    `module.exports = ${JSON.stringify({
      uiHost: '127.0.0.1',
      uiPort: parts.uiPort,
      flowFile: 'flows.json',
      telemetry: { enabled: false },
      httpAdminRoot: false,
      editorTheme: { tours: false },
      logging: { console: { level: 'warn', metrics: false, audit: false } },
    })};\n`,
  );
  const program = join(peers, 'node_modules', 'node-red', 'red.js');
  return [program, '--userDir', folder, '--settings', join(folder, 'settings.js')];
};
