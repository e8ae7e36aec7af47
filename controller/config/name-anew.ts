import { closeSync, linkSync, openSync, renameSync, unlinkSync } from 'node:fs';

/** What a file system says that knows no second name for a file, such as that of a USB stick. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Gives a finished file its name; takes nothing away that came to be there meanwhile.
 * @throws the system's error; `EEXIST` where the name is taken
 */
export const nameAnew = (part: string, file: string): void => {
  try {
    linkSync(part, file);
    unlinkSync(part);
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause) || !NO_LINKS.has(cause.code)) throw cause;
    closeSync(openSync(file, 'wx'));
    renameSync(part, file);
  }
};
