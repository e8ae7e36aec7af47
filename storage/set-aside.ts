import { existsSync, renameSync } from 'node:fs';
import { checkJournal } from './check.js';
import { faultOf, JournalFault, missingJournal } from './fault.js';
import { takeLock } from './lock.js';
import { hasLog } from './open-mark.js';
import { otherKind } from '../controller/config/given-file.js';

const MAX_NAMES = 1000;
/**
 * The journal itself last: killed in between, it is still there and says that its log is gone, and
 * setting aside again brings it to its log. The other way round a start would begin a new journal
 * beside the old log, and read that into it.
 */
const PARTS = ['-wal', '-shm', ''] as const;

const lockOf = (path: string): ReturnType<typeof takeLock> => {
  try {
    return takeLock(path);
  } catch (cause) {
    throw faultOf(path, 'setting it aside', cause);
  }
};

/** A device or a pipe is never renamed, whatever its name. @throws JournalFault */
const demandJournal = (path: string): void => {
  if (!existsSync(path)) throw missingJournal(path);
  const kind = otherKind(path);
  if (kind !== null) throw new JournalFault('format', `${path} is ${kind}, not a journal`);
};

/**
 * Whether a check finds nothing wrong with a journal. One that cannot be read at all is not sound.
 * @throws JournalFault where there is none, or another process has it
 */
export const isSound = async (path: string): Promise<boolean> => {
  demandJournal(path);
  try {
    return (await checkJournal(path)).damage === null;
  } catch (cause) {
    if (cause instanceof JournalFault && cause.code !== 'locked') return false;
    throw cause;
  }
};

/**
 * Renames a journal and its write-ahead log to `<name>.damaged-N`, by a person's explicit order.
 * Nothing is deleted. @throws JournalFault when a process has it open, or there is none
 */
export const setJournalAside = (
  path: string,
): readonly { readonly from: string; readonly to: string }[] => {
  demandJournal(path);
  const lock = lockOf(path);
  try {
    for (let n = 1; n <= MAX_NAMES; n += 1) {
      const name = `${path}.damaged-${n}`;
      if (existsSync(name) || (existsSync(`${name}-wal`) && hasLog(path))) continue;
      const pairs = PARTS.map((end) => ({ from: path + end, to: name + end })).filter(
        ({ from, to }) => existsSync(from) && !existsSync(to),
      );
      for (const { from, to } of pairs) renameSync(from, to);
      return pairs;
    }
    throw new JournalFault(
      'asked',
      `journal ${path}: ${MAX_NAMES} were set aside already; move some of them away`,
    );
  } catch (cause) {
    throw faultOf(path, 'setting it aside', cause);
  } finally {
    lock.close();
  }
};
