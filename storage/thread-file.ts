import { fileURLToPath } from 'node:url';

/** Rows from which a second thread is worth its start. */
export const PARALLEL_ROWS = 200_000;

/** The compiled file of a thread: beside this file, in dist where this file runs as TypeScript. */
export const threadFile = (name: string): string => {
  const here = import.meta.url;
  const folder = here.endsWith('.ts') ? '../dist/storage/' : './';
  return fileURLToPath(new URL(`${folder}${name}.js`, here));
};
