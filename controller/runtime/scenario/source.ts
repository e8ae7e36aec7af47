import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { LIMITS, type Place } from './schema.js';

/** Something in a scenario file that cannot be used: where, what, and what to write instead. */
export class ScenarioProblem extends Error {
  readonly file: string;
  readonly place: Place;
  readonly why: string;

  constructor(file: string, place: Place, why: string) {
    super(`${file}:${place.line}:${place.column}: ${why}`);
    this.name = 'ScenarioProblem';
    this.file = file;
    this.place = place;
    this.why = why;
  }
}

const MAX_SUGGEST_CHARS = 40;

/** Levenshtein distance, for "did you mean". */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

/** The word of `words` nearest to `word`, or null when none is near. */
export const nearest = (word: string, words: readonly string[]): string | null => {
  if (word.length > MAX_SUGGEST_CHARS) return null;
  let best: string | null = null;
  let least = Math.max(2, Math.ceil(word.length / 3)) + 1;
  for (const known of words) {
    const d = distance(word.toLowerCase(), known.toLowerCase());
    if (d < least) [best, least] = [known, d];
  }
  return best;
};

/** What may have been meant and what may stand there, to end a message with. */
export const hint = (word: string, words: readonly string[]): string => {
  const near = nearest(word, words);
  const list = words.length <= 60 ? `; it takes ${words.join(', ')}` : '';
  return `${near === null ? '' : `; did you mean \`${near}\`?`}${list}`;
};

const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|d)$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `250ms`, `3s`, `5m`, `2h`, `1d` in milliseconds; null when it is none of these. */
export const durationMs = (text: string): number | null => {
  const match = DURATION.exec(text.trim());
  const unit = UNIT_MS[match?.[2] ?? ''];
  return match?.[1] === undefined || unit === undefined ? null : Number(match[1]) * unit;
};

/** One scenario file as YAML nodes, with readers that know where everything stands. */
export class Source {
  readonly #lines = new LineCounter();
  readonly file: string;
  readonly text: string;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
  }

  /** The document's root mapping. Throws `ScenarioProblem`. */
  root(): YAMLMap {
    if (Buffer.byteLength(this.text) > LIMITS.fileBytes) {
      throw new ScenarioProblem(
        this.file,
        { line: 1, column: 1 },
        `the file is larger than ${LIMITS.fileBytes} bytes; split it into several scenarios`,
      );
    }
    const document = parseDocument(this.text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      uniqueKeys: true,
      version: '1.2',
    });
    const error = document.errors[0];
    if (error !== undefined) {
      throw new ScenarioProblem(this.file, this.#placeOf(error.pos[0]), this.#unreadable(error));
    }
    const root = document.contents;
    if (!isMap(root)) {
      throw new ScenarioProblem(
        this.file,
        { line: 1, column: 1 },
        'a scenario file is a mapping with scenario, title, procedure, table and timeline',
      );
    }
    return root;
  }

  /** What the YAML reader stumbled over, with the cure where it is plain. */
  #unreadable({ code, message, pos: [from] }: YAMLError): string {
    switch (code) {
      case 'DUPLICATE_KEY': {
        const key = /^[^\s:,{}]+/.exec(this.text.slice(from, from + MAX_SUGGEST_CHARS))?.[0];
        const again = 'stands here for the second time in one mapping; keep one';
        return `not readable as YAML: ${key === undefined ? 'a key' : `\`${key}\``} ${again}`;
      }
      case 'MULTIPLE_DOCS':
        return 'not readable as YAML: a second document begins here; write one scenario a file';
      case 'TAB_AS_INDENT':
        return 'not readable as YAML: a tab indents this line; indent with spaces';
      default:
        return `not readable as YAML: ${message}`;
    }
  }

  #placeOf(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  place(node: Node): Place {
    return this.#placeOf(node.range?.[0] ?? 0);
  }

  problem(node: Node, why: string): ScenarioProblem {
    return new ScenarioProblem(this.file, this.place(node), why);
  }

  /** A plain value: text, number, true/false or null. */
  scalar(node: Node, what: string): string | number | boolean | null {
    if (isAlias(node)) {
      throw this.problem(node, `${what}: \`*\` references are not used here; write the value out`);
    }
    const value: unknown = isScalar(node) ? node.value : undefined;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      return value;
    }
    if (value === null) return null;
    throw this.problem(node, `${what} takes a single value, not ${shapeOf(node)}`);
  }

  /** The source text of a scalar: `10c`, `7`, `A`. Numbers keep the way they were written. */
  word(node: Node, what: string): string {
    const value = this.scalar(node, what);
    if (typeof value === 'string' && value.length <= LIMITS.textChars && value.trim() !== '') {
      return value.trim();
    }
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    throw this.problem(node, `${what} takes a word of at most ${LIMITS.textChars} characters`);
  }

  /** One word out of a list. */
  oneOf<T extends string>(node: Node, what: string, words: readonly T[]): T {
    const word = this.word(node, what);
    const found = words.find((known) => known === word);
    if (found !== undefined) return found;
    throw this.problem(node, `${what} cannot be \`${word}\`${hint(word, words)}`);
  }

  whole(node: Node, what: string, min: number, max: number): number {
    const value = this.scalar(node, what);
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
      return value;
    }
    throw this.problem(
      node,
      `${what} takes a whole number from ${min} to ${max}, not \`${String(value)}\``,
    );
  }

  flag(node: Node, what: string): boolean {
    const value = this.scalar(node, what);
    if (typeof value === 'boolean') return value;
    throw this.problem(node, `${what} takes true or false, not \`${String(value)}\``);
  }

  /** Milliseconds. */
  duration(node: Node, what: string): number {
    const value = this.scalar(node, what);
    const ms = typeof value === 'string' ? durationMs(value) : value === 0 ? 0 : null;
    if (ms !== null && ms <= LIMITS.waitMs) return ms;
    throw this.problem(
      node,
      `${what} takes a time with its unit, such as 250ms, 3s, 5m or 2h (at most 400d), ` +
        `not \`${String(value)}\``,
    );
  }

  items(node: Node, what: string): readonly Node[] {
    if (!isSeq(node)) throw this.problem(node, `${what} takes a list, not ${shapeOf(node)}`);
    return node.items.map((item) => {
      if (isNode(item)) return item;
      throw this.problem(node, `${what}: an empty item`);
    });
  }

  map(node: Node, what: string, keys: readonly string[]): Fields {
    if (!isMap(node)) {
      throw this.problem(
        node,
        `${what} takes a mapping with ${keys.join(', ')}, not ${shapeOf(node)}`,
      );
    }
    return new Fields(this, node, what, keys);
  }
}

