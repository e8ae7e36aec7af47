import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { plainValue } from './plain-value.js';
import { plainIssue } from './plain-issue.js';
import { ROLES } from '../core/cards.js';

const MAX_CHARACTERS = 100_000;
const KEYS_MAX = 64;

const listSchema = z
  .array(
    z.strictObject({
      name: z.string().min(1).max(64),
      role: z.enum(ROLES),
      publicKey: z.string().regex(/^[A-Za-z0-9+/]{43}=$/),
    }),
  )
  .max(KEYS_MAX);

/** Who may command a table; `publicKey`: the 32 bytes of an Ed25519 key, base64. */
export type CommandKeys = z.output<typeof listSchema>;

/**
 * Reads the list of who may command a table.
 * @throws Error naming file, line and what to write.
 */
export const readCommandKeys = (text: string, file: string): CommandKeys => {
  const lines = new LineCounter();
  const document = parseDocument(text.slice(0, MAX_CHARACTERS), {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
  });
  const error = document.errors[0];
  if (error !== undefined) {
    const { line } = lines.linePos(error.pos[0]);
    throw new Error(`${file}:${line}: not readable as YAML: ${error.message}`);
  }
  const parsed = listSchema.safeParse(plainValue(document, file) ?? []);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  const why = issue === undefined ? 'not taken' : plainIssue(issue);
  throw new Error(
    `${file}: entry ${field || '1'}: ${why}; write a list ` +
      'of { name, role: dealer | floor | tech | surveillance, publicKey: 32 bytes in base64 }',
  );
};
