import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a block of `key: value`',
  record: 'a block of `key: value`',
  array: 'a list',
  null: 'nothing',
};

/** What the library says where a schema says nothing of its own. */
const STANDARD = /^(Invalid|Too |Unrecognized|Expected|Required)/;

const listed = (values: readonly unknown[]): string => {
  const words = values.map(String);
  const last = words.pop() ?? 'nothing';
  return words.length === 0 ? last : `${words.join(', ')} or ${last}`;
};

const ENTRIES: ReadonlySet<string> = new Set(['array', 'set', 'map', 'record', 'object']);

const sizeWords = (limit: string, amount: number | bigint, origin: string): string => {
  if (origin === 'string') {
    return amount === 1 && limit === 'at least'
      ? 'must not be empty'
      : `takes ${limit} ${amount} characters`;
  }
  return ENTRIES.has(origin) ? `takes ${limit} ${amount} entries` : `is to be ${limit} ${amount}`;
};

/** Values that any of the branches takes; null where one takes something else too. */
const choicesOf = (branches: readonly (readonly Issue[])[]): readonly unknown[] | null => {
  const values: unknown[] = [];
  for (const [issue] of branches) {
    if (issue?.code !== 'invalid_value') return null;
    values.push(...issue.values);
  }
  return values;
};

const wordsOf = (issue: Issue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? `is missing: it takes ${KINDS[issue.expected] ?? issue.expected}`
        : `takes ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `takes ${listed(issue.values)}`;
    case 'too_small':
      return sizeWords('at least', issue.minimum, issue.origin);
    case 'too_big':
      return sizeWords('at most', issue.maximum, issue.origin);
    case 'unrecognized_keys':
      return `there is no key ${listed(issue.keys.map((key) => `\`${key}\``))} here`;
    case 'invalid_union': {
      // Where one word says which form follows, the library lists the words there are.
      const words = issue.inclusive === false ? undefined : issue.options;
      const choices = words ?? choicesOf(issue.errors) ?? [];
      return choices.length === 0 ? 'is nothing of what is taken here' : `takes ${listed(choices)}`;
    }
    case 'invalid_format':
      return 'is not written as it must be';
    case 'not_multiple_of':
      return `takes multiples of ${issue.divisor}`;
    default:
      return 'is not taken here';
  }
};

/** One thing that does not fit a schema, in plain words: the schema's own, where it has some. */
export const plainIssue = (issue: Issue): string =>
  STANDARD.test(issue.message) ? wordsOf(issue) : issue.message;
