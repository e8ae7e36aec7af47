import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { boardSchema } from '../../../firmware-bridge/boards/schema.js';
import { textOf } from '../../support/tree.js';

const PAGE = textOf('docs/BOARDS.md');

const form = z.looseObject({
  type: z.string().optional(),
  const: z.union([z.string(), z.number()]).optional(),
  enum: z.array(z.string()).optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  default: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
});
type Form = z.infer<typeof form>;

const WORD = '^[a-z][a-z0-9-]{0,31}$';

const takes = (of: Form): string => {
  if (of.const !== undefined) return `\`${of.const}\``;
  if (of.enum !== undefined) return of.enum.map((word) => `\`${word}\``).join(' ');
  if (of.anyOf !== undefined) return of.anyOf.map((one) => takes(form.parse(one))).join(', or ');
  const span = `${of.minimum ?? ''} to ${of.maximum ?? ''}`;
  switch (of.type) {
    case 'integer':
      return `whole number, ${span}`;
    case 'number':
      return `number, ${span}`;
    case 'array':
      return `list, ${of.minItems ?? 0} to ${of.maxItems ?? ''} entries`;
    case 'string':
      if (of.pattern === WORD) return 'name';
      if (of.pattern !== undefined) return 'path';
      return `text, ${of.minLength ?? 0} to ${of.maxLength ?? ''} characters`;
    default:
      return 'block';
  }
};

const fallback = (of: Form, isRequired: boolean): string => {
  const { default: stands } = of;
  if (typeof stands === 'object') return 'empty';
  if (typeof stands === 'string' || typeof stands === 'number') return `${stands}`;
  return isRequired ? 'must be given' : 'none';
};

/** The first three cells of each row that the page owes a block of keys, but for `skip`. */
const owed = (of: Form, skip: readonly string[] = []): readonly string[] =>
  Object.entries(of.properties ?? {}).flatMap(([key, value]) => {
    const field = form.parse(value);
    if (skip.includes(key)) return [];
    const isRequired = of.required?.includes(key) ?? false;
    return [`| \`${key}\` | ${takes(field)} | ${fallback(field, isRequired)} |`];
  });

/** Rows under a heading: without the last cell, which says what it is and must not be empty. */
const stated = (heading: string): readonly string[] => {
  const [, text] = PAGE.split(`\n${heading}\n`);
  if (text === undefined) throw new Error(`docs/BOARDS.md has no heading "${heading}"`);
  const rows = (text.split(/^#/m)[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) => {
    const match = /^(.* \|) (\S.*) \|$/.exec(row);
    if (match === null) throw new Error(`this row says nothing of its key: ${row}`);
    return match[1] ?? '';
  });
};

const board = form.parse(z.toJSONSchema(boardSchema, { io: 'input' }));
const part = (key: string): Form => form.parse(board.properties?.[key]);
const entryOf = (key: string): Form => form.parse(part(key).additionalProperties);
const formsOf = (key: string): readonly Form[] =>
  (entryOf(key).oneOf ?? []).map((one) => form.parse(one));
const named = (of: Form, key: string): string =>
  String(form.parse(of.properties?.[key]).const ?? '');

describe('docs/BOARDS.md', () => {
  it('lists the keys of a board file', () => {
    expect(stated('## The file')).toEqual(owed(board));
  });

  it('lists the keys of a line', () => {
    expect(stated('### `lines`')).toEqual(owed(entryOf('lines')));
  });

  it('lists the backends of lines, buses and streams with their keys', () => {
    expect(stated('### `gpio`')).toEqual(owed(part('gpio')));
    for (const key of ['i2c', 'streams']) {
      expect(stated(`### \`${key}\``)).toEqual(formsOf(key).flatMap((one) => owed(one)));
    }
  });

  it.each(formsOf('devices').map((one) => [named(one, 'driver'), one] as const))(
    'lists the keys of the driver %s',
    (driver, one) => {
      expect(stated(`#### \`${driver}\``)).toEqual(owed(one, ['driver']));
    },
  );

  it('has no driver that the program has not', () => {
    const headings = [...PAGE.matchAll(/^#### `(.*)`$/gm)].map(([, name]) => name);
    expect(headings).toEqual(formsOf('devices').map((one) => named(one, 'driver')));
  });

  it('lists the values of a calibration', () => {
    const mouth = formsOf('devices').find((one) => named(one, 'driver') === 'shoe-mouth');
    const [values] = form.parse(mouth?.properties?.['calibration']).anyOf ?? [];
    const calibration = form.parse(values);
    const colour = form.parse(form.parse(calibration.properties?.['colours']).items);
    expect(stated('### A calibration')).toEqual([...owed(calibration), ...owed(colour)]);
  });
});
