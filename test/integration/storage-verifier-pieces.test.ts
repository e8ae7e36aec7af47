import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson, hashText } from '../../storage/canonical.js';
import { DeviceKey } from '../../storage/checkpoint.js';
import { makeEvidence, verifyEvidence } from '../../storage/evidence-file.js';
import { jsonLine } from '../../storage/export.js';
import { openJournal } from '../../storage/journal.js';
import { JournalReader } from '../../storage/reader.js';
import { walkRows } from '../../storage/walk.js';
import { wholeLines } from '../../storage/whole-lines.js';
import { stepsFrom, TABLE } from '../unit/storage/steps.js';

const SCRIPT = fileURLToPath(new URL('../verifier/verify_journal.py', import.meta.url));
const VERSION = '0.1.0';
/** A machine under load takes its time to start Python. */
const SLOW_MS = 120_000;
const key = DeviceKey.generate();
const other = DeviceKey.generate();
const tableText = canonicalJson(TABLE);
let folder: string;
let reader: JournalReader;
let whole: readonly string[];

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const python = (path: string, ...more: readonly string[]) => {
  const ran = spawnSync('python3', [SCRIPT, path, ...more], { encoding: 'utf8' });
  return { code: ran.status, said: ran.stdout + ran.stderr };
};

const lines = (name: string, texts: readonly string[]): string =>
  file(name, `${texts.join('\n')}\n`);

const evidence = (sealed: boolean): string =>
  makeEvidence(reader, {
    wanted: { kind: 'span', from: '120', to: '180' },
    version: VERSION,
    nowMs: Date.UTC(2026, 0, 6),
    ...(sealed ? { key } : {}),
  });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pieces-'));
  const path = join(folder, 'table.journal');
  const journal = await openJournal(path, { writer: 'inline', key, checkpointRows: 50 });
  await journal.putDocument('table', hashText(tableText), tableText);
  const stamp = { seq: 1, atNs: 0, wallMs: Date.UTC(2026, 0, 5), wallTrusted: true };
  const boot = { kind: 'power.boot', unclean: false, boot: 1, table: hashText(tableText) } as const;
  // Numbers and texts that are written otherwise in another language.
  const odd = { ...stamp, version: 'Zoë </script> § — 🂡 \u2028', seq: 1 };
  const steps = stepsFrom(2, 299).map((step) =>
    step.observation.kind === 'card.out'
      ? { ...step, observation: { ...step.observation, speedMmS: 1e21, lengthMm: 1.5e-7 } }
      : step,
  );
  await journal.append([{ observation: { ...odd, ...boot }, decisions: [] }, ...steps]);
  await journal.close();
  reader = JournalReader.open(path);
  whole = [...wholeLines(reader)];
}, SLOW_MS);
afterAll(() => {
  reader.close();
  rmSync(folder, { recursive: true });
});

