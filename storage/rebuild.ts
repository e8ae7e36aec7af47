import { createReadStream, existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { fileWords, otherKind } from '../controller/config/given-file.js';
import { checkJournal } from './check.js';
import { JournalFault } from './fault.js';
import { putMarks } from './rebuilt.js';
import { madeAnew } from './part.js';
import { MAX_LINE, type RebuiltJournal, RowsBack } from './rows-back.js';

/** The lines of a file; memory stays constant, however long it or a line of it is. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let pending = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const pieces = `${pending}${String(chunk)}`.split('\n');
    pending = pieces.pop() ?? '';
    yield* pieces;
    if (pending.length > MAX_LINE) break;
  }
  if (pending !== '') yield pending;
}

/** Rows, documents, keys, checkpoints and states into a new file, each proved before it goes in. */
const fill = async (part: string, file: string, nowMs: number): Promise<RebuiltJournal> => {
  const back = new RowsBack(part);
  try {
    let number = 0;
    for await (const line of linesOf(file)) {
      number += 1;
      if (line.trim() !== '') back.take(line, `${file}:${number}`);
    }
    back.end(file);
  } finally {
    back.close();
  }
  const db = new Database(part, { fileMustExist: true });
  try {
    db.transaction(() => {
      const sql = 'INSERT INTO pruned (seq, prev, consumer, wall_ms) VALUES (?, ?, ?, ?)';
      for (const { seq, prev, consumer, wallMs } of back.prunings) {
        db.prepare(sql).run(seq, Buffer.from(prev, 'hex'), consumer, wallMs);
      }
      putMarks(db, [...back.marks, back.mark(nowMs)]);
    }).immediate();
  } finally {
    db.close();
  }
  return back.told();
};

/** @throws JournalFault `asked` where there is no such file to read. */
const demandLines = (file: string): void => {
  let kind: string | null;
  try {
    kind = otherKind(file);
  } catch (cause) {
    const what = `rebuild: ${file} cannot be read: ${fileWords(cause)}; look at the path`;
    throw new JournalFault('asked', what, cause);
  }
  if (kind !== null) {
    throw new JournalFault('asked', `rebuild: ${file} is ${kind}, and takes a file of lines`);
  }
  if (existsSync(file)) return;
  throw new JournalFault(
    'asked',
    `rebuild: there is no file ${file}; name one that \`cutcard journal export --whole\` or ` +
      '`cutcard floor export` wrote',
  );
};

/**
 * Makes a journal anew from lines that were kept elsewhere (`journal export`, `floor export`, MQTT
 * events): each row is proved against the one before, each document against its hash, each key
 * against its name, each checkpoint against key and row. The new file appears whole or not at all,
 * and says of itself that it was rebuilt and which documents and checkpoints were not there.
 * @throws JournalFault naming file and line
 */
export const rebuildJournal = async (
  file: string,
  to: string,
  nowMs: number = Date.now(),
): Promise<RebuiltJournal> => {
  demandLines(file);
  return madeAnew(to, { command: 'rebuild', doing: 'rebuilding' }, async (part) => {
    const told = await fill(part, file, nowMs);
    const { damage } = await checkJournal(part, { deep: true, threads: 1 });
    if (damage !== null) {
      const what = `${file}: what comes of it is damaged at row ${damage.seq}: ${damage.what}`;
      throw new JournalFault('corrupt', what);
    }
    return told;
  });
};
