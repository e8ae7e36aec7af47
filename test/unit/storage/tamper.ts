import Database from 'better-sqlite3';
import { JournalReader } from '../../../storage/reader.js';

/** What the work gives with a reader of the journal, which is closed again. */
export const readingOf = <T>(path: string, work: (reader: JournalReader) => T): T => {
  const reader = JournalReader.open(path);
  try {
    return work(reader);
  } finally {
    reader.close();
  }
};

/** Changes rows behind the journal's back. */
export const tamperWith = (path: string, sql: string): void => {
  const db = new Database(path);
  db.exec('DROP TRIGGER step_no_update; DROP TRIGGER step_no_delete;');
  db.exec(sql);
  db.close();
};
