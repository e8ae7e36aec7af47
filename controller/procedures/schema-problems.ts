import type { z } from 'zod';
import type { Problem } from './problem.js';
import { type MapNode, type Path, pathText, placeOf, walk } from './tree.js';

type Issue = z.core.$ZodIssue;

interface Said {
  readonly cause: string;
  readonly cure: string;
}

/** Edit distance, small words only: finds what a mistyped key was meant to be. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

const nearest = (word: string, known: readonly string[]): string | null => {
  const ranked = known
    .map((other) => ({ other, far: distance(word.toLowerCase(), other.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best !== undefined && best.far <= Math.min(3, word.length / 2) ? best.other : null;
};

const kindWord = (expected: string): string => {
  const words: Record<string, string> = {
    string: 'text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    object: 'a block of `key: value` lines',
    record: 'a block of `key: value` lines',
    array: 'a list such as [shoe, hand]',
  };
  return words[expected] ?? expected;
};

const seenWord = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'none';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a block' : JSON.stringify(value);
};

const size = (issue: Issue): Said => {
  const low = issue.code === 'too_small';
  const limit = low ? issue.minimum : issue.code === 'too_big' ? issue.maximum : 0;
  const origin = issue.code === 'too_small' || issue.code === 'too_big' ? issue.origin : '';
  const give = `Give ${low ? 'at least' : 'at most'} ${String(limit)}`;
  if (origin !== 'array' && origin !== 'string') {
    return { cause: `The number is too ${low ? 'small' : 'large'}.`, cure: `${give}.` };
  }
  const of = origin === 'array' ? 'entries' : 'characters';
  const cause = `It has ${low ? 'fewer' : 'more'} than ${String(limit)} ${of}.`;
  return { cause, cure: `${give} ${of}.` };
};

/** Blocks that may be `none`. */
const NULLABLE: ReadonlySet<string> = new Set(['cut', 'marker', 'burn', 'dealerBurn', 'cover']);

const FORMATS: Readonly<Record<string, string>> = {
  id: 'Write place/name in small letters, such as pa/631a-baccarat.',
  version: 'Write three numbers, such as 1.0.0.',
  'approval.date': 'Write year, month and day, such as 2026-01-31.',
  'burn.kind': 'Write one of: first-card-value, fixed, deck-count.',
  'deck.composition': 'Write one of: standard, one-joker, two-jokers, no-tens.',
};

const SEE = 'See docs/PROCEDURES.md for what this key takes.';
const MISSING = 'This must be given and is missing.';

const missing = (issue: Issue, field: string): Said => {
  if (issue.code === 'invalid_value') {
    return { cause: MISSING, cure: `Add one of: ${issue.values.map(String).join(', ')}.` };
  }
  if (issue.code !== 'invalid_type') return { cause: MISSING, cure: SEE };
  const none = NULLABLE.has(field) ? ', or none' : '';
  return { cause: MISSING, cure: `Add it: ${kindWord(issue.expected)}${none}.` };
};

const said = (issue: Issue, field: string, value: unknown): Said => {
  if (value === undefined) return missing(issue, field);
  const seen = seenWord(value);
  switch (issue.code) {
    case 'invalid_type':
      return { cause: `${seen} does not fit here.`, cure: `Write ${kindWord(issue.expected)}.` };
    case 'invalid_value':
      return {
        cause: `${seen} is not known here.`,
        cure: `Write one of: ${issue.values.map(String).join(', ')}.`,
      };
    case 'too_small':
    case 'too_big':
      return size(issue);
    case 'invalid_format':
      return {
        cause: `${seen} is not written as it must be.`,
        cure: FORMATS[field] ?? 'Write a single word of letters, digits and hyphens.',
      };
    case 'invalid_union':
      return { cause: `${seen} does not fit here.`, cure: FORMATS[field] ?? SEE };
    case 'invalid_key':
      return {
        cause: 'A name in this block is not known.',
        cure: 'Ranks are A, 2 to 9, T, J, Q, K; other names are single words.',
      };
    default:
      return { cause: `${issue.message}.`, cure: SEE };
  }
};

const valueAt = (root: unknown, path: Path): unknown => {
  let here: unknown = root;
  for (const part of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = new Map(Object.entries(here)).get(String(part));
  }
  return here;
};

type KeysOf = (path: Path) => readonly string[];

/** A key that is not taken, and the one it was probably meant to be. */
const unknownKey = (tree: MapNode, path: Path, key: string, known: readonly string[]): Found => {
  const guess = nearest(key, known);
  const field = pathText([...path, key]);
  return {
    meant: guess === null ? null : pathText([...path, guess]),
    isMissing: false,
    problem: {
      ...placeOf(tree, [...path, key]),
      field,
      cause: `There is no key \`${key}\` here.`,
      cure: guess === null ? `The keys are: ${known.join(', ')}.` : `Did you mean \`${guess}\`?`,
    },
  };
};

interface Found {
  readonly problem: Problem;
  /** Field a mistyped key was meant to be. */
  readonly meant: string | null;
  readonly isMissing: boolean;
}

const found = (issue: Issue, tree: MapNode, value: unknown, keysOf: KeysOf): readonly Found[] => {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? '' : part));
  const inner = issue.code === 'invalid_union' ? deepest(issue) : null;
  if (inner !== null) {
    return inner.flatMap((one) =>
      found({ ...one, path: [...issue.path, ...one.path] }, tree, value, keysOf),
    );
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey(tree, path, key, keysOf(path)));
  }
  const reached = walk(tree, path).length - 1;
  const place = placeOf(tree, path.slice(0, reached));
  const field = pathText(path) || 'pack';
  const seen = valueAt(value, path);
  const problem = { ...place, field, ...said(issue, field, seen) };
  return [{ problem, meant: null, isMissing: seen === undefined }];
};

/**
 * What the schema found, in plain words with file and line. A key missing because it was mistyped
 * is told once, as the mistyped one.
 * `keysOf` names the keys a block takes, so that a mistyped one can be guessed.
 */
export const schemaProblems = (
  issues: readonly Issue[],
  tree: MapNode,
  value: unknown,
  keysOf: KeysOf,
): readonly Problem[] => {
  const all = issues.flatMap((issue) => found(issue, tree, value, keysOf));
  const meant = new Set(all.map((one) => one.meant));
  return all
    .filter((one) => !(one.isMissing && meant.has(one.problem.field)))
    .map((one) => one.problem);
};

/** Of a union's branches, the one that came nearest: its issues are worth more than "no fit". */
const deepest = (issue: Extract<Issue, { code: 'invalid_union' }>): Issue[] | null => {
  const branches = issue.errors.filter((branch) => branch.some((one) => one.path.length > 0));
  const sorted = [...branches].sort((a, b) => a.length - b.length);
  return sorted[0] ?? null;
};
