import { type Command, InvalidArgumentError, Option } from 'commander';

const THROUGH = ['signals', 'observations', 'both'] as const;

interface RunFlags {
  readonly through: (typeof THROUGH)[number];
  readonly json?: true;
  readonly record?: string;
  readonly noise: number;
  readonly seed: number;
}

/** Three times nominal is a bad day; ten is none that a board survives. */
const MAX_NOISE = 10;

const noiseOf = (text: string): number => {
  const noise = Number(text);
  if (text.trim() !== '' && noise >= 0 && noise <= MAX_NOISE) return noise;
  throw new InvalidArgumentError(`it takes a number from 0 (none) to ${MAX_NOISE}; 1 is nominal`);
};

const seedOf = (text: string): number => {
  const seed = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(seed)) return seed;
  throw new InvalidArgumentError('it takes a whole number');
};

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
    .option('--noise <factor>', 'jitter, bounce and drift of the signals; 1 is nominal', noiseOf, 0)
    .option('--seed <n>', 'of that noise', seedOf, 1)
    .option('--record <file>', 'write the signals of the run to this file (one scenario only)')
    .option('--json', 'one JSON document on standard output')
    .addHelpText('after', '\nExit codes: 0 all hold, 1 some fail, 2 a file cannot be used')
    .action(async (files: readonly string[], flags: RunFlags) => {
      const { runFiles } = await import('../scenario/command.js');
      process.exitCode = await runFiles(files, {
        through: flags.through,
        json: flags.json === true,
        noise: flags.noise,
        seed: flags.seed,
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
