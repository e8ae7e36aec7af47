import { closeSync, fstatSync } from 'node:fs';
import { isNode, LineCounter, parseDocument, stringify } from 'yaml';
import { z } from 'zod';
import { openGiven, placeTrouble, textFrom } from '../../controller/config/given-file.js';
import { plainIssue as issueWords } from '../../controller/config/plain-issue.js';
import { plainValue } from '../../controller/config/plain-value.js';
import { ROLES } from '../../controller/core/cards.js';
import { writeDurably } from '../identity/files.js';
import { isPasswordHash } from './password.js';
import { ACCESS_ROLES } from './roles.js';

/** People in one list. */
const USERS_MAX = 1000;
const MAX_BYTES = 1_000_000;
/** Nobody but the owner may read the hashes. */
const OPEN_TO_OTHERS = 0o077;
export const USERS_MODE = 0o600;

const NAME = /^[a-z0-9](?:[a-z0-9._@-]{0,62}[a-z0-9])?$/;

const userSchema = z.strictObject({
  name: z.string().regex(NAME, 'a name is lower-case letters, digits, `.`, `_`, `@` and `-`'),
  roles: z.array(z.enum(ACCESS_ROLES)).min(1).max(ACCESS_ROLES.length),
  press: z.array(z.enum(ROLES)).max(ROLES.length).default([]),
  badge: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/)
    .nullable()
    .default(null),
  /** null: comes in by single sign-on only. */
  password: z.string().refine(isPasswordHash, 'no hash that `cutcard user` made').nullable(),
});

const listSchema = z.strictObject({
  users: z.literal(1, 'the format is `users: 1`'),
  people: z.array(userSchema).max(USERS_MAX),
});

/** A person who may log in. `password`: the hash. */
export type User = z.output<typeof userSchema>;

/** The list of users cannot be used; the message names file, line, cause and cure. */
export class UsersError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'UsersError';
  }
}

export const isUserName = (name: string): boolean => NAME.test(name);

const TAKEN: Readonly<Record<string, string>> = {
  roles: ACCESS_ROLES.join(', '),
  press: ROLES.join(', '),
};

const nameOf = (field: string): keyof User =>
  field === 'roles' || field === 'press' || field === 'badge' || field === 'password'
    ? field
    : 'name';

/** What is wrong with a field, in words and with what would be taken. */
const plainIssue = (issue: z.core.$ZodIssue | undefined, given: unknown): string => {
  const field = String(issue?.path[0] ?? '');
  const known = TAKEN[field];
  const at = issue?.path[1];
  if (known !== undefined && Array.isArray(given)) {
    const word: unknown = typeof at === 'number' ? given[at] : undefined;
    if (typeof word === 'string') return `\`${word}\` is no role here; there are ${known}`;
    if (issue?.code === 'too_small') return `give one or more of ${known}`;
    if (issue?.code === 'too_big') return `more than there are: ${known}`;
  }
  if (field === 'badge') return 'a badge is up to 32 letters, digits, `.`, `_` and `-`';
  return issue === undefined ? 'not taken' : issueWords(issue);
};

/** Checks somebody new. @throws UsersError naming what is not taken and what is. */
export const newUser = (given: Readonly<Record<keyof User, unknown>>): User => {
  const parsed = userSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = String(issue?.path[0] ?? 'entry');
  throw new UsersError(`${field}: ${plainIssue(issue, given[nameOf(field)])}`);
};

/** A name twice, or a badge of two people: nobody could tell who it was. */
const twice = (people: readonly User[]): string | null => {
  const seen = new Set<string>();
  for (const { name, badge } of people) {
    if (seen.has(`name ${name}`)) return `the name \`${name}\` stands twice`;
    if (badge !== null && seen.has(`badge ${badge}`)) return `two people have badge \`${badge}\``;
    seen.add(`name ${name}`).add(`badge ${badge ?? name}`);
  }
  return null;
};

const valueOf = (document: Parameters<typeof plainValue>[0], file: string): unknown => {
  try {
    return plainValue(document, file);
  } catch (cause) {
    throw new UsersError(cause instanceof Error ? cause.message : file, cause);
  }
};

/** @throws UsersError */
export const readUsers = (text: string, file: string): readonly User[] => {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    version: '1.2',
  });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const { line } = lines.linePos(broken.pos[0]);
    throw new UsersError(`${file}:${line}: not readable as YAML: ${broken.message}`, broken);
  }
  const parsed = listSchema.safeParse(valueOf(document, file));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const path = (issue?.path ?? []).map((part) => (typeof part === 'symbol' ? '' : part));
    const node = path.length === 0 ? null : document.getIn(path, true);
    const { line } = lines.linePos(isNode(node) ? (node.range?.[0] ?? 0) : 0);
    const field = path.join('.') || 'file';
    throw new UsersError(
      `${file}:${Math.max(1, line)}: ${field}: ` +
        `${issue === undefined ? 'not taken' : issueWords(issue)}; ` +
        'change it with `cutcard user`',
    );
  }
  const fault = twice(parsed.data.people);
  if (fault !== null) throw new UsersError(`${file}: ${fault}; remove one`);
  return parsed.data.people;
};

/** What tells whether the file was replaced. */
export interface UsersRead {
  readonly people: readonly User[];
  readonly mark: string;
}

export const markOf = (stat: { ino: number; mtimeMs: number; size: number }): string =>
  `${stat.ino}.${stat.mtimeMs}.${stat.size}`;

const textOf = (file: number, path: string): string => {
  try {
    return textFrom(file, MAX_BYTES);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsersError(`${path}: the list of users cannot be read: ${why}`, cause);
  }
};

/** @throws UsersError where the file is not there, not ours alone, or not readable. */
export const loadUsers = (path: string): UsersRead => {
  let file: number;
  try {
    file = openGiven(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const cure = `add somebody: cutcard user add NAME --file ${path} --role operator`;
    throw new UsersError(`${path}: the list of users cannot be read: ${why}; ${cure}`, cause);
  }
  try {
    const stat = fstatSync(file);
    if ((stat.mode & OPEN_TO_OTHERS) !== 0) {
      throw new UsersError(
        `${path}: others may read or write it (mode ${(stat.mode & 0o777).toString(8)}); ` +
          `run chmod 600 ${path}`,
      );
    }
    return { people: readUsers(textOf(file, path), path), mark: markOf(stat) };
  } finally {
    closeSync(file);
  }
};

/** Replaces the list whole or not at all. @throws UsersError for a name or badge given twice. */
export const saveUsers = (path: string, people: readonly User[]): void => {
  const fault = twice(people);
  if (fault !== null) throw new UsersError(`${path}: ${fault}`);
  const trouble = placeTrouble(path);
  if (trouble !== null) throw new UsersError(`${path}: the list cannot be written: ${trouble}`);
  const text = stringify({ users: 1, people }, { lineWidth: 0 });
  try {
    writeDurably(path, text, USERS_MODE);
  } catch (cause) {
    throw new UsersError(cause instanceof Error ? cause.message : path, cause);
  }
};
