import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BlockCheck } from '../../../storage/block.js';
import { NO_HASH } from '../../../storage/canonical.js';
import { openJournal } from '../../../storage/journal.js';
import type { JournalReader } from '../../../storage/reader.js';
import { stepAt, stepsFrom } from './steps.js';
import { readingOf, tamperWith } from './tamper.js';

const ROWS = 2300;
const START = { prev: NO_HASH, seq: 0, atNs: 0 };
/** Above 2^53 SQLite prints all digits and JavaScript does not. */
const LATE_NS = 2 ** 53 + 4096;
let folder: string;
let path: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'block-'));
  path = join(folder, 'table.journal');
  const journal = await openJournal(path, { writer: 'inline' });
  await journal.append(stepsFrom(1, ROWS - 1));
  const { observation, decisions } = stepAt(ROWS);
  await journal.append([{ observation: { ...observation, atNs: LATE_NS }, decisions }]);
  await journal.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

const reading = <T>(work: (reader: JournalReader) => T): T => readingOf(path, work);
const checked = (toSeq: number, isDeep: boolean) =>
  reading((reader) => new BlockCheck(reader.db, reader.hasher, isDeep).after(START, toSeq));
const tamper = (sql: string): void => tamperWith(path, sql);

describe('a block of rows', () => {
  it.each([false, true])('is sound up to its last row (deep: %s)', (isDeep) => {
    const hash = reading((reader) => reader.hashAt(ROWS));
    expect(checked(ROWS, isDeep)).toEqual({ prev: hash, seq: ROWS, atNs: LATE_NS });
  });

  it.each([
    ['a text was changed', `SET body = CAST(body || ' ' AS BLOB) WHERE seq = 900`],
    ['a hash was changed', 'SET hash = randomblob(32) WHERE seq = 900'],
    ['the hash of the last was changed', `SET hash = randomblob(32) WHERE seq = ${ROWS}`],
    ['a time was changed', 'SET wall_ms = wall_ms + 1 WHERE seq = 900'],
    ['a word is not there', `SET body = x'1f7f' WHERE seq = 900`],
    [
      'two rows changed places',
      'SET seq = CASE seq WHEN 9 THEN -10 ELSE -9 END WHERE seq IN (9,10)',
    ],
  ])('needs a closer look where %s', (_, set) => {
    tamper(`UPDATE step ${set}; UPDATE step SET seq = -seq WHERE seq < 0`);
    expect(checked(ROWS, false)).toBeNull();
    expect(checked(8, false)?.seq).toBe(8);
  });

  it('needs one where a row is missing, and behind the end', () => {
    expect(checked(ROWS + 1, false)).toBeNull();
    tamper('DELETE FROM step WHERE seq = 900');
    expect(checked(ROWS, false)).toBeNull();
  });

  it('needs one where the chain is whole and its columns say another time than its text', () => {
    const body = reading((reader) => reader.rows(76, 1)[0]?.body ?? '');
    const hex = Buffer.from(body).toString('hex');
    tamper(`UPDATE step SET body = x'${hex}', wall_ms = wall_ms + 1 WHERE seq = 77`);
    expect(checked(ROWS, false)?.seq).toBe(ROWS);
    expect(checked(ROWS, true)).toBeNull();
  });
});
