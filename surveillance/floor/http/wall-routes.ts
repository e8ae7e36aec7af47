import type { FastifyInstance } from 'fastify';
import type { Access } from '../../access/plugin.js';
import { PATHS } from '../api.js';
import type { FloorService } from '../service.js';
import { MAX_WATCHERS } from '../wall-feed.js';
import { answer, NO_STORE } from './query.js';

/** The wall, and what programs ask: health and figures. */
export const addWallRoutes = (
  app: FastifyInstance,
  access: Access,
  service: FloorService,
): void => {
  const looker = { preHandler: access.requireRole('viewer') };
  app.get(PATHS.wall, looker, (_request, reply) => answer(reply, service.feed.wall()));
  app.get<{ Querystring: { after?: unknown } }>(PATHS.wallStream, looker, (request, reply) => {
    if (service.feed.watchers >= MAX_WATCHERS) {
      const error = `${MAX_WATCHERS} pages already watch the wall. Close one.`;
      void reply
        .code(503)
        .headers({ ...NO_STORE, 'retry-after': '10' })
        .send({ error });
      return;
    }
    reply.hijack();
    const header = request.headers['last-event-id'];
    const after = typeof request.query.after === 'string' ? request.query.after : null;
    const last = typeof header === 'string' ? header : after;
    const who = access.whoOf(request)?.name ?? null;
    service.feed.add(reply.raw, last, who, () => access.stillIn(request));
  });
  app.get(PATHS.health, (_request, reply) => {
    const health = service.health();
    if (!health.ok) void reply.code(503);
    answer(reply, health);
  });
  // Counts only: what reads them has no login.
  app.get(PATHS.metrics, async (_request, reply) => {
    const { registry } = service.figures;
    await reply
      .headers(NO_STORE)
      .type(registry.contentType)
      .send(await registry.metrics());
  });
};
