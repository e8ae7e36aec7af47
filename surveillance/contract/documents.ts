import { z } from 'zod';
import { orderSchema } from './messages.js';
import { MESSAGE_SCHEMAS } from './validate.js';
import { TOPIC_KINDS, TOPIC_PREFIX, type TopicKind } from './topics.js';

/** Version of the contract: the major one stands in the topics (`v1`). */
export const CONTRACT_VERSION = '1.2.0';

type Json = Readonly<Record<string, unknown>>;

/** `cmd/reply` is `cmd-reply` in file names and references. */
export const schemaNameOf = (kind: TopicKind | 'order'): string => kind.replace('/', '-');

const isMap = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * JSON Schema (draft 7, which AsyncAPI 3 takes as it is) of one message. Objects stay open: a
 * consumer passes over what it does not know.
 */
const jsonSchemaOf = (schema: z.ZodType): Json => {
  const json: unknown = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  if (!isMap(json)) throw new Error('a message must be described by an object');
  return Object.fromEntries<unknown>(Object.entries(json).filter(([key]) => key !== '$schema'));
};

const schemas = (): Readonly<Record<string, Json>> =>
  Object.fromEntries([
    ...TOPIC_KINDS.map((kind): [string, Json] => [
      schemaNameOf(kind),
      jsonSchemaOf(MESSAGE_SCHEMAS[kind]),
    ]),
    [schemaNameOf('order'), jsonSchemaOf(orderSchema)],
  ]);

interface Channel {
  /** Seen from the table. */
  readonly action: 'send' | 'receive';
  readonly summary: string;
  readonly qos: 0 | 1;
  readonly retain: boolean;
}

const CHANNELS: Readonly<Record<TopicKind, Channel>> = {
  status: {
    action: 'send',
    summary: 'Whether the table can be heard; also its last will',
    qos: 1,
    retain: true,
  },
  state: { action: 'send', summary: 'The table as it stands now', qos: 1, retain: true },
  event: { action: 'send', summary: 'One journal row each, in order', qos: 1, retain: false },
  alert: { action: 'send', summary: "Changes in findings' lives", qos: 1, retain: false },
  mark: { action: 'send', summary: 'Moments worth finding in the video', qos: 1, retain: false },
  checkpoint: { action: 'send', summary: 'The newest signed checkpoint', qos: 1, retain: true },
  documents: {
    action: 'send',
    summary: 'Procedure and configuration in force, and the public device key',
    qos: 1,
    retain: true,
  },
  health: { action: 'send', summary: 'How the box itself is', qos: 0, retain: false },
  ack: {
    action: 'receive',
    summary: "A consumer's contiguous high-water mark, written after its own commit",
    qos: 1,
    retain: true,
  },
  cmd: { action: 'receive', summary: 'Signed orders', qos: 1, retain: false },
  'cmd/reply': { action: 'send', summary: 'Answers to orders', qos: 1, retain: false },
};

const LEVEL_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$';
const parameter = (description: string): Json => ({
  description: `${description}; matches ${LEVEL_PATTERN}`,
});

const channelOf = (kind: TopicKind): Json => ({
  address: `${TOPIC_PREFIX}/{site}/{pit}/{table}/${kind}${kind === 'ack' ? '/{consumer}' : ''}`,
  title: kind,
  summary: CHANNELS[kind].summary,
  parameters: {
    site: parameter('The house'),
    pit: parameter('The pit'),
    table: parameter('The table, unique in its pit'),
    ...(kind === 'ack' ? { consumer: parameter('Who acknowledges') } : {}),
  },
  messages: {
    [schemaNameOf(kind)]: { $ref: `#/components/messages/${schemaNameOf(kind)}` },
  },
});

const operationOf = (kind: TopicKind): Json => {
  const { action, summary, qos, retain } = CHANNELS[kind];
  const name = schemaNameOf(kind);
  return {
    action,
    summary,
    channel: { $ref: `#/channels/${name}` },
    messages: [{ $ref: `#/channels/${name}/messages/${name}` }],
    bindings: { mqtt: { qos, retain, bindingVersion: '0.2.0' } },
    ...(kind === 'cmd'
      ? {
          reply: {
            channel: { $ref: '#/channels/cmd-reply' },
            messages: [{ $ref: '#/channels/cmd-reply/messages/cmd-reply' }],
          },
        }
      : {}),
  };
};

const messageOf = (kind: TopicKind): Json => ({
  name: schemaNameOf(kind),
  title: kind,
  summary: CHANNELS[kind].summary,
  contentType: 'application/json',
  payload: { $ref: `#/components/schemas/${schemaNameOf(kind)}` },
});

const each = (make: (kind: TopicKind) => Json): Json =>
  Object.fromEntries(TOPIC_KINDS.map((kind) => [schemaNameOf(kind), make(kind)]));

const asyncApi = (): Json => ({
  asyncapi: '3.0.0',
  id: 'urn:cutcard:contract:1',
  info: {
    title: 'Cutcard: what a card table says and takes',
    version: CONTRACT_VERSION,
    description:
      'MQTT contract of one table. Consumers de-duplicate events by (table, seq), find gaps by ' +
      '`seq` and `prev`, and pass over fields they do not know.',
    license: { name: 'Apache-2.0' },
  },
  defaultContentType: 'application/json',
  servers: {
    house: {
      host: 'broker.example:8883',
      protocol: 'secure-mqtt',
      protocolVersion: '5',
      description: "The house's broker: TLS 1.3, one client certificate a table",
      security: [{ type: 'X509', description: 'Client certificate; its name is the client id' }],
    },
  },
  channels: each(channelOf),
  operations: each(operationOf),
  components: { messages: each(messageOf), schemas: schemas() },
});

/** A document as it lies in its file: the formatter leaves this folder alone. */
export const documentText = (document: Json): string => `${JSON.stringify(document, null, 2)}\n`;

/** Every generated document by its file name under surveillance/contract/schema. */
export const contractDocuments = (): Readonly<Record<string, Json>> => ({
  'asyncapi.json': asyncApi(),
  ...Object.fromEntries(
    Object.entries(schemas()).map(([name, schema]) => [
      `${name}.schema.json`,
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        $id: `urn:cutcard:contract:1:${name}`,
        title: name,
        ...schema,
      },
    ]),
  ),
});
