import type { Command } from 'commander';

interface Options {
  readonly listen: string;
  readonly profile: string;
}

const panel = async ({ listen, profile }: Options): Promise<void> => {
  const { hostPort } = await import('../../config/schema.js');
  const { isLoopback } = await import('../../config/loopback.js');
  const { EXIT, Refusal } = await import('../exit.js');
  const { FileError, loadProfile } = await import('../../../firmware-bridge/files.js');
  const { Panel } = await import('../panel.js');
  const { abortOnSignals } = await import('../signals.js');
  const place = hostPort(listen);
  if (place === null || !isLoopback(place.host)) {
    throw new Refusal(EXIT.usage, `--listen ${listen}: takes an address of this machine only`);
  }
  try {
    const parts = { profile: loadProfile(profile, '.'), input: process.stdin };
    const refused = await new Panel({ ...place, ...parts, output: process.stdout }).run(
      abortOnSignals(),
    );
    process.exitCode = refused === 0 ? EXIT.ok : EXIT.found;
  } catch (error) {
    if (error instanceof FileError) throw new Refusal(EXIT.usage, error.message, error);
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new Refusal(EXIT.usage, `${listen} is in use: another panel is there already`, error);
    }
    throw error;
  }
};

export const register = (program: Command): void => {
  program
    .command('panel')
    .description('plays the operator panel of a development board from this terminal')
    .option('--listen <address>', 'where the table looks for its panel', '127.0.0.1:7631')
    .option('--profile <file>', 'how the panel talks: a profile’s name or a file', 'panel')
    .action(panel);
};
