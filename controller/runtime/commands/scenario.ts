import { type Command, Option } from 'commander';

const THROUGH = ['signals', 'observations', 'both'] as const;

interface RunFlags {
  readonly through: (typeof THROUGH)[number];
  readonly json?: true;
  readonly record?: string;
}

/** `cutcard scenario run FILES...` and `cutcard scenario check FILES...`. */
export const register = (program: Command): void => {
  const scenario = program
    .command('scenario')
    .description('play scenario files through the controller (docs/SCENARIOS.md)');
  scenario
    .command('run')
    .description('play files and say of each whether everything it expects holds')
    .argument('<files...>', 'scenario files, or folders of them')
    .addOption(
      new Option('--through <depth>', 'how deep: signals (beams, registers, bytes), or rules only')
        .choices(THROUGH)
        .default('signals'),
    )
    .option('--record <file>', 'write the signals of the run to this file (one scenario only)')
    .option('--json', 'one JSON document on standard output')
    .addHelpText('after', '\nExit codes: 0 all hold, 1 some fail, 2 a file cannot be used')
    .action(async (files: readonly string[], flags: RunFlags) => {
      const { runFiles } = await import('../scenario/command.js');
      process.exitCode = await runFiles(files, {
        through: flags.through,
        json: flags.json === true,
        ...(flags.record === undefined ? {} : { record: flags.record }),
      });
    });
  scenario
    .command('check')
    .description('read files without playing them')
    .argument('<files...>', 'scenario files, or folders of them')
    .option('--json', 'one JSON document on standard output')
    .action(async (files: readonly string[], flags: { readonly json?: true }) => {
      const { checkFiles } = await import('../scenario/command.js');
      process.exitCode = await checkFiles(files, flags.json === true);
    });
};
