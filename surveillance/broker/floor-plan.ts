import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { plainIssue } from '../../controller/config/plain-issue.js';
import { plainValue } from '../../controller/config/plain-value.js';
import { isTopicLevel } from '../contract/topics.js';

/** Who is on a floor: what the broker's configuration and access list are made from. */

const MAX_CHARACTERS = 1_000_000;
export const TABLES_MAX = 5000;
const OTHERS_MAX = 100;

const level = z
  .string()
  .refine(isTopicLevel, 'takes 1 to 32 letters, digits, dots, hyphens or underscores');

const port = z.int().min(1).max(65_535);
const path = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[^\n\r]+$/);

const planSchema = z.strictObject({
  floor: z.literal(1),
  site: level,
  tables: z
    .array(z.strictObject({ pit: level, table: level }))
    .min(1)
    .max(TABLES_MAX),
  /** They read all and acknowledge what they have stored. */
  consumers: z.array(level).max(OTHERS_MAX).default(['historian']),
  /** They read all and write nothing: walls, checkers. */
  readers: z.array(level).max(OTHERS_MAX).default([]),
  /** They may send orders; what a key may order is for the table to say. */
  issuers: z.array(level).max(OTHERS_MAX).default([]),
  /** Relays that republish alerts and marks for video systems under `cutcard-video`. */
  video: z.array(level).max(OTHERS_MAX).default([]),
  listen: z
    .strictObject({ address: z.string().min(1).max(100), port })
    .default({ address: '0.0.0.0', port: 8883 }),
  files: z
    .strictObject({
      ca: path,
      certificate: path,
      key: path,
      crl: path,
      acl: path,
      store: path,
    })
    .default({
      ca: '/etc/mosquitto/cutcard/ca.crt',
      certificate: '/etc/mosquitto/cutcard/broker.crt',
      key: '/etc/mosquitto/cutcard/broker.key',
      crl: '/etc/mosquitto/cutcard/ca.crl',
      acl: '/etc/mosquitto/cutcard/acl',
      store: '/var/lib/mosquitto/',
    }),
  /** A group's broker that gets everything this floor publishes, and gives nothing back. */
  bridge: z.strictObject({ address: z.string().min(1).max(200), port, ca: path }).optional(),
});

export type FloorPlan = z.output<typeof planSchema>;

/** Name in a certificate, and so the user at the broker, of everything that is not a table. */
export const partyNameOf = (site: string, party: string): string => `cutcard:${site}:${party}`;

const twice = (words: readonly string[]): string | null => {
  const seen = new Set<string>();
  for (const word of words) {
    if (seen.has(word)) return word;
    seen.add(word);
  }
  return null;
};

/**
 * Reads a floor plan (YAML).
 * @throws Error naming file, line or field, the cause and the cure.
 */
export const readFloorPlan = (text: string, file: string): FloorPlan => {
  const lines = new LineCounter();
  const document = parseDocument(text.slice(0, MAX_CHARACTERS), {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
  });
  const error = document.errors[0];
  if (error !== undefined) {
    const { line } = lines.linePos(error.pos[0]);
    throw new Error(`${file}:${line}: not readable as YAML: ${error.message}`);
  }
  const parsed = planSchema.safeParse(plainValue(document, file));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.map(String).join('.') ?? '';
    const why = issue === undefined ? 'not taken' : plainIssue(issue);
    throw new Error(
      `${file}: ${field === '' ? 'the plan' : field}: ${why}; docs/FLOOR.md shows a whole plan`,
    );
  }
  const plan = parsed.data;
  const table = twice(plan.tables.map((one) => `${one.pit}/${one.table}`));
  if (table !== null) throw new Error(`${file}: table \`${table}\` is listed twice`);
  const party = twice([...plan.consumers, ...plan.readers, ...plan.issuers, ...plan.video]);
  if (party !== null) {
    throw new Error(`${file}: \`${party}\` has two parts; give each part a name of its own`);
  }
  return plan;
};
