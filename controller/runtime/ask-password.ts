import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { EXIT, Refusal } from './exit.js';

/** Longest line taken, characters; a password has at most 128. */
const LINE_MAX = 1024;

/** Takes what readline would echo and shows nothing. */
const nothing = (): Writable =>
  new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });

/** One line from a person, unseen. @throws Refusal when they gave up (Ctrl-C, Ctrl-D). */
const typed = async (prompt: string): Promise<string> => {
  const lines = createInterface({ input: process.stdin, output: nothing(), terminal: true });
  // Not before the terminal has stopped to echo.
  process.stderr.write(prompt);
  const gaveUp = new AbortController();
  lines.once('SIGINT', () => gaveUp.abort());
  lines.once('close', () => gaveUp.abort());
  try {
    return await lines.question('', { signal: gaveUp.signal });
  } catch (cause) {
    throw new Refusal(EXIT.usage, 'no password was given; nothing is changed', cause);
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
};

/** The first line of what is piped in. */
const piped = async (): Promise<string> => {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.includes('\n') || text.length > LINE_MAX) break;
  }
  const [line = ''] = text.split(/\r?\n/);
  if (line === '' || line.length > LINE_MAX) {
    throw new Refusal(EXIT.usage, 'stdin holds no password: pipe one line, or run at a terminal');
  }
  return line;
};

/**
 * A new password: asked for twice at a terminal, else the first line of stdin. Never from the
 * command line, where everybody on the machine reads it.
 * @throws Refusal
 */
export const askNewPassword = async (name: string): Promise<string> => {
  if (!process.stdin.isTTY) return piped();
  const first = await typed(`New password of ${name}: `);
  const second = await typed('The same again: ');
  if (first === second) return first;
  throw new Refusal(EXIT.usage, 'the two are not the same; nothing is changed');
};
