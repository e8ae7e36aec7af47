#!/usr/bin/env node
import { readdirSync, realpathSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { EXIT, journalExit, Refusal } from './exit.js';
import { programVersion } from './version.js';

const FOLDER = new URL('./commands/', import.meta.url);

type Register = (program: Command) => void;

const hasRegister = (module: unknown): module is { readonly register: Register } =>
  typeof module === 'object' &&
  module !== null &&
  'register' in module &&
  typeof module.register === 'function';

/** One file in `commands/` is one command of the same name. */
const commandNames = (): readonly string[] =>
  readdirSync(FOLDER)
    .map((file) => /^([a-z-]+)\.(?:js|ts)$/.exec(file)?.[1])
    .filter((name) => name !== undefined)
    .sort();

const registerCommand = async (program: Command, name: string): Promise<void> => {
  const module: unknown = await import(new URL(`${name}.js`, FOLDER).href);
  if (!hasRegister(module)) throw new Error(`commands/${name} does not export \`register\``);
  module.register(program);
};

const newProgram = (): Command =>
  new Command('cutcard')
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

const fail = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof Refusal) {
    process.stderr.write(`cutcard: ${error.message}\n`);
    return error.exitCode;
  }
  // A file of the user's that cannot be used; its class is not loaded for every command.
  if (error instanceof Error && error.name === 'FileError') {
    process.stderr.write(`cutcard: ${error.message}\n`);
    return EXIT.usage;
  }
  if (error instanceof Error && error.name === 'JournalFault' && 'code' in error) {
    process.stderr.write(`cutcard: ${error.message}\n`);
    return journalExit(String(error.code));
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
    const names = commandNames();
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
    return fail(error);
  }
};

/** A reader that went away (`| head`) is no error of ours. */
const endOnBrokenPipe = (error: NodeJS.ErrnoException): void => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  throw error;
};

const isMain = (): boolean => {
  const script = process.argv[1];
  if (script === undefined) return false;
  return import.meta.filename === realpathSync(script);
};

if (isMain()) {
  process.stdout.on('error', endOnBrokenPipe);
  process.stderr.on('error', endOnBrokenPipe);
  process.exitCode = await runCli(process.argv.slice(2));
}
