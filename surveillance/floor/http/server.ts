import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Observation } from '../../../controller/core/observation.js';
import type { AuditEntry, AuditSink } from '../../access/audit.js';
import { ListenError, listenFault, type TlsFiles } from '../../access/listen.js';
import { addBuiltPages } from '../../access/built-pages.js';
import { type AccessOptions, registerAccess } from '../../access/plugin.js';
import { type Listening, listenAt, newWebApp } from '../../access/web-app.js';
import { Alerts } from '../alerts.js';
import { EvidenceDesk, type EvidenceInput } from '../evidence-desk.js';
import { History } from '../history.js';
import type { FloorService } from '../service.js';
import { hasNoRoom } from '../store/db.js';
import { addDeskRoutes } from './desk-routes.js';
import { NO_STORE } from './query.js';
import { addReportRoutes } from './report-routes.js';
import { addTableRoutes } from './table-routes.js';
import { addWallRoutes } from './wall-routes.js';

const BODY_BYTES = 8192;
const REQUEST_MS = 10_000;
const MAX_CONNECTIONS = 1000;
/** Requests of one address; a page that is open makes one, stepping some a second. */
const REQUESTS_PER_MINUTE = 1200;
const ABOUT_MAX = 500;

/** Who may open the pages, and how they come in. */
export type FloorAccess = Pick<AccessOptions, 'users' | 'proxy' | 'limits' | 'nowMs'> & {
  readonly tls: TlsFiles | null;
  /** Where entries go besides the store; left out: nowhere. */
  readonly audit?: AuditSink;
};

export interface FloorSiteOptions {
  readonly service: FloorService;
  /** Left out: no login, loopback only. */
  readonly access?: FloorAccess;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0: any free one. */
  readonly port: number;
  /** Folder of the built pages; default: `dist/pages` of this package. */
  readonly pages?: string;
  /** What happened, in words. */
  readonly words: (observation: Observation) => string;
  readonly makeEvidence: (input: EvidenceInput) => string;
  /** Hour at which a gaming day begins, local time. */
  readonly dayBeginsHour: number;
}

/** The store keeps the trail; a file beside it, where one is given, too. */
const auditOf = (service: FloorService, also: AuditSink | undefined): AuditSink => ({
  record: async (entry: AuditEntry) => {
    await also?.record(entry);
    const { outcome, detail, address } = entry;
    const refused = outcome === 'refused' ? 'refused; ' : '';
    await service.store.desk.audit({
      atMs: entry.wallMs,
      who: entry.who ?? 'nobody known',
      what: entry.action,
      about: `${refused}${detail ?? ''} from ${address}`.trim().slice(0, ABOUT_MAX),
    });
  },
});

/** Errors as `{error}`, like every other answer; nothing of what went wrong inside. */
const addEnds = (app: FastifyInstance, service: FloorService): void => {
  app.setErrorHandler((error, request, reply) => {
    if (hasNoRoom(error)) {
      service.fault(`${request.method} ${request.routeOptions.url ?? ''}`, error);
      const why = error instanceof Error ? error.message : '';
      const text = `Nothing was written down: the store has no room (${why}). Try again later.`;
      void reply.code(503).headers(NO_STORE).send({ error: text });
      return;
    }
    const { statusCode } = z
      .object({ statusCode: z.number() })
      .catch({ statusCode: 500 })
      .parse(error);
    const isTold = error instanceof Error && statusCode !== 500;
    if (!isTold) service.fault(`${request.method} ${request.routeOptions.url ?? ''}`, error);
    const text = isTold ? error.message : 'Something went wrong in the floor service.';
    void reply.code(statusCode).headers(NO_STORE).send({ error: text });
  });
  app.setNotFoundHandler((_request, reply) => {
    void reply.code(404).send({ error: 'There is nothing here. The wall is at /' });
  });
};

const NO_LOGIN: FloorAccess = { users: null, proxy: null, tls: null };

/**
 * Serves the wall, its interface (api.ts), health and figures of a running service.
 * @throws ListenError where it may not or cannot listen: beyond loopback only with a login.
 */
export const startFloorSite = async (options: FloorSiteOptions): Promise<Listening> => {
  const { service, port, host = '127.0.0.1', access: rules = NO_LOGIN } = options;
  const { users, tls, proxy, audit, ...more } = rules;
  const fault = listenFault({ host, hasLogin: users !== null, tls, proxy });
  if (fault !== null) throw new ListenError(fault);
  const app = newWebApp({
    ...{ tls, proxy, bodyBytes: BODY_BYTES, requestMs: REQUEST_MS },
    maxConnections: MAX_CONNECTIONS,
  });
  addEnds(app, service);
  await app.register(rateLimit, { max: REQUESTS_PER_MINUTE, timeWindow: 60_000, cache: 1000 });
  const access = await registerAccess(app, {
    service: 'floor',
    users,
    proxy,
    isSecure: tls !== null || proxy !== null,
    audit: auditOf(service, audit),
    ...more,
  });
  const { store, papers, book } = service;
  const alerts = new Alerts({ store, book, nowMs: Date.now, ...service.escalation });
  const history = new History({
    store,
    configuration: (table) => papers.configurationOf(table),
    firstSeq: (table) => book.record(table)?.firstSeq ?? 1,
    words: options.words,
  });
  const evidence = new EvidenceDesk({ store, make: options.makeEvidence });
  addWallRoutes(app, access, service);
  addTableRoutes(app, access, { service, history, evidence });
  addDeskRoutes(app, access, { service, alerts });
  addReportRoutes(app, access, { service, alerts, dayBeginsHour: options.dayBeginsHour });
  await addBuiltPages(app, {
    folder: options.pages,
    document: 'wall.html',
    at: ['/'],
    whose: 'the wall',
  });
  return listenAt(app, { host, port, isTls: tls !== null });
};
