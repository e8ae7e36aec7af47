import { JournalFault } from './fault.js';
import { unmarkCopy } from './open-mark.js';
import { madeAnew } from './part.js';
import { JournalReader } from './reader.js';
import { verifyChain } from './verify.js';

/**
 * Copies a journal into a new file, also while another process writes it, and checks the copy. The
 * new file appears once all is copied, or not at all.
 * @returns pages copied. @throws JournalFault; a copy of a damaged journal is named and kept: it is
 * evidence
 */
export const backupJournal = async (path: string, to: string): Promise<number> => {
  const making = { command: 'backup', doing: 'copying' };
  const { pages, damage } = await madeAnew(to, making, async (part) => ({
    pages: await copy(path, part),
    damage: (await verifyChain(part)).damage,
  }));
  if (damage === null) return pages;
  throw new JournalFault('corrupt', `copy ${to}: row ${damage.seq}: ${damage.kind}`);
};

const copy = async (path: string, part: string): Promise<number> => {
  const reader = JournalReader.open(path);
  try {
    const { totalPages } = await reader.db.backup(part);
    unmarkCopy(part);
    return totalPages;
  } finally {
    reader.close();
  }
};
