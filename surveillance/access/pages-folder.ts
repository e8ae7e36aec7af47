import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Where the built pages lie: `dist/pages` of the nearest folder above this file that has it; null
 * where they were not built.
 */
export const builtPages = (): string | null => {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const pages = join(folder, 'dist', 'pages');
    if (existsSync(pages)) return pages;
    const above = dirname(folder);
    if (above === folder) return null;
    folder = above;
  }
};
