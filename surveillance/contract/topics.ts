/**
 * Where everything a table says is found: `cutcard/v1/{site}/{pit}/{table}/{kind}`.
 * Source: docs/CONTRACT.md, "Topics".
 */
export interface TableName {
  readonly site: string;
  readonly pit: string;
  readonly table: string;
}

export const TOPIC_PREFIX = 'cutcard/v1';

export const TOPIC_KINDS = [
  'status',
  'state',
  'event',
  'alert',
  'mark',
  'checkpoint',
  'documents',
  'health',
  'ack',
  'cmd',
  'cmd/reply',
] as const;
export type TopicKind = (typeof TOPIC_KINDS)[number];

/** One level of a topic: no slash, wildcard, space or leading `$` can slip in. */
const LEVEL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;

export const isTopicLevel = (text: string): boolean => LEVEL.test(text);

/** What is wrong with a table's name, in plain words; null when it is usable in a topic. */
export const tableNameFault = (name: TableName): string | null => {
  for (const [field, value] of Object.entries({
    site: name.site,
    pit: name.pit,
    table: name.table,
  })) {
    if (!isTopicLevel(value)) {
      return (
        `${field} \`${value.slice(0, 40)}\` cannot be part of a topic: 1 to 32 letters, digits, ` +
        'dots, hyphens or underscores, beginning with a letter or a digit'
      );
    }
  }
  return null;
};

/** `cutcard/v1/site/pit/table`, without a trailing slash. */
export const tableRoot = (name: TableName): string =>
  `${TOPIC_PREFIX}/${name.site}/${name.pit}/${name.table}`;

/** `site/pit/table`: how a command names the table it is meant for. */
export const tablePath = (name: TableName): string => `${name.site}/${name.pit}/${name.table}`;

/**
 * The only client id a table uses, and the name in its certificate. Colons part the levels because
 * no level can hold one: two tables never come out with one id.
 */
export const clientIdOf = (name: TableName): string =>
  `cutcard:${name.site}:${name.pit}:${name.table}`;

export const topicOf = (name: TableName, kind: Exclude<TopicKind, 'ack'>): string =>
  `${tableRoot(name)}/${kind}`;

export const ackTopicOf = (name: TableName, consumer: string): string =>
  `${tableRoot(name)}/ack/${consumer}`;

export interface ParsedTopic {
  readonly name: TableName;
  readonly kind: TopicKind;
  /** Only for `ack/{consumer}`. */
  readonly consumer: string | null;
}

const isKind = (text: string): text is TopicKind =>
  (TOPIC_KINDS as readonly string[]).includes(text);

/** Takes a topic apart; null when it is none of ours. */
export const parseTopic = (topic: string): ParsedTopic | null => {
  const [product, version, site, pit, table, first, second, ...rest] = topic.split('/');
  if (`${product ?? ''}/${version ?? ''}` !== TOPIC_PREFIX || rest.length > 0) return null;
  if (site === undefined || pit === undefined || table === undefined || first === undefined) {
    return null;
  }
  const name = { site, pit, table };
  if (tableNameFault(name) !== null) return null;
  if (first === 'ack') {
    return second !== undefined && isTopicLevel(second)
      ? { name, kind: 'ack', consumer: second }
      : null;
  }
  const kind = second === undefined ? first : `${first}/${second}`;
  return isKind(kind) && kind !== 'ack' ? { name, kind, consumer: null } : null;
};
