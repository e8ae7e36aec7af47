import { existsSync } from 'node:fs';
import { faultOf, JournalFault } from './fault.js';
import { unmarkCopy } from './open-mark.js';
import { JournalReader } from './reader.js';
import { verifyChain } from './verify.js';

/**
 * Copies a journal into a new file, also while another process writes it, and checks the copy.
 * @returns pages copied. @throws JournalFault; a copy that is not whole is named and left
 */
export const backupJournal = async (path: string, to: string): Promise<number> => {
  if (existsSync(to)) {
    throw new JournalFault('asked', `backup: ${to} is there already; name a new file`);
  }
  const pages = await copy(path, to);
  const { damage } = await verifyChain(to);
  if (damage === null) return pages;
  throw new JournalFault('corrupt', `copy ${to}: row ${damage.seq}: ${damage.kind}`);
};

const copy = async (path: string, to: string): Promise<number> => {
  const reader = JournalReader.open(path);
  try {
    const { totalPages } = await reader.db.backup(to);
    unmarkCopy(to);
    return totalPages;
  } catch (cause) {
    throw faultOf(to, 'copying', cause);
  } finally {
    reader.close();
  }
};
