import { existsSync, rmSync } from 'node:fs';
import { nameAnew } from '../controller/config/name-anew.js';
import { faultOf, JournalFault } from './fault.js';

const SIDE_FILES = ['', '-wal', '-shm', '.lock'];

const dropPart = (part: string): void => {
  for (const end of SIDE_FILES) rmSync(part + end, { force: true });
};

/** How a new journal is made, as it is called in names and messages. */
export interface Making {
  /** `backup` */
  readonly command: string;
  /** `copying`: also the ending of its name while it is made. */
  readonly doing: string;
}

/**
 * Makes a journal under another name; it gets its own once the work is done, or never appears.
 * @throws JournalFault where the name is taken, and what the work threw as one
 */
export const madeAnew = async <T>(
  to: string,
  { command, doing }: Making,
  work: (part: string) => Promise<T>,
): Promise<T> => {
  if (existsSync(to)) {
    throw new JournalFault('asked', `${command}: ${to} is there already; name a new file`);
  }
  const part = `${to}.${doing}`;
  dropPart(part);
  try {
    const made = await work(part);
    nameAnew(part, to);
    return made;
  } catch (cause) {
    throw faultOf(to, doing, cause);
  } finally {
    dropPart(part);
  }
};
