import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { isTopicLevel } from '../../../surveillance/contract/topics.js';
import { plainIssue } from '../../config/plain-issue.js';
import { plainValue } from '../../config/plain-value.js';
import { crossesBare, userHeader } from '../../config/schema.js';
import { EXIT, Refusal } from '../exit.js';
import { CONSUMER, DAY_BEGINS_HOUR, RETENTION_YEARS } from './start-floor.js';
import { readGiven } from '../../config/given-file.js';

const MAX_CHARACTERS = 200_000;
const PORT_DEFAULT = 8090;

const path = z.string().min(1).max(1000);
const level = z
  .string()
  .refine(isTopicLevel, '1 to 32 letters, digits, dots, hyphens, underscores');
const seconds = z.number().min(1).max(86_400);

const brokerSchema = z.strictObject({
  url: z
    .string()
    .regex(/^mqtts?:\/\/[^\s/]+$/, 'write mqtts://host:8883 or mqtt://127.0.0.1:1883')
    .refine(
      (url) => !crossesBare(url),
      'messages and passwords would cross the network unprotected; write mqtts:// and give ' +
        'caFile, certFile and keyFile (mqtt:// is for a broker on this machine)',
    ),
  protocol: z.union([z.literal(5), z.literal('3.1.1')]).default(5),
  caFile: path.optional(),
  certFile: path.optional(),
  keyFile: path.optional(),
  username: z.string().max(200).optional(),
  passwordFile: path.optional(),
});

/** The floor service's configuration, one YAML file. docs/FLOOR.md shows a whole one. */
const floorSchema = z.strictObject({
  broker: brokerSchema,
  /** A file, or `postgres://user@host/database`; the password from `storePasswordFile`. */
  store: path.default('floor.db'),
  storePasswordFile: path.optional(),
  consumer: level.default(CONSUMER),
  site: level.nullable().default(null),
  shared: z.boolean().optional(),
  commandKey: z.strictObject({ name: z.string().min(1).max(64), file: path }).optional(),
  tables: z
    .array(z.strictObject({ site: level, pit: level, table: level }))
    .max(2000)
    .default([]),
  listen: z
    .strictObject({
      host: z.string().max(100).default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(PORT_DEFAULT),
      tls: z.strictObject({ certFile: path, keyFile: path }).optional(),
      proxy: z
        .strictObject({
          addresses: z.array(z.string()).min(1),
          userHeader,
        })
        .optional(),
    })
    .default({ host: '127.0.0.1', port: PORT_DEFAULT }),
  usersFile: path.optional(),
  auditFile: path.optional(),
  escalation: z
    .strictObject({ floorS: seconds.default(60), shiftS: seconds.default(300) })
    .default({ floorS: 60, shiftS: 300 }),
  retentionYears: z.number().min(0.01).max(50).default(RETENTION_YEARS),
  dayBeginsHour: z.int().min(0).max(23).default(DAY_BEGINS_HOUR),
});

export type FloorConfig = z.output<typeof floorSchema>;

const valueOf = (document: Parameters<typeof plainValue>[0], file: string): unknown => {
  try {
    return plainValue(document, file);
  } catch (cause) {
    throw new Refusal(EXIT.config, cause instanceof Error ? cause.message : file, cause);
  }
};

/** The configuration in a file. @throws Refusal, exit code 78, naming file, line and field. */
export const loadFloorConfig = (file: string): FloorConfig => {
  let text: string;
  try {
    text = readGiven(file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(EXIT.config, `${file} cannot be read: ${why}`, cause);
  }
  return readFloorConfig(text, file);
};

/** @throws Refusal, exit code 78, naming file, line and field. */
export const readFloorConfig = (text: string, file: string): FloorConfig => {
  if (text.length > MAX_CHARACTERS) {
    throw new Refusal(EXIT.config, `${file} is longer than ${MAX_CHARACTERS} characters`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lines.linePos(error.pos[0]);
    throw new Refusal(EXIT.config, `${file}:${line}: not readable as YAML: ${error.message}`);
  }
  const parsed = floorSchema.safeParse(valueOf(document, file) ?? {});
  if (parsed.success) return parsed.data;
  const told = parsed.error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.map(String).join('.') || 'file'}: ${plainIssue(issue)}`);
  throw new Refusal(EXIT.config, `${file}: ${told.join('; ')}. See docs/FLOOR.md`);
};

/** What a service runs with that is given on the command line only. */
export const plainFloorConfig = (given: {
  readonly broker: string;
  readonly mqtt?: string;
  readonly store?: string;
  readonly port?: number;
  readonly site?: string;
}): FloorConfig => {
  const { broker, mqtt, store, port, site } = given;
  const parsed = floorSchema.safeParse({
    broker: { url: broker, ...(mqtt === undefined ? {} : { protocol: mqtt === '5' ? 5 : mqtt }) },
    ...(store === undefined ? {} : { store }),
    ...(site === undefined ? {} : { site }),
    ...(port === undefined ? {} : { listen: { port } }),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  const why = issue === undefined ? 'not usable' : plainIssue(issue);
  throw new Refusal(EXIT.usage, `${field}: ${why}`);
};
