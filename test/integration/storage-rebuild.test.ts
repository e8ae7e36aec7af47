import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Happening } from '../../controller/core/observation.js';
import { SimulatedClock } from '../../controller/core/simulated-clock.js';
import { runCli } from '../../controller/runtime/cli.js';
import { silentLog } from '../../controller/runtime/log-port.js';
import { TableLoop } from '../../controller/runtime/loop.js';
import { loadProcedure } from '../../controller/runtime/procedure-files.js';
import { DeviceKey } from '../../storage/checkpoint.js';
import { openJournal } from '../../storage/journal.js';
import { JournalReader } from '../../storage/reader.js';
import { type DocumentsMessage, checkpointSchema } from '../../surveillance/contract/messages.js';
import { FloorStore } from '../../surveillance/floor/store/floor-store.js';
import type { HeardRow } from '../../surveillance/floor/store/row-store.js';
import { type Missing, skipWhere } from '../support/needs.js';
import { PostgresCluster, whyNoPostgres } from '../support/postgres.js';
import { TABLE } from '../unit/storage/steps.js';
import { freePort } from './mqtt-tools.js';

const SLOW_MS = 180_000;
const SCRIPT = fileURLToPath(new URL('../verifier/verify_journal.py', import.meta.url));
const NAME = 'north/p1/bac-01';
const key = DeviceKey.generate();
const rules = { procedure: loadProcedure('pa/631a-baccarat'), table: TABLE };
let folder = '';
let lost = '';
let keyFile = '';
let out = '';
let err = '';

const HAPPENINGS: readonly Happening[] = [
  { kind: 'press', role: 'dealer', key: 'open-table' },
  { kind: 'press', role: 'dealer', key: 'cards-inspected' },
  { kind: 'shuffler.done', batch: 'red', count: 416, mode: 'shuffle' },
  { kind: 'press', role: 'dealer', key: 'cut', by: 3, depth: 40 },
  { kind: 'press', role: 'dealer', key: 'marker-placed' },
  { kind: 'press', role: 'dealer', key: 'loaded' },
  { kind: 'card.out', lengthMm: 63, speedMmS: 500 },
  { kind: 'press', role: 'dealer', key: 'no-more-bets' },
];

