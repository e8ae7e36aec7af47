import { ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../firmware-bridge/files.js';
import type { Guest } from './guest.js';

/** The person who follows the documents: an account with sudo, and nothing else. */
const PERSON = 'tech';

/** A document's text between one heading and the next. @throws where there is no such heading */
const under = (page: string, heading: string): string => {
  const text = readFileSync(join(packageRoot(), 'docs', `${page}.md`), 'utf8');
  const parts = text.split(/^## /m).filter((part) => part.split('\n')[0]?.trim() === heading);
  strictEqual(parts.length, 1, `docs/${page}.md has ${parts.length} headings "${heading}"`);
  return parts[0] ?? '';
};

/**
 * The command lines that a document gives under a heading, in its blocks marked `sh`.
 * @throws where there are none
 */
export const commandsUnder = (page: string, heading: string): readonly string[] => {
  const blocks = [...under(page, heading).matchAll(/^```sh\n([\s\S]*?)^```$/gm)];
  const lines = blocks.flatMap((block) => (block[1] ?? '').split('\n'));
  const commands = lines
    .map((line) => line.replace(/(?:^|\s+)#\s.*$/, '').trim())
    .filter((line) => line !== '');
  ok(commands.length > 0, `docs/${page}.md has no command under "${heading}"`);
  return commands;
};

/** Rows of the table under a heading, without its head: their cells as they stand. */
export const rowsUnder = (page: string, heading: string): readonly (readonly string[])[] => {
  const lines = under(page, heading).match(/^\|.*\|$/gm) ?? [];
  const [, rule, ...rows] = lines;
  ok(rule !== undefined && /^[|\s-]+$/.test(rule), `docs/${page}.md: no table under "${heading}"`);
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
};

/** What stands in a sentence as `this` must be there word for word. @returns it */
export const saidUnder = (page: string, heading: string, words: string): string => {
  ok(
    under(page, heading).includes(`\`${words}\``),
    `docs/${page}.md does not say \`${words}\` under "${heading}"`,
  );
  return words;
};

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The command line as that person types it, in the folder where their terminal opens. */
export const asPerson = (command: string): string => `runuser -l ${PERSON} -c ${quoted(command)}`;

interface Walk {
  readonly page: string;
  readonly heading: string;
  /** Names that a document leaves open, such as HOUSE/PIT/TABLE, and what stands for them here. */
  readonly words?: Readonly<Record<string, string>>;
  /**
   * Command lines that need a person (an editor, a log that is watched): what is done in their
   * place, null: nothing.
   */
  readonly instead?: Readonly<Record<string, string | null>>;
}

/**
 * Types what a document gives under a heading, line by line. @returns all that was answered
 * @throws where a line fails, or one that `instead` names is no longer in the document
 */
export const follow = async (guest: Guest, walk: Walk): Promise<string> => {
  const { page, heading, words = {}, instead = {} } = walk;
  const given = commandsUnder(page, heading);
  for (const line of Object.keys(instead)) {
    ok(given.includes(line), `docs/${page}.md no longer gives \`${line}\` under "${heading}"`);
  }
  let said = '';
  for (const line of given) {
    const typed = Object.hasOwn(instead, line) ? instead[line] : line;
    if (typed === null || typed === undefined) continue;
    const meant = Object.entries(words).reduce((all, [a, b]) => all.replaceAll(a, b), typed);
    said += `${await guest.must(asPerson(meant))}\n`;
  }
  return said;
};
