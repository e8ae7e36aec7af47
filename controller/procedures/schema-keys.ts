import { z } from 'zod';
import { packSchema } from './schema.js';
import type { Path } from './tree.js';

/** Takes `.nullable()`, `.default()` and `.optional()` off a schema. */
const bare = (schema: unknown): unknown => {
  if (schema instanceof z.ZodNullable) return bare(schema.unwrap());
  if (schema instanceof z.ZodOptional) return bare(schema.unwrap());
  if (schema instanceof z.ZodDefault) return bare(schema.unwrap());
  return schema;
};

const branches = (schema: unknown): readonly unknown[] => {
  const inner = bare(schema);
  return inner instanceof z.ZodUnion || inner instanceof z.ZodDiscriminatedUnion
    ? inner.options.flatMap((one) => branches(one))
    : [inner];
};

/** Keys that any block may carry beside its own. */
const MARKS = ['clause', 'verified', 'source', 'note'];

/** The keys a pack takes at a path: `['cut']` gives `cutter`, `minFromTop`, ... */
export const keysAt = (path: Path): readonly string[] => {
  let here: readonly unknown[] = [packSchema];
  for (const part of path) {
    here = here
      .flatMap((schema): readonly unknown[] => {
        const inner = bare(schema);
        if (inner instanceof z.ZodObject) return [inner.shape[String(part)]];
        if (inner instanceof z.ZodRecord) return [inner.valueType];
        if (inner instanceof z.ZodArray) return [inner.element];
        return [];
      })
      .flatMap((schema) => branches(schema));
  }
  const keys = here.flatMap((schema) => {
    const inner = bare(schema);
    if (inner instanceof z.ZodObject) return Object.keys(inner.shape);
    const names = inner instanceof z.ZodRecord ? inner.keyType : null;
    return names instanceof z.ZodEnum ? names.options.map(String) : [];
  });
  return [...new Set(path.length === 0 ? keys : [...keys, ...MARKS])];
};
