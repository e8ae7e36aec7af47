import { existsSync, readFileSync } from 'node:fs';

const LEVELS_MAX = 5;

/** The program's version as its package says. `0.0.0` when it runs outside of its package. */
export const programVersion = (): string => {
  let folder = new URL('.', import.meta.url);
  for (let i = 0; i < LEVELS_MAX; i += 1) {
    const file = new URL('package.json', folder);
    if (existsSync(file)) {
      const about: unknown = JSON.parse(readFileSync(file, 'utf8'));
      if (typeof about === 'object' && about !== null && 'version' in about) {
        return String(about.version);
      }
    }
    folder = new URL('..', folder);
  }
  return '0.0.0';
};
