import { type Command, InvalidArgumentError } from 'commander';
import type { ExportFlags } from '../floor/export-command.js';

interface Options {
  readonly config?: string;
  readonly broker?: string;
  readonly mqtt?: string;
  readonly store?: string;
  readonly port?: number;
  readonly site?: string;
  readonly json?: true;
}

const port = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) {
    throw new InvalidArgumentError('a whole number from 0 to 65535.');
  }
  return value;
};

/** Where rows are stored; of a database without what may be a password. */
const placeText = (store: string): string =>
  /^postgres(ql)?:/.test(store) ? 'the PostgreSQL store' : `the store ${store}`;

const floor = async (options: Options): Promise<void> => {
  const { folderOf, runFloor } = await import('../floor/run-floor.js');
  const { loadFloorConfig, plainFloorConfig } = await import('../floor/floor-config.js');
  const { createLog } = await import('../log.js');
  const { programVersion } = await import('../version.js');
  const { abortOnSignals } = await import('../signals.js');
  const { EXIT, Refusal } = await import('../exit.js');
  const { config: file, broker, ...plain } = options;
  if ((file === undefined) === (broker === undefined)) {
    throw new Refusal(EXIT.usage, 'give --config FILE, or --broker URL for a trial');
  }
  const config =
    file === undefined
      ? plainFloorConfig({ broker: broker ?? '', ...plain })
      : loadFloorConfig(file);
  // On stderr: the answer of the command, on stdout, comes once the wall is there.
  process.stderr.write(`floor: opening ${placeText(config.store)}, then the wall\n`);
  const running = await runFloor({
    config,
    folder: file === undefined ? process.cwd() : folderOf(file),
    log: createLog('info'),
    version: programVersion(),
  });
  const about = { wall: running.url, instance: running.service.instance };
  process.stdout.write(
    options.json === true ? `${JSON.stringify(about)}\n` : `Floor's wall: ${running.url}\n`,
  );
  const signal = abortOnSignals();
  await new Promise<void>((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
  await running.stop();
};

const row = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('a row, from 1 on.');
  }
  return value;
};

export const register = (program: Command): void => {
  const service = program
    .command('floor')
    .description("the floor service: stores every table's rows, serves the wall")
    .option('--config <file>', 'configuration (docs/FLOOR.md)')
    .option('--broker <url>', 'for a trial: mqtt://127.0.0.1:1883')
    .option('--mqtt <version>', '5 or 3.1.1')
    .option('--store <place>', 'a file, or postgres://…; floor.db where left out')
    .option('--port <n>', 'port of the wall on 127.0.0.1; 0: any free one', port)
    .option('--site <name>', 'hear this site only')
    .option('--json', 'print where the wall is as JSON')
    .action(floor);
  service
    .command('export')
    .description("a table's rows with what proves them, as lines `cutcard journal rebuild` takes")
    .requiredOption('--config <file>', "the floor service's configuration (docs/FLOOR.md)")
    .requiredOption('--table <path>', 'site/pit/table')
    .option('--from <row>', 'first row', row)
    .option('--to <row>', 'last row', row)
    .option('--out <file>', 'new file; left out: stdout')
    .action(async (flags: ExportFlags) =>
      (await import('../floor/export-command.js')).exportTable(flags),
    );
};
