import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Access } from '../../access/plugin.js';
import type { Alerts } from '../alerts.js';
import { LIMITS, PATHS, tableIdOf } from '../api.js';
import type { Handover } from '../api-records.js';
import type { FloorService } from '../service.js';
import { answer, asked, AskedWrong, text, time, whole, yesNo } from './query.js';

/** A shift, where nobody says when it began, ms. */
const SHIFT_MS = 8 * 3_600_000;
const DONE_MAX = 200;

export interface DeskRoutesParts {
  readonly service: FloorService;
  readonly alerts: Alerts;
}

const tableText = text.refine((key) => tableIdOf(key) !== null, 'a table is site/pit/table');
const alertQuery = z.object({
  open: yesNo.optional(),
  table: tableText.optional(),
  site: text.optional(),
  pit: text.optional(),
  game: text.optional(),
  code: text.optional(),
  severity: z.enum(['stop', 'hold', 'warn', 'info']).optional(),
  badge: text.optional(),
  shoe: whole.optional(),
  from: time.optional(),
  to: time.optional(),
  before: text.optional(),
  limit: whole.optional(),
});
const acknowledgeBody = z.strictObject({
  table: tableText,
  id: text,
  note: z.string().trim().max(LIMITS.note),
});
const noteBody = z.strictObject({
  text: z.string().trim().min(1).max(LIMITS.note),
  table: tableText.optional(),
});
const searchBody = z.strictObject({
  title: z.string().trim().min(1).max(LIMITS.title),
  query: z.string().max(1000),
});
const auditQuery = z.object({
  who: text.optional(),
  what: text.optional(),
  from: time.optional(),
  to: time.optional(),
  before: whole.optional(),
  limit: whole.optional(),
});
const sinceQuery = z.object({ since: time.optional() });
const idParams = z.object({ id: whole });

/** What the room does about alerts: acknowledge, note, search, hand over; and the audit of it. */
export const addDeskRoutes = (
  app: FastifyInstance,
  access: Access,
  { service, alerts }: DeskRoutesParts,
): void => {
  const { desk } = service.store;
  const looker = { preHandler: access.requireRole('viewer') };
  const operator = { preHandler: access.requireRole('operator') };
  const auditor = { preHandler: access.requireRole('auditor') };
  const nameOf = (request: FastifyRequest): string => access.whoOf(request)?.name ?? 'nobody';
  const done = (request: FastifyRequest, action: string, detail: string): Promise<void> =>
    access.record(request, { action, outcome: 'done', detail });

  app.get(PATHS.alerts, looker, async (request, reply) => {
    const { open, from, to, ...query } = asked(alertQuery, request.query);
    answer(reply, await alerts.page({ ...query, isOpen: open, fromMs: from, toMs: to }));
  });
  app.post(PATHS.acknowledge, operator, async (request, reply) => {
    const { table, id, note } = asked(acknowledgeBody, request.body);
    await done(request, 'acknowledge', `${table} ${id}: ${note}`);
    const result = await alerts.acknowledge(table, id, { by: nameOf(request), note });
    if (result.is === 'unknown') throw new AskedWrong(`${table} has no finding ${id}.`, 404);
    if (result.is === 'before') {
      throw new AskedWrong(`${result.by} has acknowledged ${id} already.`, 409);
    }
    answer(reply, result.alert);
  });
  app.post(PATHS.notes, operator, async (request, reply) => {
    const { text: words, table = null } = asked(noteBody, request.body);
    await done(request, 'note', `${table ?? ''} ${words}`.trim());
    const note = { atMs: Date.now(), by: nameOf(request), table, text: words };
    answer(reply, await desk.addNote(note));
  });
  app.get(PATHS.audit, auditor, async (request, reply) => {
    const { from, to, ...query } = asked(auditQuery, request.query);
    answer(reply, await desk.auditPage({ ...query, fromMs: from, toMs: to }));
  });
  app.get(PATHS.searches, looker, async (request, reply) => {
    answer(reply, await desk.searches(nameOf(request)));
  });
  app.post(PATHS.searches, looker, async (request, reply) => {
    const search = asked(searchBody, request.body);
    const saved = await desk.saveSearch({ ...search, by: nameOf(request), atMs: Date.now() });
    if (saved === null) {
      throw new AskedWrong(`${LIMITS.searches} searches are saved already. Drop one.`, 409);
    }
    await done(request, 'search.save', search.title);
    answer(reply, saved);
  });
  app.delete(`${PATHS.searches}/:id`, looker, async (request, reply) => {
    const { id } = asked(idParams, request.params);
    if (!(await desk.dropSearch(nameOf(request), id))) {
      throw new AskedWrong(`You have no saved search ${id}.`, 404);
    }
    await done(request, 'search.drop', String(id));
    await reply.code(204).send();
  });
  app.get(PATHS.handover, looker, async (request, reply) => {
    const { since = Date.now() - SHIFT_MS } = asked(sinceQuery, request.query);
    answer(reply, await handoverOf(service, alerts, since));
  });
};

const handoverOf = async (
  service: FloorService,
  alerts: Alerts,
  sinceMs: number,
): Promise<Handover> => {
  const open = await alerts.page({ isOpen: true });
  const since = await alerts.page({ fromMs: sinceMs, limit: DONE_MAX });
  const tiles = service.book.tiles();
  return {
    sinceMs,
    atMs: Date.now(),
    open: open.alerts.filter(({ severity }) => severity !== 'info'),
    dealtWith: since.alerts.filter(
      ({ severity, cleared, acknowledged }) =>
        severity !== 'info' && (cleared !== null || acknowledged !== null),
    ),
    notes: await service.store.desk.notes(sinceMs),
    tablesNotHeard: tiles.filter(({ link }) => link.state !== 'online'),
    tablesDegraded: tiles.filter(({ degraded }) => degraded.length > 0),
  };
};
