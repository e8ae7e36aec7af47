import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournal } from '../../../storage/journal.js';
import { readAhead } from '../../../storage/read-ahead.js';
import type { JournalReader } from '../../../storage/reader.js';
import { isSound, ROWS_AT_A_TIME, type Texts, type Unsound } from '../../../storage/texts.js';
import { walkRows } from '../../../storage/walk.js';
import { stepsFrom } from './steps.js';
import { readingOf, tamperWith } from './tamper.js';

const ROWS = 7300;
/** A thread starts quickly, but not on a machine that does much else. */
const SLOW_MS = 60_000;
let folder: string;
let path: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'texts-'));
  path = join(folder, 'table.journal');
  const journal = await openJournal(path, { writer: 'inline' });
  await journal.append(stepsFrom(1, ROWS));
  await journal.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

const reading = <T>(work: (reader: JournalReader) => T): T => readingOf(path, work);
const tamper = (sql: string): void => tamperWith(path, sql);
type Row = readonly [number, string];
const rowsIn = ({ fromSeq, bytes, ends }: Texts): readonly Row[] =>
  [...ends].map((end, i) => [
    fromSeq + i,
    Buffer.from(bytes.subarray(i === 0 ? 0 : ends[i - 1], end)).toString(),
  ]);
const rowsOf = (fromSeq: number, toSeq: number = ROWS): readonly Row[] =>
  reading((reader) => [...walkRows(reader, fromSeq, toSeq)].map(({ seq, body }) => [seq, body]));

describe.each([
  ['this thread', Number.MAX_SAFE_INTEGER],
  ['a thread of their own', 0],
])('texts read in %s', (_, threadFrom) => {
  const pieces = (fromSeq: number): readonly (Texts | Unsound)[] =>
    reading((reader) => [...readAhead(reader, fromSeq, ROWS, threadFrom)]);

  it.each([1, 2, 1300, ROWS, ROWS + 1])(
    'are those of the rows, from row %i',
    (fromSeq) => {
      const all = pieces(fromSeq);
      expect(all.every(isSound)).toBe(true);
      expect(all.filter(isSound).flatMap(rowsIn)).toEqual(rowsOf(fromSeq));
    },
    SLOW_MS,
  );

  it(
    'leave the rows around one that is missing to be read one by one',
    () => {
      tamper('DELETE FROM step WHERE seq = 1700');
      const all = pieces(1);
      const unsound = all.filter((piece) => !isSound(piece));
      expect(unsound).toEqual([{ fromSeq: ROWS_AT_A_TIME + 1, toSeq: 2 * ROWS_AT_A_TIME }]);
      expect(all.filter(isSound).flatMap(rowsIn)).toHaveLength(ROWS - ROWS_AT_A_TIME);
    },
    SLOW_MS,
  );

  it(
    'name a row whose words are not there, after all before it',
    () => {
      tamper(`UPDATE step SET body = x'1f7f' WHERE seq = 6200`);
      const taken: Row[] = [];
      const takeAll = (): void =>
        reading((reader) => {
          for (const piece of readAhead(reader, 1, ROWS, threadFrom)) {
            if (isSound(piece)) taken.push(...rowsIn(piece));
          }
        });
      expect(takeAll).toThrow(/6200/);
      expect(taken).toEqual(rowsOf(1, 6 * ROWS_AT_A_TIME));
    },
    SLOW_MS,
  );

  it(
    'may be left in the middle',
    () => {
      const first = reading((reader) => {
        for (const piece of readAhead(reader, 1, ROWS, threadFrom)) return piece;
        return null;
      });
      expect(first).toMatchObject({ fromSeq: 1, toSeq: ROWS_AT_A_TIME });
    },
    SLOW_MS,
  );
});
