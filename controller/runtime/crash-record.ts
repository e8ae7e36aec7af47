import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CrashRecord } from './loop.js';

/**
 * Keeps a broken invariant beside the journal, durable before the process ends: file
 * `crash-<row>.json`, one JSON object. An older record of the same row is kept as it is.
 * @returns the file, or null when it could not be written.
 */
export const writeCrashRecord = (folder: string, record: CrashRecord): string | null => {
  const file = join(folder, `crash-${record.seq}.json`);
  try {
    const fd = openSync(file, 'wx', 0o640);
    writeFileSync(fd, `${JSON.stringify({ ...record, at: new Date().toISOString() }, null, 2)}\n`);
    fsyncSync(fd);
    closeSync(fd);
    return file;
  } catch {
    return null;
  }
};