/** One start of the table on a journal, with some happenings; stopped on purpose. */
const play = async (path: string, happenings: number): Promise<void> => {
  const scheduler = new SimulatedClock();
  const journal = await openJournal(path, { writer: 'inline', key });
  const loop = new TableLoop({
    rules,
    journal,
    scheduler,
    log: silentLog,
    perform: () => undefined,
  });
  await loop.start();
  for (let i = 0; i < happenings; i += 1) {
    scheduler.runUntil(scheduler.nowNs() + 700e6);
    const happening = HAPPENINGS[i % HAPPENINGS.length];
    if (happening !== undefined) loop.tell(happening);
    await loop.settled();
  }
  await loop.stop();
  await journal.close();
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rebuild-'));
  lost = join(folder, 'lost.journal');
  keyFile = join(folder, 'signing.pub');
  writeFileSync(keyFile, key.publicKey);
  await play(lost, 60);
  await play(lost, 30);
}, SLOW_MS);
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(() => {
  [out, err] = ['', ''];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

const python = (
  path: string,
  ...more: readonly string[]
): { code: number | null; said: string } => {
  const ran = spawnSync('python3', [SCRIPT, ...more, path, key.publicKey], { encoding: 'utf8' });
  return { code: ran.status, said: ran.stdout + ran.stderr };
};

const withReader = <T>(path: string, work: (reader: JournalReader) => T): T => {
  const reader = JournalReader.open(path);
  try {
    return work(reader);
  } finally {
    reader.close();
  }
};

/** Exported by the command into a file. @returns its path */
const exported = async (name: string, ...flags: readonly string[]): Promise<string> => {
  out = '';
  expect(await runCli(['journal', 'export', lost, ...flags])).toBe(0);
  const file = join(folder, `${name}.jsonl`);
  writeFileSync(file, out);
  return file;
};

const copyOf = (path: string, name: string, statement: string): string => {
  const copy = join(folder, `${name}.journal`);
  cpSync(path, copy);
  const db = new Database(copy);
  for (const table of ['document', 'checkpoint', 'rebuilt']) {
    db.exec(`DROP TRIGGER IF EXISTS ${table}_no_update; DROP TRIGGER IF EXISTS ${table}_no_delete`);
  }
  db.exec(statement);
  db.close();
  return copy;
};

/** Everything that is asked of a journal whose card was lost. */
const isAsGoodAsTheOld = async (path: string): Promise<void> => {
  expect(await runCli(['journal', 'verify', path, '--deep', '--key', keyFile])).toBe(0);
  expect(out).toMatch(/were put back from lines kept elsewhere/);
  expect(await runCli(['journal', 'replay', path])).toBe(0);
  expect(out).toMatch(/every decision the same/);
  const file = `${path}.html`;
  const span = ['--from', '2', '--to', '40', '--out', file];
  expect(await runCli(['evidence', 'export', '--journal', path, ...span])).toBe(0);
  expect(await runCli(['evidence', 'verify', file, '--key', keyFile])).toBe(0);
  expect(python(path, '--deep')).toMatchObject({ code: 0 });
  const rows = (from: string) => withReader(from, (reader) => reader.rows(0, 10_000));
  expect(rows(path)).toEqual(rows(lost));
  expect(withReader(path, (reader) => reader.checkpoints(1, 1000))).toEqual(
    withReader(lost, (reader) => reader.checkpoints(1, 1000)),
  );
};

/** The table starts on it and goes on in the same chain. */
const goesOn = async (path: string): Promise<void> => {
  const before = withReader(path, (reader) => reader.lastSeq());
  await play(path, 10);
  out = '';
  expect(await runCli(['journal', 'verify', path, '--deep', '--key', keyFile])).toBe(0);
  expect(withReader(path, (reader) => reader.lastSeq())).toBeGreaterThan(before + 10);
  expect(python(path, '--deep').code).toBe(0);
  expect(await runCli(['journal', 'replay', path])).toBe(0);
};

describe('a journal rebuilt from a whole export', () => {
  it('is as good as the old one, and the table goes on', async () => {
    const lines = await exported('whole', '--whole');
    const path = join(folder, 'whole.journal');
    expect(await runCli(['journal', 'rebuild', lines, path])).toBe(0);
    await isAsGoodAsTheOld(path);
    await goesOn(path);
  });

  it('is not made of lines that were cut short, or changed', async () => {
    const lines = readFileSync(await exported('bad', '--whole'), 'utf8')
      .trimEnd()
      .split('\n');
    const file = join(folder, 'changed.jsonl');
    const refused = async (changed: readonly string[], why: RegExp): Promise<void> => {
      writeFileSync(file, changed.join('\n'));
      err = '';
      expect(await runCli(['journal', 'rebuild', file, join(folder, 'never.journal')])).toBe(2);
      expect(err).toMatch(why);
    };
    const at = (kind: string): number => lines.findIndex((line) => line.startsWith(`{"${kind}":`));
    const change = (kind: string, from: RegExp, to: string): readonly string[] =>
      lines.with(at(kind), lines[at(kind)]?.replace(from, to) ?? '');
    await refused(lines.slice(0, -4), /speaks of rows up to \d+, and they end at row/);
    await refused(change('document', /"text":"\{/, '"text":"{ '), /its text is not its hash’s/);
    await refused(change('key', /"name":"./, '"name":"x'), /its name is not its hash/);
    await refused(change('checkpoint', /\\"boot\\":1/, '\\"boot\\":2'), /signature is not that/);
    await refused(lines.toSpliced(at('key'), 1), /checkpoint of row 1: its key .* is not there/);
    await refused(change('checkpoint', /"seq":1\b/, '"seq":"1"'), /a field of this line/);
  });
});

describe('a journal whose old rows were let go', () => {
  it('is rebuilt from its whole export, and goes on; not without its saved state', async () => {
    const copy = join(folder, 'pruned-old.journal');
    expect(await runCli(['journal', 'backup', lost, copy])).toBe(0);
    const journal = await openJournal(copy, { writer: 'inline', key });
    journal.moveCursor('ack.historian', journal.head().seq);
    const consumers = ['historian'];
    expect(await journal.retire({ keepNs: 0, consumers, wallMs: 5 })).toBeGreaterThan(0);
    await journal.close();
    out = '';
    expect(await runCli(['journal', 'export', copy, '--whole'])).toBe(0);
    const lines = join(folder, 'pruned.jsonl');
    writeFileSync(lines, out);
    const path = join(folder, 'pruned.journal');
    expect(await runCli(['journal', 'rebuild', lines, path]), err).toBe(0);
    expect(await runCli(['journal', 'verify', path, '--deep', '--key', keyFile])).toBe(0);
    expect(withReader(path, (reader) => reader.firstSeq())).toBeGreaterThan(1);
    await goesOn(path);
    const without = readFileSync(lines, 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('{"state":'));
    writeFileSync(lines, without.join('\n'));
    expect(await runCli(['journal', 'rebuild', lines, join(folder, 'never.journal')])).toBe(2);
    expect(err).toMatch(/no table could go on from it/);
  });
});

describe('a journal rebuilt from rows alone', () => {
  it('says what was not put back, and is called damaged by nobody', async () => {
    const path = join(folder, 'rows.journal');
    expect(await runCli(['journal', 'rebuild', await exported('rows'), path])).toBe(0);
    expect(out).toMatch(/not among the lines: the document [0-9a-f]{64}/);
    expect(await runCli(['journal', 'verify', path])).toBe(0);
    for (const flags of [['--deep'], ['--key', keyFile]]) {
      out = '';
      expect(await runCli(['journal', 'verify', path, ...flags])).toBe(1);
      expect(out).toMatch(/not damaged, but not proved/);
      expect(out).not.toMatch(/damaged at row/);
    }
    expect(python(path, '--deep')).toMatchObject({ code: 1 });
    expect(python(path, '--deep').said).toMatch(/not proved/);
    out = '';
    expect(await runCli(['journal', 'replay', path])).toBe(1);
    expect(out).toMatch(/rows 1 to \d+ cannot be derived again.*nothing is damaged/);
    expect(out).toMatch(/nothing was derived again/);
    const file = join(folder, 'rows.html');
    const span = ['--from', '1', '--to', '40', '--out', file];
    expect(await runCli(['evidence', 'export', '--journal', path, ...span])).toBe(0);
    expect(readFileSync(file, 'utf8')).toMatch(/This journal was rebuilt/);
    out = '';
    expect(await runCli(['evidence', 'verify', file])).toBe(1);
    expect(out).toMatch(/: whole: .*[\s\S]*not damaged, but not proved/);
    // The same rules begin again: their documents are there again, and the device signs the mark.
    await goesOn(path);
  });

  it(
    'hides nothing: what the mark does not name as missing is damage',
    async () => {
      const whole = join(folder, 'hide.journal');
      const lines = await exported('hide', '--whole');
      expect(await runCli(['journal', 'rebuild', lines, whole])).toBe(0);
      await play(whole, 5);
      const damages: readonly (readonly [string, string, RegExp])[] = [
        ['document', "DELETE FROM document WHERE kind = 'table'", /damaged at row 1: document/],
        ['count', 'DELETE FROM checkpoint WHERE seq = 1', /damaged at row \d+: rebuilt/],
        [
          'signature',
          'UPDATE rebuilt SET key = NULL, signature = NULL',
          /damaged at row \d+: rebuilt/,
        ],
        [
          'text',
          "UPDATE rebuilt SET body = replace(body, 'cutcard-rebuilt-1', 'cutcard-rebuilt-2')",
          /damaged at row 1: rebuilt/,
        ],
        [
          'more',
          `UPDATE rebuilt SET body = replace(body, '"checkpoints":', '"checkpoints":1')`,
          /damaged at row \d+: rebuilt/,
        ],
      ];
      for (const [name, statement, what] of damages) {
        const path = copyOf(whole, `hide-${name}`, statement);
        out = '';
        expect(await runCli(['journal', 'verify', path, '--deep', '--key', keyFile])).toBe(1);
        expect(out).toMatch(what);
        expect(python(path, '--deep').said).toMatch(what);
      }
      const plain = copyOf(lost, 'hide-plain', "DELETE FROM document WHERE kind = 'table'");
      expect(await runCli(['journal', 'verify', plain, '--deep'])).toBe(1);
      expect(python(plain, '--deep').said).toMatch(/damaged at row 1: document/);
    },
    SLOW_MS,
  );
});

interface Kind {
  readonly name: string;
  readonly missing: Missing;
  readonly start: () => Promise<string>;
  readonly stop: () => void;
}

const postgresql = (): Kind => {
  let cluster: PostgresCluster | null = null;
  return {
    name: 'PostgreSQL',
    missing: whyNoPostgres(),
    start: async () => {
      cluster = PostgresCluster.start(await freePort());
      return cluster.database();
    },
    stop: () => cluster?.stop(),
  };
};
const sqlite: Kind = {
  name: 'SQLite',
  missing: null,
  start: () => Promise.resolve(join(folder, 'floor.db')),
  stop: () => undefined,
};

/** What the floor heard of the table before its card was lost. */
const heard = async (store: FloorStore, without: readonly number[]): Promise<void> => {
  const reader = JournalReader.open(lost);
  try {
    const rows = reader.rows(0, 10_000).map(
      (row): HeardRow => ({
        ...row,
        ...{ table: NAME, wallMs: Date.UTC(2026, 0, 5), heardMs: Date.now(), isHistorical: false },
      }),
    );
    await store.rows.append(rows.filter(({ seq }) => !without.includes(seq)));
    const documents = reader.documents().map(({ kind, hash, text }) => ({
      kind: kind === 'table' ? ('table' as const) : ('procedure' as const),
      hash,
      text,
    }));
    const message: DocumentsMessage = {
      documents,
      key: { name: key.name, publicKey: key.publicKey },
    };
    await store.proofs.keep(message);
    const place = await store.rows.placeOf(NAME);
    for (const { body, signature } of reader.checkpoints(1, 1000)) {
      const said = checkpointSchema.parse({ ...JSON.parse(body), signature });
      await store.proofs.addCheckpoints([{ place, message: said }]);
    }
  } finally {
    reader.close();
  }
};

describe.each([sqlite, postgresql()])('a journal rebuilt from the floor on $name', (kind) => {
  skipWhere(kind.missing);
  let config = '';
  let store: FloorStore | null = null;

  beforeAll(async () => {
    if (kind.missing !== null) return;
    const place = await kind.start();
    config = join(folder, `${kind.name}.yaml`);
    writeFileSync(config, `broker: { url: "mqtt://127.0.0.1:1883" }\nstore: "${place}"\n`);
    // Left open: the export works beside the service.
    store = await FloorStore.open(place);
    await heard(store, [50]);
  }, SLOW_MS);
  afterAll(async () => {
    await store?.close();
    kind.stop();
  });

  const floor = (...more: readonly string[]): Promise<number> =>
    runCli(['floor', 'export', '--config', config, '--table', NAME, ...more]);

  it('says which rows are missing, and gives those before them', async () => {
    expect(await floor()).toBe(1);
    expect(err).toMatch(/rows from 50 on are not held without a gap.*beyond the gap rows up to/);
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/^\{"seq":49,/);
    expect(await floor('--from', '60', '--to', '70')).toBe(2);
    expect(err).toMatch(/no such rows \(60 to 70\): rows 1 to 49 are held/);
  });

  it('is as good as the old one once all rows are there, and the table goes on', async () => {
    if (store !== null) await heard(store, []);
    const lines = join(folder, `${kind.name}.jsonl`);
    const path = join(folder, `${kind.name}.journal`);
    expect(await floor('--out', lines), err).toBe(0);
    expect(await runCli(['journal', 'rebuild', lines, path])).toBe(0);
    await isAsGoodAsTheOld(path);
    await goesOn(path);
    expect(await floor('--out', lines)).toBe(2);
    expect(err).toMatch(/it is there already/);
  });

  it('names what it does not know', async () => {
    const other = ['floor', 'export', '--config', config, '--table', 'north/p1/nobody'];
    expect(await runCli(other)).toBe(2);
    expect(err).toMatch(/north\/p1\/nobody: the store holds nothing of it; it holds north\/p1/);
  });
});
