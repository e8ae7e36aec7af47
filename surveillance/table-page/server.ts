import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ListenError, listenFault, type TlsFiles } from '../access/listen.js';
import { addBuiltPages } from '../access/built-pages.js';
import { type Access, type AccessOptions, registerAccess } from '../access/plugin.js';
import { anybodyHere } from '../access/roles.js';
import { type Listening, listenAt, newWebApp } from '../access/web-app.js';
import { pageStateOf } from './message.js';
import { addPress, type PressPort } from './press.js';
import type { TablePageSource } from './source.js';
import { MAX_WATCHERS, PageStream } from './stream.js';
import type { TechSource } from './technician.js';

/** A press or a login is short; connections that dawdle are closed. */
const BODY_BYTES = 1024;
const REQUEST_MS = 5000;
const MAX_CONNECTIONS = 4 * MAX_WATCHERS;
/** Requests of all pages together; a page that is open makes one. */
const REQUESTS_PER_MINUTE = 600;
const MAX_SEQ_DIGITS = 15;

/** The pages; each is the same document, which looks at its own address. */
const PAGES = ['/', '/dealer', '/floor', '/technician'] as const;

/** What the floor's page says it is when it listens. */
const FLOOR = 'floor';

/** Who may open the pages, and how they come in. */
export type TablePageAccess = Pick<
  AccessOptions,
  'users' | 'anybody' | 'audit' | 'proxy' | 'limits' | 'nowMs'
> & { readonly tls: TlsFiles | null };

export interface TablePageOptions {
  readonly source: TablePageSource;
  /** Left out: whoever is at this machine may look, and press nothing. */
  readonly access?: TablePageAccess;
  /** Where presses go; left out: nobody may press. */
  readonly press?: PressPort | null;
  /** The inside of the table; left out: the technician's page is empty. */
  readonly technician?: TechSource | null;
  /** Address to listen on; loopback only while there is no login. Default 127.0.0.1. */
  readonly host?: string;
  /** 0: any free one. */
  readonly port: number;
  /** Folder of the built pages; default: `dist/pages` of this package. */
  readonly pages?: string;
}

export interface TablePage extends Listening {
  watchers(): number;
  /** How many have the floor's page open. */
  floorWatchers(): number;
}

/** A row number as a page gives it back; null where there is none or it is none of ours. */
const seqOf = (text: unknown): number | null => {
  if (typeof text !== 'string' || text.length > MAX_SEQ_DIGITS) return null;
  return /^\d+$/.test(text) ? Number(text) : null;
};

const NO_STORE = { 'cache-control': 'no-store' } as const;

const addApi = (
  app: FastifyInstance,
  access: Access,
  { source, technician }: TablePageOptions,
  stream: PageStream,
): void => {
  const looker = { preHandler: access.requireRole('viewer') };
  app.get('/api/table', looker, (_request, reply) => {
    void reply.headers(NO_STORE).send(pageStateOf(source, null));
  });
  // Read by programs that watch the box: no login, and nothing of the game.
  app.get('/health', (_request, reply) => {
    const { seq, findings } = source.view();
    const ok = !findings.some(({ code }) => code === 'journal.fault');
    const body = { ok, seq, watchers: stream.watchers };
    if (!ok) void reply.code(503);
    void reply.headers(NO_STORE).send(body);
  });
  app.get<{ Querystring: { after?: unknown; page?: unknown } }>(
    '/api/stream',
    looker,
    (request, reply) => {
      if (stream.watchers >= MAX_WATCHERS) {
        void reply
          .code(503)
          .header('retry-after', '10')
          .send({ error: `${MAX_WATCHERS} pages already watch this table. Close one.` });
        return;
      }
      reply.hijack();
      // A browser that comes back by itself sends the header; a page that opens anew, `?after=`.
      const after = seqOf(request.headers['last-event-id']) ?? seqOf(request.query.after);
      const page = request.query.page === FLOOR ? FLOOR : '';
      stream.add(reply.raw, after, () => access.stillIn(request), page);
    },
  );
  const inside = { preHandler: access.requireRole('technician') };
  app.get('/api/technician', inside, async (_request, reply) => {
    void reply.headers(NO_STORE);
    if (technician == null) {
      await reply.code(404).send({ error: 'This table shows nothing of its inside.' });
    } else await reply.send(await technician());
  });
};

/** Errors as `{error}`, like every other answer; nothing of what went wrong inside. */
const addEnds = (app: FastifyInstance): void => {
  app.setErrorHandler((error, _request, reply) => {
    const { statusCode } = z
      .object({ statusCode: z.number() })
      .catch({ statusCode: 500 })
      .parse(error);
    const isTold = error instanceof Error && statusCode !== 500;
    const text = isTold ? error.message : 'Something went wrong in the table\u2019s page.';
    void reply.code(statusCode).headers(NO_STORE).send({ error: text });
  });
  app.setNotFoundHandler((_request, reply) => {
    void reply.code(404).send({ error: `There is nothing here. The pages: ${PAGES.join(' ')}` });
  });
};

/** Whoever opens the page of a table without a login may look, and press nothing. */
const looker: TablePageAccess = {
  users: null,
  anybody: { ...anybodyHere, press: [] },
  audit: { record: () => Promise.resolve() },
  proxy: null,
  tls: null,
};

/**
 * Serves a table's pages: `/` (everything), `/dealer`, `/floor`, `/technician`, with `/api/table`
 * (JSON), `/api/stream` (server-sent events that resume by Last-Event-ID), `/api/press`,
 * `/api/technician`, the login of `registerAccess` and `/health`.
 * @throws ListenError where it may not or cannot listen.
 */
export const startTablePage = async (options: TablePageOptions): Promise<TablePage> => {
  const { source, port, host = '127.0.0.1', access: rules = looker, press = null } = options;
  const { users, tls, proxy, ...more } = rules;
  const fault = listenFault({ host, hasLogin: users !== null, tls, proxy });
  if (fault !== null) throw new ListenError(fault);
  const stream = new PageStream(source);
  const app = newWebApp({
    ...{ tls, proxy, bodyBytes: BODY_BYTES, requestMs: REQUEST_MS },
    maxConnections: MAX_CONNECTIONS,
  });
  const isSecure = tls !== null || proxy !== null;
  addEnds(app);
  await app.register(rateLimit, { max: REQUESTS_PER_MINUTE, timeWindow: 60_000, cache: 64 });
  const access = await registerAccess(app, { service: 'table', users, proxy, isSecure, ...more });
  addApi(app, access, options, stream);
  if (press !== null) addPress(app, access, press);
  await addBuiltPages(app, {
    folder: options.pages,
    document: 'index.html',
    at: PAGES,
    whose: 'this table',
  });
  const listening = await listenAt(app, { host, port, isTls: tls !== null });
  stream.start();
  return {
    ...listening,
    watchers: () => stream.watchers,
    floorWatchers: () => stream.watchersOf(FLOOR),
    stop: () => {
      stream.stop();
      return listening.stop();
    },
  };
};
