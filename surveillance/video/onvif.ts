import { z } from 'zod';
import { alertSchema, markSchema } from '../contract/messages.js';
import { parseTopic } from '../contract/topics.js';

/**
 * Alerts and marks in the JSON form of ONVIF events over MQTT (ONVIF Core, "event over MQTT":
 * prefix, `onvif-ej`, topic, then the source's values after `&`). Video management systems that
 * read such events from a broker take them in without a plug-in of their own.
 */
export interface VideoEvent {
  readonly topic: string;
  readonly payload: string;
}

const SPACE = 'cutcard:Table';
const TEXT_MAX = 512;

/** Topic prefix a broker's access list can name: levels of ours, parted by slashes. */
export const isTopicPrefix = (prefix: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}(?:\/[A-Za-z0-9][A-Za-z0-9._-]{0,31}){0,7}$/.test(prefix);

const wellFormed = z.union([
  alertSchema.transform((message) => ({ kind: 'alert' as const, message })),
  markSchema.transform((message) => ({ kind: 'mark' as const, message })),
]);

/** Null for a topic or a payload that is neither an alert nor a mark of a table. */
export const videoEventOf = (prefix: string, topic: string, payload: string): VideoEvent | null => {
  const parsed = parseTopic(topic);
  if (parsed === null || (parsed.kind !== 'alert' && parsed.kind !== 'mark')) return null;
  const read = wellFormed.safeParse(jsonOf(payload));
  if (!read.success || read.data.kind !== parsed.kind) return null;
  const { site, pit, table } = parsed.name;
  const { wallMs, wallTrusted, seq, cameras = [], historical } = read.data.message;
  const common = {
    Row: seq,
    ClockTrusted: wallTrusted,
    Historical: historical === true,
    Cameras: cameras.join(','),
  };
  const data = read.data.kind === 'alert' ? ofAlert(read.data.message) : ofMark(read.data.message);
  const local = read.data.kind === 'alert' ? 'Finding' : 'Mark';
  return {
    topic: `${prefix}/onvif-ej/${SPACE}/${local}/&${site}/${pit}/${table}`,
    payload: JSON.stringify({
      UtcTime: new Date(wallMs).toISOString(),
      Source: { Site: site, Pit: pit, Table: table },
      Data: { ...data, ...common },
    }),
  };
};

type Data = Readonly<Record<string, string | number | boolean>>;

const ofAlert = ({
  id,
  code,
  clause,
  severity,
  change,
  finding,
  how,
}: z.output<typeof alertSchema>): Data => ({
  Id: id,
  Code: code ?? 'unknown',
  Clause: clause ?? 'unknown',
  Severity: severity ?? 'unknown',
  Change: change,
  Active: change !== 'cleared' && severity !== 'info',
  Text: (finding === null ? '' : `${finding.observed}; ${finding.expected}`).slice(0, TEXT_MAX),
  Remedy: (finding?.remedy ?? '').slice(0, TEXT_MAX),
  CardsAfterWarning: finding?.cardsAfterWarning ?? 0,
  How: how ?? '',
});

const ofMark = ({ mark, from, key }: z.output<typeof markSchema>): Data => ({
  Mark: mark,
  From: from,
  Key: key ?? '',
});

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
