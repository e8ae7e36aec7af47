import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Access } from '../../access/plugin.js';
import { LIMITS, PATHS, tableKey, type TableId } from '../api.js';
import type { TableDetail } from '../api-table.js';
import type { EvidenceDesk } from '../evidence-desk.js';
import type { History } from '../history.js';
import type { FloorService } from '../service.js';
import type { TableRecord } from '../tile.js';
import { answer, asked, AskedWrong, tableParams, text, time, whole } from './query.js';

/** Shoes listed. */
const SHOES_MAX = 500;

export interface TableRoutesParts {
  readonly service: FloorService;
  readonly history: History;
  readonly evidence: EvidenceDesk;
}

const range = z.object({ from: whole, to: whole });
const tail = z.object({ after: whole.optional() });
const shoeParams = tableParams.extend({ no: whole });
const span = z.object({ from: time.optional(), to: time.optional() });
const evidenceQuery = z.object({
  finding: text.optional(),
  round: text.optional(),
  from: text.optional(),
  to: text.optional(),
});

/** @throws AskedWrong 404. */
const recordOf = (service: FloorService, id: TableId): TableRecord => {
  const record = service.book.record(tableKey(id));
  if (record === null) throw new AskedWrong(`There is no table ${tableKey(id)}.`, 404);
  return record;
};

const healthOf = ({ health }: TableRecord): TableDetail['health'] =>
  health === null
    ? null
    : {
        wallMs: health.wallMs,
        queued: health.queued,
        undelivered: health.undelivered,
        uptimeS: health.uptimeS,
        rssBytes: health.rssBytes,
        diskFreeBytes: health.diskFreeBytes,
        temperatureC: health.temperatureC,
        devices: health.devices,
      };

const detailOf = async (service: FloorService, record: TableRecord): Promise<TableDetail> => {
  const { store, book } = service;
  const { state, status, checkpoint } = record;
  const tile = book.tile(record.key);
  if (tile === null) throw new AskedWrong(`There is no table ${record.key}.`, 404);
  const seq = checkpoint?.seq ?? 0;
  const [row] = seq === 0 ? [] : await store.rows.rows(record.key, seq, seq, 1);
  return {
    tile,
    duties: (state?.duties ?? []).map(({ duty, clause, status: standing, evidence, detail }) => ({
      duty,
      clause,
      status: standing,
      evidence,
      detail: detail ?? null,
    })),
    health: healthOf(record),
    version: status?.version ?? null,
    boot: state?.boot ?? status?.boot ?? null,
    firstSeq: record.seq === 0 ? 0 : record.firstSeq,
    checkpoint:
      checkpoint === null
        ? null
        : {
            seq,
            atMs: checkpoint.atMs,
            agrees: row === undefined ? null : row.hash === checkpoint.hash,
          },
    forks: await store.rows.forks(record.key),
  };
};

/** One table: detail, shoes, strip, steps, evidence, void list. */
export const addTableRoutes = (
  app: FastifyInstance,
  access: Access,
  { service, history, evidence }: TableRoutesParts,
): void => {
  const looker = { preHandler: access.requireRole('viewer') };
  const base = `${PATHS.tables}/:site/:pit/:table`;
  app.get(base, looker, async (request, reply) => {
    const record = recordOf(service, asked(tableParams, request.params));
    answer(reply, await detailOf(service, record));
  });
  app.get(`${base}/shoes`, looker, async (request, reply) => {
    const record = recordOf(service, asked(tableParams, request.params));
    answer(reply, await service.store.shoes(record.key, SHOES_MAX));
  });
  app.get(`${base}/shoes/:no/strip`, looker, async (request, reply) => {
    const { no, ...id } = asked(shoeParams, request.params);
    recordOf(service, id);
    const strip = await history.strip(id, no, asked(tail, request.query).after ?? 0);
    if (strip === null) throw new AskedWrong(`There is no shoe ${no} of ${tableKey(id)}.`, 404);
    answer(reply, strip);
  });
  app.get(`${base}/steps`, looker, async (request, reply) => {
    const id = asked(tableParams, request.params);
    const { from, to } = asked(range, request.query);
    recordOf(service, id);
    if (from < 1 || to < from) throw new AskedWrong('`from` and `to` are rows, in order, from 1.');
    answer(reply, await history.steps(id, from, Math.min(to, from + LIMITS.steps - 1)));
  });
  app.get(`${base}/voids`, looker, async (request, reply) => {
    const record = recordOf(service, asked(tableParams, request.params));
    const { from = 0, to = Number.MAX_SAFE_INTEGER } = asked(span, request.query);
    answer(reply, await service.store.voids(record.key, from, to));
  });
  const taker = { preHandler: access.requireRole('operator', 'auditor') };
  app.get(`${base}/evidence`, taker, async (request, reply) => {
    const record = recordOf(service, asked(tableParams, request.params));
    const file = await evidence.make(record, asked(evidenceQuery, request.query));
    await access.record(request, {
      action: 'evidence',
      outcome: 'done',
      detail: `${record.key} ${file.about}`,
    });
    await reply
      .headers({
        'cache-control': 'no-store',
        'content-disposition': `attachment; filename="${file.name}"`,
        // A file of evidence is read where it was saved, never run on this service's own pages.
        'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
      })
      .type('text/html; charset=utf-8')
      .send(file.text);
  });
};
