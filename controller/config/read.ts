import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { isLive } from './reload.js';
import { configSchema, crossesBare, hostPort, type SiteConfig } from './schema.js';
import { isLoopback } from './loopback.js';

/** Longest configuration taken, characters; a real one has some two thousand. */
export const MAX_CONFIG_CHARACTERS = 100_000;

/** One thing wrong with a configuration. */
export interface ConfigProblem {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** `broker.url`, `table.batches[0]`; `file` for the whole. */
  readonly field: string;
  readonly cause: string;
  readonly cure: string;
}

export type ConfigRead =
  | { readonly ok: true; readonly config: SiteConfig }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

type Path = readonly PropertyKey[];

/** `file:line: field: cause; cure` */
export const configProblemText = (problem: ConfigProblem): string =>
  `${problem.file}:${problem.line}: ${problem.field}: ${problem.cause}; ${problem.cure}`;

/**
 * Draft 2020-12 JSON Schema of the configuration, for editors. `x-reload` of a top-level field says
 * whether a running table takes a change over on SIGHUP (`live`) or needs a `restart`.
 */
export const configJsonSchema = (): Readonly<Record<string, unknown>> => {
  const schema = z.toJSONSchema(configSchema, { io: 'input' });
  const properties = Object.entries(schema.properties ?? {}).map(([field, about]) => [
    field,
    typeof about === 'object'
      ? { ...about, 'x-reload': isLive(field) ? 'live' : 'restart' }
      : about,
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
};

const fieldText = (path: Path): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : `${text}${text && '.'}${String(part)}`,
    '',
  ) || 'file';

type Document = ReturnType<typeof parseDocument>;

/** One file being read: where its fields stand and what each of them wants. */
class Reading {
  readonly problems: ConfigProblem[] = [];
  readonly #lines = new LineCounter();
  readonly document: Document;
  readonly file: string;

  constructor(text: string, file: string) {
    this.document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      uniqueKeys: true,
      version: '1.2',
    });
    this.file = file;
  }

  add(path: Path, cause: string, cure: string): void {
    const line = this.lineAt(path);
    this.problems.push({ file: this.file, line, field: fieldText(path), cause, cure });
  }

  addAt(offset: number, cause: string, cure: string): void {
    const line = Math.max(1, this.#lines.linePos(offset).line);
    this.problems.push({ file: this.file, line, field: 'file', cause, cure });
  }

  /** Line of the key, or of the nearest block around it that is there. */
  lineAt(path: Path): number {
    let here: unknown = this.document.contents;
    let offset = 0;
    for (const part of path) {
      if (isMap(here)) {
        const pair = here.items.find((item) => isScalar(item.key) && item.key.value === part);
        if (pair === undefined) break;
        offset = isNode(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
        here = pair.value;
      } else if (isSeq(here) && typeof part === 'number') {
        here = here.items[part];
        offset = isNode(here) ? (here.range?.[0] ?? offset) : offset;
      } else break;
    }
    return Math.max(1, this.#lines.linePos(offset).line);
  }
}

const LEAST_ALIKE = 0.5;

/** The known word that shares most of its letters in order with a wrong one. */
const nearest = (word: string, known: readonly string[]): string | null => {
  let best: string | null = null;
  let most = LEAST_ALIKE;
  for (const candidate of known) {
    let found = 0;
    for (const letter of candidate) if (word[found] === letter) found += 1;
    let back = 0;
    for (const letter of word) if (candidate[back] === letter) back += 1;
    const alike = (2 * Math.max(found, back)) / (word.length + candidate.length);
    if (alike > most) [best, most] = [candidate, alike];
  }
  return best;
};

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** What the schema says about a field, for the cure. */
const schemaAt = (path: Path): Json => {
  let here: Json = configJsonSchema();
  for (const part of path) {
    const { properties, items } = { properties: here['properties'], items: here['items'] };
    const next =
      typeof part === 'number' ? items : isJson(properties) ? properties[String(part)] : null;
    if (!isJson(next)) return {};
    here = next;
  }
  return here;
};

const wanted = (path: Path): string => {
  const { description } = { description: schemaAt(path)['description'] };
  return typeof description === 'string' ? `write ${description}` : 'see `cutcard config schema`';
};

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? 'nothing' : text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

const report = (reading: Reading, issue: z.core.$ZodIssue): void => {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const properties = schemaAt(path)['properties'];
    const known = isJson(properties) ? Object.keys(properties) : [];
    for (const key of issue.keys) {
      const near = nearest(key, known);
      const cure = near === null ? `it takes ${known.join(', ')}` : `did you mean \`${near}\`?`;
      reading.add([...path, key], 'there is no such key', cure);
    }
    return;
  }
  const keys = path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  const value: unknown = keys.length === 0 ? reading.document.toJS() : undefined;
  const given: unknown = keys.length === 0 ? value : reading.document.getIn(keys);
  if (given === undefined) reading.add(path, 'it is missing', wanted(path));
  else if (isNode(given)) reading.add(path, 'this kind of value is not taken', wanted(path));
  else reading.add(path, `${shown(given)} is not taken`, wanted(path));
};

/** Nobody from elsewhere comes in without a login; no password crosses the network bare. */
const checkPage = (reading: Reading, page: NonNullable<SiteConfig['page']>): void => {
  const { listen, usersFile, tls, proxy } = page;
  const place = hostPort(listen);
  const at = ['page', 'listen'];
  if (place === null) {
    reading.add(at, 'the port is above 65535', 'write a port up to 65535');
    return;
  }
  const isOpen = !isLoopback(place.host);
  if (isOpen && usersFile === undefined) {
    const cause = 'there is no login, so only this machine may open the page';
    reading.add(at, cause, 'write 127.0.0.1:PORT, or give usersFile (cutcard user add)');
  } else if (isOpen && tls === undefined && proxy === undefined) {
    const cause = 'passwords would cross the network unprotected';
    reading.add(at, cause, 'give tls with certFile and keyFile, or the proxy that ends TLS');
  }
  if (proxy !== undefined && usersFile === undefined) {
    const cause = 'a proxy says who it is, and no list says what they may';
    reading.add(['page', 'proxy'], cause, 'give usersFile (cutcard user add --no-password)');
  }
};

/** What one field alone cannot tell. */
const checkTogether = (reading: Reading, config: SiteConfig): void => {
  const { broker, page, table } = config;
  if (broker !== undefined) {
    if (crossesBare(broker.url)) {
      const cause = 'messages would cross the network unprotected';
      reading.add(['broker', 'url'], cause, 'write mqtts:// and give caFile, certFile and keyFile');
    }
    if (broker.url.startsWith('mqtts://')) {
      for (const key of ['caFile', 'certFile', 'keyFile'] as const) {
        if (broker[key] === undefined) {
          reading.add(['broker', key], 'mqtts:// needs it', wanted(['broker', key]));
        }
      }
    }
    if (broker.passwordFile !== undefined && broker.username === undefined) {
      const cause = 'there is a password and no name';
      reading.add(['broker', 'passwordFile'], cause, 'give username too');
    }
  }
  if (page !== undefined) checkPage(reading, page);
  if (new Set(table.batches).size !== table.batches.length) {
    reading.add(['table', 'batches'], 'a colour is named twice', 'name each batch once');
  }
};

/**
 * Reads a configuration. Everything wrong with it is reported at once, in the order of the file.
 * @param file name for messages only; nothing is opened here.
 */
export const readConfig = (text: string, file: string): ConfigRead => {
  if (text.length > MAX_CONFIG_CHARACTERS) {
    const cause = `longer than ${MAX_CONFIG_CHARACTERS} characters`;
    const cure = 'check that this is a configuration file';
    return { ok: false, problems: [{ file, line: 1, field: 'file', cause, cure }] };
  }
  const reading = new Reading(text, file);
  for (const error of reading.document.errors) {
    const cause = `not readable as YAML: ${error.message}`;
    reading.addAt(error.pos[0], cause, 'check indentation, colons and quotation marks there');
  }
  visit(reading.document, (_key, node) => {
    if (!isAlias(node)) return undefined;
    reading.addAt(node.range?.[0] ?? 0, 'references (*name) are not taken', 'write the value out');
    return visit.SKIP;
  });
  if (reading.problems.length > 0) return { ok: false, problems: reading.problems };
  const parsed = configSchema.safeParse(reading.document.toJS());
  if (!parsed.success) for (const issue of parsed.error.issues) report(reading, issue);
  else checkTogether(reading, parsed.data);
  if (parsed.success && reading.problems.length === 0) return { ok: true, config: parsed.data };
  return { ok: false, problems: reading.problems.toSorted((a, b) => a.line - b.line) };
};

/** Line of a field in a text that `readConfig` took; where it is left out, of the block around. */
export const lineOfField = (text: string, path: readonly (string | number)[]): number =>
  new Reading(text, '').lineAt(path);
