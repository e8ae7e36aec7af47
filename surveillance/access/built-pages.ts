import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/**
 * Where the built pages lie: `dist/pages` of the nearest folder above this file that has it; null
 * where they were not built.
 */
const builtFolder = (): string | null => {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const pages = join(folder, 'dist', 'pages');
    if (existsSync(pages)) return pages;
    const above = dirname(folder);
    if (above === folder) return null;
    folder = above;
  }
};

export interface BuiltPages {
  /** Folder of the built pages; left out: that of this program. */
  readonly folder: string | undefined;
  /** The document, and the addresses that show it. */
  readonly document: string;
  readonly at: readonly string[];
  /** Whose pages they are, for the answer where they were not built. */
  readonly whose: string;
}

/** Serves built pages: the document at its addresses, everything else by its name. */
export const addBuiltPages = async (
  app: FastifyInstance,
  { folder = builtFolder() ?? undefined, document, at, whose }: BuiltPages,
): Promise<void> => {
  if (folder === undefined || !existsSync(join(folder, document))) {
    for (const page of at) {
      app.get(page, (_request, reply) => {
        const text = `The pages of ${whose} are not built. Run \`npm run build\`, then reload.\n`;
        void reply.code(503).type('text/plain; charset=utf-8').send(text);
      });
    }
    return;
  }
  await app.register(fastifyStatic, {
    root: folder,
    index: false,
    dotfiles: 'ignore',
    // By what lies there now: an update puts others in place before the service is restarted.
    wildcard: true,
    setHeaders: (response, path) => {
      // Vite names the files under assets/ by their content.
      const isNamedByContent = path.includes(join('/', 'assets', '/'));
      response.setHeader(
        'cache-control',
        isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
  for (const url of at) {
    // Whoever only asks whether the page is there, too.
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: (_request, reply) => reply.sendFile(document),
    });
  }
};
