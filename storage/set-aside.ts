import { existsSync, renameSync } from 'node:fs';
import { JournalFault, missingJournal } from './fault.js';
import { takeLock } from './lock.js';

const MAX_NAMES = 1000;

/**
 * Renames a journal and its write-ahead log to `<name>.damaged-N`, by a person's explicit order.
 * Nothing is deleted. @throws JournalFault when a process has it open, or there is none
 */
export const setJournalAside = (
  path: string,
): readonly { readonly from: string; readonly to: string }[] => {
  if (!existsSync(path)) throw missingJournal(path);
  const lock = takeLock(path);
  try {
    for (let n = 1; n <= MAX_NAMES; n += 1) {
      const name = `${path}.damaged-${n}`;
      if (existsSync(name) || existsSync(`${name}-wal`)) continue;
      const pairs = ['', '-wal', '-shm']
        .map((end) => ({ from: path + end, to: name + end }))
        .filter(({ from }) => existsSync(from));
      for (const { from, to } of pairs) renameSync(from, to);
      return pairs;
    }
    throw new JournalFault('order', `journal ${path}: ${MAX_NAMES} were set aside already`);
  } finally {
    lock.close();
  }
};
