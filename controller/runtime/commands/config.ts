import type { Command } from 'commander';
import type { ConfigProblem } from '../../config/read.js';

interface CheckOptions {
  readonly json?: true;
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const check = async (file: string, options: CheckOptions): Promise<void> => {
  const { checkConfigFile } = await import('../config-check.js');
  const { configProblemText } = await import('../../config/read.js');
  const { EXIT } = await import('../exit.js');
  const { typed } = await import('../own-name.js');
  const problems: readonly ConfigProblem[] = await checkConfigFile(file);
  if (options.json) print(JSON.stringify({ file, ok: problems.length === 0, problems }));
  else if (problems.length === 0) print(`${file}: ok`);
  else
    for (const problem of problems) process.stderr.write(`${typed(configProblemText(problem))}\n`);
  process.exitCode = problems.length === 0 ? EXIT.ok : EXIT.config;
};

export const register = (program: Command): void => {
  const config = program.command('config').description('check a configuration, or its schema');
  config
    .command('check')
    .description('say everything that is wrong with a configuration; exit code 78 if anything is')
    .argument('<file>', 'configuration file, YAML')
    .option('--json', 'one JSON object on stdout')
    .action(check);
  config
    .command('schema')
    .description('print the JSON Schema of the configuration, for editors')
    .action(async () => {
      const { configJsonSchema } = await import('../../config/read.js');
      print(JSON.stringify(configJsonSchema(), null, 2));
    });
};
