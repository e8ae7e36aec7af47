import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Access } from '../../access/plugin.js';
import type { Alerts } from '../alerts.js';
import { LIMITS, PATHS, tableIdOf } from '../api.js';
import type { TrendDay, Trends } from '../api-records.js';
import { gamingDayNamed, gamingDayOf, gamingDays } from '../days.js';
import { csvOf, htmlOf, REPORT_CSS, type Report } from '../report-form.js';
import { dayReport, dealerReport, shoeReport, tableReport } from '../reports.js';
import type { FloorService } from '../service.js';
import { trendDayOf } from '../trends.js';
import { answer, asked, AskedWrong, NO_STORE, text, time, whole } from './query.js';

const DAY_MS = 86_400_000;
/** Days of trends where nobody says how many. */
const TREND_DAYS = 30;
const CSS = `${PATHS.reports}/report.css`;

export interface ReportRoutesParts {
  readonly service: FloorService;
  readonly alerts: Alerts;
  /** Hour at which a gaming day begins, local time. */
  readonly dayBeginsHour: number;
}

const tableText = text.refine((key) => tableIdOf(key) !== null, 'a table is site/pit/table');
const format = z.enum(['html', 'csv', 'json']).default('html');
const shoeQuery = z.object({ table: tableText, shoe: whole, format });
const tableQuery = z.object({
  table: tableText,
  from: time.optional(),
  to: time.optional(),
  format,
});
const dealerQuery = z.object({
  badge: text,
  from: time.optional(),
  to: time.optional(),
  format,
});
const dayQuery = z.object({
  day: text.optional(),
  from: time.optional(),
  pit: text.optional(),
  format,
});
const trendQuery = z.object({
  from: time.optional(),
  to: time.optional(),
  pit: text.optional(),
  table: tableText.optional(),
});

const send = (reply: FastifyReply, report: Report, as: z.output<typeof format>): void => {
  if (as === 'json') {
    answer(reply, report);
    return;
  }
  void reply.headers(NO_STORE);
  if (as === 'html') {
    void reply.type('text/html; charset=utf-8').send(htmlOf(report, CSS));
    return;
  }
  const name = report.title.replaceAll(/[^\w.-]+/g, '-');
  void reply
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .type('text/csv; charset=utf-8')
    .send(csvOf(report));
};

/** Reports as HTML to print, CSV or JSON; trends by gaming day. */
export const addReportRoutes = (
  app: FastifyInstance,
  access: Access,
  { service, alerts, dayBeginsHour }: ReportRoutesParts,
): void => {
  const looker = { preHandler: access.requireRole('viewer') };
  const parts = { store: service.store, alerts, nowMs: Date.now };
  const spanOf = (from: number | undefined, to: number | undefined) => {
    const today = gamingDayOf(Date.now(), dayBeginsHour);
    return { fromMs: from ?? today.fromMs, toMs: to ?? today.toMs };
  };
  app.get(CSS, (_request, reply) => {
    void reply.type('text/css; charset=utf-8').send(REPORT_CSS);
  });
  app.get(`${PATHS.reports}/shoe`, looker, async (request, reply) => {
    const { table, shoe, format: as } = asked(shoeQuery, request.query);
    const report = await shoeReport(parts, table, shoe);
    if (report === null) throw new AskedWrong(`There is no shoe ${shoe} of ${table}.`, 404);
    send(reply, report, as);
  });
  app.get(`${PATHS.reports}/table`, looker, async (request, reply) => {
    const { table, from, to, format: as } = asked(tableQuery, request.query);
    send(reply, await tableReport(parts, table, spanOf(from, to)), as);
  });
  app.get(`${PATHS.reports}/dealer`, looker, async (request, reply) => {
    const { badge, from, to, format: as } = asked(dealerQuery, request.query);
    send(reply, await dealerReport(parts, badge, spanOf(from, to)), as);
  });
  app.get(`${PATHS.reports}/day`, looker, async (request, reply) => {
    const { day, from, pit, format: as } = asked(dayQuery, request.query);
    const found =
      day === undefined
        ? gamingDayOf(from ?? Date.now(), dayBeginsHour)
        : gamingDayNamed(day, dayBeginsHour);
    if (found === null) throw new AskedWrong(`\`${day ?? ''}\` is no day, as 2026-11-29.`);
    send(reply, await dayReport(parts, found, pit), as);
  });
  app.get(PATHS.trends, looker, async (request, reply) => {
    const { from, to = Date.now(), ...query } = asked(trendQuery, request.query);
    const first = from ?? to - (TREND_DAYS - 1) * DAY_MS;
    const days: TrendDay[] = [];
    for (const day of gamingDays(first, to, dayBeginsHour, LIMITS.trendDays)) {
      days.push(await trendDayOf(service.store, day, query));
    }
    const trends: Trends = { days, dayBeginsHour };
    answer(reply, trends);
  });
};
