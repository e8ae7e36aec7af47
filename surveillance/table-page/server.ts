import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import rateLimit from '@fastify/rate-limit';
import fastifyStatic from '@fastify/static';
import Fastify, { type FastifyInstance } from 'fastify';
import { isLocalHostHeader, isLoopback, SECURITY_HEADERS } from '../access/headers.js';
import { pageStateOf } from './message.js';
import type { TablePageSource } from './source.js';
import { MAX_WATCHERS, PageStream } from './stream.js';

/** Requests carry no body; connections that dawdle are closed. */
const BODY_BYTES = 1024;
const REQUEST_MS = 5000;
const MAX_CONNECTIONS = 4 * MAX_WATCHERS;
/** Requests of all pages together; a page that is open makes one. */
const REQUESTS_PER_MINUTE = 600;
const MAX_SEQ_DIGITS = 15;

/** The pages; each is the same document, which looks at its own address. */
const PAGES = ['/', '/dealer', '/floor'] as const;

export interface TablePageOptions {
  readonly source: TablePageSource;
  /** Address to listen on; loopback only while there is no login. Default 127.0.0.1. */
  readonly host?: string;
  /** 0: any free one. */
  readonly port: number;
  /** Folder of the built pages; default: `dist/pages` of this package. */
  readonly pages?: string;
}

export interface TablePage {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly port: number;
  watchers(): number;
  /** Safe twice. */
  stop(): Promise<void>;
}

/** The page cannot be served; the message says why and what to do. */
export class TablePageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TablePageError';
  }
}

const builtPages = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) {
    folder = dirname(folder);
  }
  return join(folder, 'dist', 'pages');
};

/** A row number as a page gives it back; null where there is none or it is none of ours. */
const seqOf = (text: unknown): number | null => {
  if (typeof text !== 'string' || text.length > MAX_SEQ_DIGITS) return null;
  return /^\d+$/.test(text) ? Number(text) : null;
};

const addApi = (app: FastifyInstance, source: TablePageSource, stream: PageStream): void => {
  app.get('/api/table', (_request, reply) => {
    void reply.header('cache-control', 'no-store').send(pageStateOf(source, null));
  });
  app.get('/health', (_request, reply) => {
    const { seq, findings } = source.view();
    const ok = !findings.some(({ code }) => code === 'journal.fault');
    const body = { ok, seq, watchers: stream.watchers };
    if (!ok) void reply.code(503);
    void reply.header('cache-control', 'no-store').send(body);
  });
  app.get<{ Querystring: { after?: unknown } }>('/api/stream', (request, reply) => {
    if (stream.watchers >= MAX_WATCHERS) {
      void reply
        .code(503)
        .header('retry-after', '10')
        .send({ error: `${MAX_WATCHERS} pages already watch this table. Close one.` });
      return;
    }
    reply.hijack();
    // A browser that comes back by itself sends the header; a page that opens anew, `?after=`.
    stream.add(reply.raw, seqOf(request.headers['last-event-id']) ?? seqOf(request.query.after));
  });
};

const addPages = async (app: FastifyInstance, folder: string): Promise<void> => {
  if (!existsSync(join(folder, 'index.html'))) {
    for (const page of PAGES) {
      app.get(page, (_request, reply) => {
        const text = 'The pages of this table are not built. Run `npm run build`, then reload.\n';
        void reply.code(503).type('text/plain; charset=utf-8').send(text);
      });
    }
    return;
  }
  await app.register(fastifyStatic, {
    root: folder,
    index: false,
    wildcard: false,
    setHeaders: (response, path) => {
      // Vite names the files under assets/ by their content.
      const isNamedByContent = path.includes(join('/', 'assets', '/'));
      response.setHeader(
        'cache-control',
        isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
  for (const page of PAGES) app.get(page, (_request, reply) => reply.sendFile('index.html'));
};

/** Only reading, and only for a browser that means this machine. */
const addGuards = (app: FastifyInstance): void => {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(SECURITY_HEADERS);
    if (!isLocalHostHeader(request.headers.host)) {
      await reply.code(421).send({ error: 'This page answers to its own address only.' });
    } else if (request.method !== 'GET') {
      await reply.code(405).header('allow', 'GET').send({ error: 'This page only shows.' });
    }
  });
  app.setNotFoundHandler((_request, reply) => {
    void reply.code(404).send({ error: `There is nothing here. The pages: ${PAGES.join(' ')}` });
  });
};

const whyNot = (cause: unknown, host: string, port: number): string => {
  const code = cause instanceof Error && 'code' in cause ? cause.code : '';
  if (code === 'EADDRINUSE') {
    return `${host}:${port} is taken by another program. Choose another port, or 0 for any.`;
  }
  if (code === 'EACCES') return `${host}:${port} needs more rights. Choose a port above 1023.`;
  return `${host}:${port}: ${cause instanceof Error ? cause.message : String(cause)}`;
};

/**
 * Serves a table's pages: `/` (everything), `/dealer`, `/floor`, with `/api/table` (JSON),
 * `/api/stream` (server-sent events that resume by Last-Event-ID) and `/health`.
 * @throws TablePageError where it may not or cannot listen.
 */
export const startTablePage = async (options: TablePageOptions): Promise<TablePage> => {
  const { source, port, host = '127.0.0.1' } = options;
  if (!isLoopback(host)) {
    throw new TablePageError(
      `The table's page has no login yet, so it listens on loopback only, not on ${host}. ` +
        'Use 127.0.0.1, and a tunnel from the machine that is to see it.',
    );
  }
  const stream = new PageStream(source);
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES,
    requestTimeout: REQUEST_MS,
    connectionTimeout: 0,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  addGuards(app);
  await app.register(rateLimit, { max: REQUESTS_PER_MINUTE, timeWindow: 60_000, cache: 64 });
  addApi(app, source, stream);
  await addPages(app, options.pages ?? builtPages());
  try {
    await app.listen({ host, port });
  } catch (cause) {
    await app.close();
    throw new TablePageError(whyNot(cause, host, port), { cause });
  }
  stream.start();
  const address = app.server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  let stopped: Promise<void> | null = null;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    port: taken,
    watchers: () => stream.watchers,
    stop: () => {
      stream.stop();
      stopped ??= app.close();
      return stopped;
    },
  };
};
