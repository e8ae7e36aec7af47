import { z } from 'zod';
import { DEFAULT_POLICY } from '../core/procedure.js';
import { isLoopback } from './loopback.js';

/** Version of the configuration's format: the value of the key `config`. */
export const CONFIG_VERSION = 1;

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;
const BATCH = /^[a-z]{1,16}$/;
const HOST_PORT = /^(\[[0-9a-f:]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/;
const MAX_PATH = 1024;
const MAX_SECONDS = 86_400;

const name = (what: string): z.ZodString =>
  z.string().regex(NAME).describe(`${what}: lower-case letters, digits and hyphens, at most 32`);
/**
 * Of a header that stands twice Node joins the values, and the name then fits nobody. Of some
 * (`from`, `authorization`) it keeps the first, which may be a stranger's: none of them begins so.
 */
export const userHeader = z
  .string()
  .regex(/^x-[a-z0-9-]{1,60}$/)
  .nullable()
  .default(null)
  .describe('header with the name of who logged in there, such as x-remote-user');
const path = (what: string): z.ZodString =>
  z.string().min(1).max(MAX_PATH).describe(`${what}; relative to this file's folder`);
const whole = (min: number, max: number, what: string): z.ZodNumber =>
  z.number().int().min(min).max(max).describe(`${what}: a whole number from ${min} to ${max}`);
const seconds = (what: string): z.ZodNumber => whole(1, MAX_SECONDS, `${what}, seconds`);

const policy = z
  .strictObject({
    countStaleRounds: whole(1, 10_000, 'rounds after which a count is stale')
      .nullable()
      .default(DEFAULT_POLICY.countStaleRounds),
    countStaleMinutes: whole(1, 10_000, 'minutes after which a count is stale')
      .nullable()
      .default(DEFAULT_POLICY.countStaleMinutes),
    escalateFloorS: seconds('age at which an ignored finding goes to the floor').default(
      DEFAULT_POLICY.escalateFloorS,
    ),
    escalateSurveillanceS: seconds(
      'age at which an ignored finding goes to surveillance and shift',
    ).default(DEFAULT_POLICY.escalateSurveillanceS),
    dwellCutS: seconds('longest usual time for the cut')
      .nullable()
      .default(DEFAULT_POLICY.dwellCutS),
    dwellLoadS: seconds('longest usual time from shuffle to load')
      .nullable()
      .default(DEFAULT_POLICY.dwellLoadS),
    blockedMs: whole(100, 60_000, 'how long something may lie in the mouth, milliseconds').default(
      DEFAULT_POLICY.blockedMs,
    ),
    handShuffle: z
      .enum(['allow', 'stop'])
      .default(DEFAULT_POLICY.handShuffle)
      .describe('a hand shuffle at a table that has a machine: `allow` or `stop`'),
    tamperLid: z
      .enum(['stop', 'warn'])
      .default(DEFAULT_POLICY.tamperLid)
      .describe('what an opened lid is: `stop` or `warn`'),
    sensorFault: z
      .enum(['stop', 'warn'])
      .default(DEFAULT_POLICY.sensorFault)
      .describe('what a failing sensor is: `stop` or `warn`'),
    shufflerLost: z
      .enum(['stop', 'warn'])
      .default(DEFAULT_POLICY.shufflerLost)
      .describe('what a shuffler that is not heard any more is: `stop` or `warn`'),
    clockUntrusted: z
      .enum(['stop', 'warn', 'info'])
      .default(DEFAULT_POLICY.clockUntrusted)
      .describe('what an untrusted clock is: `stop`, `warn` or, only told, `info`'),
  })
  .describe('house policies: what the clauses leave open');

export const tableSchema = z
  .strictObject({
    decks: whole(1, 12, 'decks in one stack'),
    crew: whole(1, 4, 'dealers and floorpersons who shuffle by hand').default(1),
    seats: whole(1, 20, 'players’ seats').default(7),
    dealing: z
      .enum(['shoe', 'hand', 'auto-shoe'])
      .default('shoe')
      .describe('how cards are dealt: `shoe`, `hand` or `auto-shoe`'),
    shuffler: z
      .enum(['none', 'counting', 'not-counting'])
      .default('none')
      .describe('the machine: `none`, `counting` or `not-counting`'),
    reader: z
      .enum(['none', 'rank'])
      .default('none')
      .describe('whether the shoe reads faces: `none` or `rank`'),
    batches: z
      .array(z.string().regex(BATCH).describe('colour of the backs, such as `red`'))
      .min(1)
      .max(4)
      .default(['red'])
      .describe('the batches by the colour of their backs, such as [red, blue]'),
    enforcement: z
      .enum(['lock', 'advise'])
      .default('lock')
      .describe('`lock` drives the gate; `advise` shows and records the same, never locks'),
    policy: policy.prefault({}),
  })
  .describe('what this table has: decks, seats, shuffler, batches');

const broker = z
  .strictObject({
    url: z
      .string()
      .regex(/^mqtts?:\/\/[^\s/]+$/)
      .describe('`mqtts://host:8883`; plain `mqtt://` only to this machine'),
    protocol: z
      .union([z.literal(5), z.literal('3.1.1')])
      .default(5)
      .describe('5 (MQTT 5) or 3.1.1 (the declared weaker mode)'),
    caFile: path('certificate of the authority that signed the broker’s, PEM').optional(),
    certFile: path('this table’s certificate, PEM').optional(),
    keyFile: path('private key of this table’s certificate, PEM').optional(),
    username: z.string().min(1).max(128).optional().describe('name at the broker, where it asks'),
    passwordFile: path('file with the password and nothing else').optional(),
  })
  .describe('the broker that surveillance listens to');

const page = z
  .strictObject({
    listen: z
      .string()
      .regex(HOST_PORT)
      .default('127.0.0.1:8080')
      .describe('address and port of the table’s own page, such as 127.0.0.1:8080'),
    usersFile: path('who may log in and press, kept by `cutcard user`').optional(),
    auditFile: path('the trail of logins and presses').default('cutcard-access.jsonl'),
    idleMinutes: whole(1, 720, 'minutes after which an unused login ends').default(30),
    tls: z
      .strictObject({
        certFile: path('certificate of the page, PEM'),
        keyFile: path('private key of that certificate, PEM'),
      })
      .optional()
      .describe('certificate and key of the page: certFile and keyFile'),
    proxy: z
      .strictObject({
        addresses: z
          .array(z.union([z.ipv4(), z.ipv6()]).describe('address the proxy connects from'))
          .min(1)
          .max(8),
        userHeader,
      })
      .optional()
      .describe('the proxy in front of the page that ends TLS: addresses, userHeader'),
  })
  .optional()
  .describe('the table’s own web page; left out: none');

/** The configuration of one table. Secrets stand in files of their own; here are their paths. */
export const configSchema = z
  .strictObject({
    config: z.literal(CONFIG_VERSION).describe('version of this format: 1'),
    place: z
      .strictObject({
        site: name('name of the house in topics and reports'),
        pit: name('name of the pit'),
        table: name('name of the table, unique in its pit'),
      })
      .describe('where the table stands: site, pit and table'),
    procedure: z
      .string()
      .min(1)
      .max(MAX_PATH)
      .describe('procedure pack: an id of `cutcard procedures list`, or a file ending in .yaml'),
    choices: z
      .record(z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,40}$/), z.union([z.string(), z.number()]))
      .default({})
      .describe('options of the pack that the house picked, such as { initialDeal: two-each }'),
    table: tableSchema,
    board: z
      .string()
      .min(1)
      .max(MAX_PATH)
      .describe('board: `virtual`, a board of this program, or a file ending in .yaml'),
    shufflerProfile: z
      .string()
      .min(1)
      .max(MAX_PATH)
      .optional()
      .describe('how the shuffler talks: a profile of this program, or a file ending in .yaml'),
    lampTap: z
      .boolean()
      .default(false)
      .describe('true where a tap on the shuffler’s light is fitted: true or false'),
    calibration: path('file written by `cutcard calibrate`').optional(),
    journal: path('the journal; its folder must exist and be writable').default('cutcard.journal'),
    keepDays: whole(1, 3660, 'days a row stays on the device').default(30),
    deviceKeyFile: path('Ed25519 private key of this device, PEM; signs checkpoints').optional(),
    commandKeysFile: path('who may send signed commands: names, roles and public keys').optional(),
    broker: broker.optional(),
    consumers: z
      .array(name('name of a consumer that confirms what it stored'))
      .max(16)
      .default([])
      .describe('who must confirm rows before they may be pruned, such as [historian]'),
    cameras: z
      .array(z.string().min(1).max(64).describe('name of a camera as the video system knows it'))
      .max(16)
      .default([])
      .describe('cameras that see this table'),
    page,
    log: z
      .enum(['debug', 'info', 'warn', 'error'])
      .default('info')
      .describe('how much is logged: debug, info, warn or error'),
  })
  .describe('one table of Cutcard');

export type SiteConfig = z.output<typeof configSchema>;

/** Splits a checked `host:port`; null when the port is none. */
export const hostPort = (text: string): { host: string; port: number } | null => {
  const match = HOST_PORT.exec(text);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port > 65_535) return null;
  return { host: match[1].replace(/^\[|\]$/g, ''), port };
};

/** Ports of MQTT over TLS, and plain (IANA). */
const BROKER_PORTS = { 'mqtts:': 8883, 'mqtt:': 1883 } as const;

export interface BrokerPlace {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** Where a broker's address leads; null where it is no `mqtts://` or `mqtt://`. */
export const brokerPlace = (url: string): BrokerPlace | null => {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'mqtts:' && protocol !== 'mqtt:') return null;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? BROKER_PORTS[protocol] : Number(port),
    isTls: protocol === 'mqtts:',
  };
};

/** Whether what is said to this broker crosses a network with nothing to protect it. */
export const crossesBare = (url: string): boolean => {
  const place = brokerPlace(url);
  return place !== null && !place.isTls && !isLoopback(place.host);
};