const isNode = (value: unknown): value is Node =>
  isScalar(value) || isMap(value) || isSeq(value) || isAlias(value);

const shapeOf = (node: Node): string => {
  if (isMap(node)) return 'a mapping';
  if (isSeq(node)) return 'a list';
  if (isScalar(node)) return node.value === null ? 'nothing' : 'a single value';
  return 'a reference';
};

/** The fields of one mapping; refuses a key that is not known the moment it is made. */
export class Fields {
  readonly #nodes = new Map<string, Node>();
  readonly #keys = new Map<string, Node>();
  readonly source: Source;
  readonly node: YAMLMap;
  readonly what: string;

  constructor(source: Source, node: YAMLMap, what: string, allowed: readonly string[]) {
    this.source = source;
    this.node = node;
    this.what = what;
    for (const pair of node.items) {
      const key = isScalar(pair.key) ? String(pair.key.value) : null;
      if (key === null || !isNode(pair.key)) {
        throw source.problem(node, `${what}: a key must be a plain word (quote a lone "?")`);
      }
      if (!allowed.includes(key)) {
        throw source.problem(pair.key, `${what} has no key \`${key}\`${hint(key, allowed)}`);
      }
      if (!isNode(pair.value)) {
        throw source.problem(pair.key, `${what}: \`${key}\` has no value`);
      }
      this.#nodes.set(key, pair.value);
      this.#keys.set(key, pair.key);
    }
  }

  keys(): readonly string[] {
    return [...this.#nodes.keys()];
  }

  get(key: string): Node | undefined {
    return this.#nodes.get(key);
  }

  /** `example`: how it may be written, for the message where it is not there. */
  need(key: string, example?: string): Node {
    const node = this.#nodes.get(key);
    if (node !== undefined) return node;
    const cure = example === undefined ? '' : `; write \`${key}: ${example}\``;
    throw this.source.problem(this.node, `${this.what} needs \`${key}\`${cure}`);
  }

  /** Reads an optional field. */
  read<T>(key: string, reader: (node: Node, what: string) => T): T | undefined {
    const node = this.#nodes.get(key);
    return node === undefined ? undefined : reader(node, `${this.what}: \`${key}\``);
  }

  place(key: string): Place {
    return this.source.place(this.#keys.get(key) ?? this.node);
  }

  problem(key: string, why: string): ScenarioProblem {
    return this.source.problem(this.#keys.get(key) ?? this.node, `${this.what}: ${why}`);
  }
}
