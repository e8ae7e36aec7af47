import { existsSync } from 'node:fs';
import { nameAnew } from '../controller/config/name-anew.js';
import { faultOf, JournalFault } from './fault.js';
import { unmarkCopy } from './open-mark.js';
import { dropPart } from './part.js';
import { JournalReader } from './reader.js';
import { verifyChain } from './verify.js';

/**
 * Copies a journal into a new file, also while another process writes it, and checks the copy. The
 * new file appears once all is copied, or not at all.
 * @returns pages copied. @throws JournalFault; a copy of a damaged journal is named and kept: it is
 * evidence
 */
export const backupJournal = async (path: string, to: string): Promise<number> => {
  if (existsSync(to)) {
    throw new JournalFault('asked', `backup: ${to} is there already; name a new file`);
  }
  const part = `${to}.copying`;
  dropPart(part);
  try {
    const pages = await copy(path, part, to);
    const { damage } = await verifyChain(part);
    nameAnew(part, to);
    if (damage === null) return pages;
    throw new JournalFault('corrupt', `copy ${to}: row ${damage.seq}: ${damage.kind}`);
  } catch (cause) {
    throw cause instanceof JournalFault ? cause : faultOf(to, 'copying', cause);
  } finally {
    dropPart(part);
  }
};

const copy = async (path: string, part: string, to: string): Promise<number> => {
  const reader = JournalReader.open(path);
  try {
    const { totalPages } = await reader.db.backup(part);
    unmarkCopy(part);
    return totalPages;
  } catch (cause) {
    throw faultOf(to, 'copying', cause);
  } finally {
    reader.close();
  }
};
