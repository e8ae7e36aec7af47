import { rmSync } from 'node:fs';

const SIDE_FILES = ['', '-wal', '-shm', '.lock'];

/** Removes a journal that was being made under another name, and what lies beside it. */
export const dropPart = (part: string): void => {
  for (const end of SIDE_FILES) rmSync(part + end, { force: true });
};
