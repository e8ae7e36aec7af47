#!/usr/bin/env node
import { realpathSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { COMMANDS } from './command-list.js';
import { EXIT, journalExit, Refusal, refusedFile } from './exit.js';
import { typed } from './own-name.js';
import { programVersion } from './version.js';

const registerCommand = async (program: Command, name: string): Promise<void> => {
  const module = await COMMANDS[name]?.();
  module?.register(program);
};

const newProgram = (): Command =>
  new Command('cutcard')
    .configureOutput({
      writeOut: (text) => process.stdout.write(typed(text)),
      writeErr: (text) => process.stderr.write(typed(text)),
    })
    .description('Controller for a casino card table: watches, enforces, journals, publishes.')
    .version(programVersion())
    .enablePositionalOptions()
    .showSuggestionAfterError(true)
    .addHelpText(
      'after',
      '\nExit codes: 0 ok, 1 found something, 2 usage, 70 internal error, 78 bad configuration',
    );

/** Usage errors leave through one door, from the root and from every command below it. */
const throwInstead = (command: Command): void => {
  command.exitOverride();
  for (const child of command.commands) throwInstead(child);
};

/** One line for whoever started it; the orders in it can be typed as they stand. */
const say = (text: string): void => {
  process.stderr.write(`cutcard: ${typed(text)}\n`);
};

/** Of the user's files; their classes are not loaded for every command. */
const FILE_ERRORS: ReadonlySet<string> = new Set(['FileError', 'IdentityError']);

const fail = async (error: unknown): Promise<number> => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof Refusal) {
    say(error.message);
    return error.exitCode;
  }
  if (error instanceof Error && FILE_ERRORS.has(error.name)) {
    say(error.message);
    return EXIT.usage;
  }
  if (error instanceof Error && error.name === 'JournalFault' && 'code' in error) {
    say(error.message);
    return journalExit(String(error.code));
  }
  const file = refusedFile(error);
  if (file !== null) {
    const { fileWords } = await import('../config/given-file.js');
    say(`${file}: ${fileWords(error)}; check path and permissions`);
    return EXIT.usage;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`cutcard: internal error, please report it\n${text}\n`);
  return EXIT.internal;
};

/**
 * Runs one command line. Only the module of the command that was asked for is loaded: a start is
 * not to wait for the others.
 * @param args without node and script. @returns the exit code.
 */
export const runCli = async (args: readonly string[]): Promise<number> => {
  try {
    const program = newProgram();
    const names = Object.keys(COMMANDS);
    const asked = args.find((arg) => !arg.startsWith('-'));
    const wanted = asked !== undefined && names.includes(asked) ? [asked] : names;
    for (const name of wanted) await registerCommand(program, name);
    throwInstead(program);
    if (args.length === 0) {
      program.outputHelp({ error: true });
      return EXIT.usage;
    }
    process.exitCode = EXIT.ok;
    await program.parseAsync([...args], { from: 'user' });
    return typeof process.exitCode === 'number' ? process.exitCode : EXIT.ok;
  } catch (error) {
    return await fail(error);
  }
};

/** A reader that went away (`| head`) is no error of ours; a full disk behind `>` is to be said. */
const endOnLostOutput =
  (which: 'stdout' | 'stderr') =>
  (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    const why = error.code === 'ENOSPC' ? 'the disk is full' : error.message;
    if (which === 'stdout') say(`what was to be written on stdout is not whole: ${why}`);
    process.exit(EXIT.usage);
  };

const isMain = (): boolean => {
  const script = process.argv[1];
  if (script === undefined) return false;
  return import.meta.filename === realpathSync(script);
};

/** Runs the command line that this process was started with. */
export const main = async (): Promise<void> => {
  process.stdout.on('error', endOnLostOutput('stdout'));
  process.stderr.on('error', endOnLostOutput('stderr'));
  const endUnfinished = (): void => {
    process.stderr.write('cutcard: internal error, please report it\nit ended half-way\n');
    process.exitCode = EXIT.internal;
  };
  // Nothing left to wait for, and no exit code yet: the command hangs on what never comes.
  process.once('beforeExit', endUnfinished);
  process.exitCode = await runCli(process.argv.slice(2));
  process.off('beforeExit', endUnfinished);
};

if (isMain()) void main();
