import type { Command } from 'commander';

interface Options {
  readonly config: string;
  readonly trace?: string;
  readonly record?: string;
  readonly broker?: string;
  readonly json?: true;
}

const runRecorded = async (file: string, options: Options): Promise<void> => {
  const { runTrace } = await import('../trace-run.js');
  const { summaryText } = await import('../summary.js');
  const { createLog } = await import('../log.js');
  const { brokerOf } = await import('../run.js');
  const { programVersion } = await import('../version.js');
  const { abortOnSignals } = await import('../signals.js');
  const { EXIT } = await import('../exit.js');
  const place = { site: 'trace', pit: 'trace', table: 'trace' };
  const showsProgress = process.stderr.isTTY && options.json === undefined;
  const summary = await runTrace(
    {
      file,
      broker: options.broker === undefined ? null : brokerOf(options.broker, place),
      log: createLog('error'),
      version: programVersion(),
      ...(showsProgress
        ? {
            progress: (seconds: number, rows: number) =>
              process.stderr.write(`\r${seconds} s played, ${rows} rows `),
          }
        : {}),
    },
    abortOnSignals(),
  );
  if (showsProgress) process.stderr.write('\r\u001b[K');
  const text = options.json === true ? JSON.stringify(summary, null, 2) : summaryText(summary);
  process.stdout.write(`${text}\n`);
  process.exitCode = summary.findings.length === 0 ? EXIT.ok : EXIT.found;
};

/** Rules, table and board of a trace are its own: another configuration would be passed over. */
const refuseBeside = async (command: Command): Promise<void> => {
  const { EXIT, Refusal } = await import('../exit.js');
  const given = ['config', 'record'].find((name) => command.getOptionValueSource(name) === 'cli');
  if (given === undefined) return;
  throw new Refusal(
    EXIT.usage,
    `--trace plays under the procedure, table and board in the trace's own first line; ` +
      `--${given} would not be used: leave it out`,
  );
};

const run = async (options: Options, command: Command): Promise<void> => {
  if (options.trace !== undefined) {
    await refuseBeside(command);
    await runRecorded(options.trace, options);
    return;
  }
  const { runTable } = await import('../run.js');
  const { abortOnSignals } = await import('../signals.js');
  await runTable(
    {
      config: options.config,
      broker: options.broker ?? null,
      record: options.record ?? null,
    },
    abortOnSignals(),
  );
};

export const register = (program: Command): void => {
  program
    .command('run')
    .description('the controller of one table, on real hardware or the virtual board')
    .option('--config <file>', 'configuration', 'cutcard.yaml')
    .option(
      '--trace <file>',
      'feed a recorded trace instead, under the procedure, table and board in its first line',
    )
    .option('--record <file>', 'write everything that comes in from the hardware to a trace')
    .option('--broker <url>', 'publish there: mqtt://127.0.0.1:PORT')
    .option('--json', 'with --trace: the summary as JSON on stdout')
    .action(run);
};