describe(
  'the second verifier',
  () => {
    it('says what it takes', () => {
      const { code, said } = python('--help');
      expect(code).toBe(0);
      expect(said).toContain('Usage: verify_journal.py [--deep] FILE [PUBLIC_KEY]');
    });

    it('takes a key in every form people have it in, and no other text', () => {
      const path = join(folder, 'table.journal');
      const raw = Buffer.from(key.publicKey, 'base64');
      const pem = file('signing.pub', key.publicPem());
      const body = key.publicPem().split('\n')[1] ?? '';
      const given = [pem, key.publicKey, raw.toString('hex'), body, key.publicPem()];
      for (const one of given) expect(python(path, one), one).toMatchObject({ code: 0 });
      expect(python(path, other.publicPem()).said).toContain('it is signed with another key');
      const secret = file(
        'secret.key',
        '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
      );
      for (const bad of ['nothing', body.slice(1), `${key.publicKey}AA`, secret, path]) {
        const ran = python(path, bad);
        expect(ran, bad).toMatchObject({ code: 2 });
        expect(ran.said).not.toContain('Traceback');
      }
    });

    it('checks lines of a whole journal', () => {
      const path = lines('whole.jsonl', whole);
      const ran = python(path, key.publicKey);
      expect(ran.said).toContain(`last 300:${reader.hashAt(300) ?? ''}`);
      expect(ran).toMatchObject({ code: 0 });
      expect(python(path, other.publicKey).said).toMatch(/checkpoint at row 1: .*another key/);
    });

    it('checks rows alone, and says that nothing proves what is around them', () => {
      const rows = [...walkRows(reader, 60, 90)].map(jsonLine);
      const ran = python(lines('rows.jsonl', rows));
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.said).toMatch(/^rows 60 to 90 whole, 0 signed checkpoints/);
      expect(ran.said).toContain('nothing here says which come before and behind them');
      expect(python(lines('some.jsonl', rows), key.publicKey)).toMatchObject({ code: 1 });
      const events = rows.map((row) => {
        const { seq, prev, hash, step } = JSON.parse(row) as Record<string, object>;
        return JSON.stringify({ hash, seq, prev, historical: true, ...step });
      });
      expect(python(lines('events.jsonl', events)).said).toMatch(/^rows 60 to 90 whole/);
    });

    it('names the line or row where lines were changed, left out or cut off', () => {
      const row = whole.findIndex((line) => line.includes('"seq":120,'));
      const without = whole.filter((_, at) => at !== row);
      expect(python(lines('gone.jsonl', without)).said).toMatch(
        /^damaged: row 120: it is not there/,
      );
      const swapped = whole.map((line, at) =>
        at === row ? line.replace('"seq":120,', '"seq":121,') : line,
      );
      expect(python(lines('named.jsonl', swapped)).said).toMatch(/^damaged: row 12[01]: /);
      const later = whole.map((line, at) =>
        at === row ? line.replace('"wallMs":1', '"wallMs":2') : line,
      );
      expect(python(lines('told.jsonl', later)).said).toContain(
        'row 120: its text does not give its',
      );
      expect(python(lines('short.jsonl', whole.slice(0, -3))).said).toContain('cut short');
      const noText = whole.filter((line) => !line.startsWith('{"document"'));
      expect(python(lines('bare.jsonl', noText)).said).toMatch(
        /^damaged: document [0-9a-f]{64}: row 1/,
      );
      const unsigned = whole.filter((line) => !line.startsWith('{"checkpoint"'));
      const ran = python(lines('unsigned.jsonl', unsigned), key.publicKey);
      expect(ran).toMatchObject({
        code: 1,
        said: 'damaged: checkpoints: none is signed with the key\n',
      });
      for (const bad of [
        '{',
        '[]',
        '{"a":1,"a":1}',
        '{"whole":{}}',
        `{"key":${'['.repeat(99_999)}`,
      ]) {
        const broken = python(lines('bad.jsonl', [...whole.slice(0, 9), bad]));
        expect(broken.code).toBe(1);
        expect(broken.said).toMatch(/^damaged: /);
      }
    });

    it('checks an evidence file, sealed or not', () => {
      const sealed = python(file('sealed.html', evidence(true)), key.publicKey);
      expect(sealed.said).toMatch(/whole, 3 signed checkpoints.*\nsealed by the key [0-9a-f]{64}/);
      expect(sealed).toMatchObject({ code: 0 });
      const open = python(file('open.html', evidence(false)), key.publicKey);
      expect(open.said).toMatch(/^rows 101 to 201 whole[^]*not proved: the report is not sealed/);
      expect(open).toMatchObject({ code: 1 });
      expect(python(join(folder, 'sealed.html'), other.publicKey).said).toContain('another key');
    });

    it('finds any changed byte of an evidence file, as the first verifier does', () => {
      const good = evidence(true);
      for (let n = 1; n <= 24; n += 1) {
        const at = Math.floor((good.length * n) / 25);
        const put = good[at] === '7' ? '8' : '7';
        const bad = good.slice(0, at) + put + good.slice(at + 1);
        expect(verifyEvidence(bad, VERSION, key.publicKey).flaw, `byte ${at}`).not.toBeNull();
        const ran = python(file('bad.html', bad), key.publicKey);
        expect(ran, `byte ${at}: ${ran.said}`).toMatchObject({ code: 1 });
        expect(ran.said).toMatch(/^damaged: /);
      }
    });

    it('calls nothing a piece that is none', () => {
      expect(python(file('page.html', '<p>no data</p>'))).toMatchObject({ code: 1 });
      expect(python(file('rows.csv', 'seq,kind\n1,x\n'))).toMatchObject({ code: 2 });
      expect(python(file('binary.jsonl', '{"a":"\ufffd\u0000"}'))).toMatchObject({ code: 1 });
    });
  },
  SLOW_MS,
);
