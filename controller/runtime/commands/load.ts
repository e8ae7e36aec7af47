import { type Command, InvalidArgumentError } from 'commander';
import type { CommandKeys } from '../../config/command-keys.js';
import type { LoadReport } from '../load/load.js';

interface Options {
  readonly broker: string;
  readonly mqtt: string;
  readonly floor?: string;
  readonly tables: number;
  readonly rate: number;
  readonly minutes: number;
  readonly consumer: string;
  readonly site: string;
  readonly seed: number;
  readonly keys?: string;
  readonly json?: true;
}

const between =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!Number.isFinite(value) || value < min || value > max) {
      throw new InvalidArgumentError(`a number from ${min} to ${max}.`);
    }
    return value;
  };

const line = (name: string, { count, p50Ms, p95Ms, p99Ms, maxMs }: LoadReport['acked']): string =>
  count === 0
    ? `  ${name.padEnd(28)} nothing was seen`
    : `  ${name.padEnd(28)} p50 ${p50Ms} ms, p95 ${p95Ms} ms, p99 ${p99Ms} ms, longest ${maxMs} ms`;

const textOf = (report: LoadReport): string =>
  [
    `${report.tables} tables, ${report.rate} acts a second each, ${report.seconds} s: ` +
      `${report.rowsPerSecond} rows/s, ${report.rows} rows`,
    line('published to acknowledged', report.acked),
    line('published to shown', report.shown),
    line('published to shown as held', report.held),
    `  lost ${report.lost} (after ${report.drainedS} s of waiting); ${report.rssMb} MB here`,
  ].join('\n');

const load = async (options: Options): Promise<void> => {
  const { runLoad } = await import('../load/load.js');
  const { readCommandKeys } = await import('../../config/command-keys.js');
  const { readGiven } = await import('../../config/given-file.js');
  const { programVersion } = await import('../version.js');
  const { abortOnSignals } = await import('../signals.js');
  const { EXIT, Refusal } = await import('../exit.js');
  const { mqtt, minutes, floor, keys, json, ...rest } = options;
  if (mqtt !== '5' && mqtt !== '3.1.1') {
    throw new Refusal(EXIT.usage, `MQTT ${mqtt} is not known: 5 or 3.1.1`);
  }
  const { brokerPlace } = await import('../../config/schema.js');
  const { isLoopback } = await import('../../config/loopback.js');
  const { broker } = options;
  const place = brokerPlace(broker);
  if (place === null || place.isTls || !isLoopback(place.host)) {
    const why = 'the load goes to a broker on this machine: mqtt://127.0.0.1:PORT';
    throw new Refusal(EXIT.usage, `--broker ${broker}: ${why}`);
  }
  const keysOf = (file: string): CommandKeys => {
    try {
      return readCommandKeys(readGiven(file), file);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Refusal(EXIT.usage, `--keys ${why.startsWith(file) ? '' : `${file}: `}${why}`);
    }
  };
  const listed = keys === undefined ? [] : keysOf(keys);
  const isShown = process.stderr.isTTY && json === undefined;
  const report = await runLoad(
    {
      ...rest,
      mqtt,
      floor: floor ?? null,
      seconds: minutes * 60,
      keys: listed,
      version: programVersion(),
      progress: (text) => {
        if (isShown) process.stderr.write(`\r\u001b[K${text}`);
      },
    },
    abortOnSignals(),
  );
  if (isShown) process.stderr.write('\r\u001b[K');
  const text = json === true ? JSON.stringify(report, null, 2) : textOf(report);
  process.stdout.write(`${text}\n`);
  process.exitCode = report.lost === 0 ? EXIT.ok : EXIT.found;
};

export const register = (program: Command): void => {
  program
    .command('load')
    .description('play many tables onto a broker and measure how long their rows take')
    .requiredOption('--broker <url>', 'mqtt://127.0.0.1:1883')
    .option('--mqtt <version>', '5 or 3.1.1', '5')
    .option('--floor <url>', "the floor's wall, to be watched: http://127.0.0.1:8090")
    .option('--tables <n>', 'how many', between(1, 5000), 1000)
    .option('--rate <n>', 'acts a second at each table', between(0.01, 100), 1)
    .option('--minutes <n>', 'how long', between(0.05, 60), 1)
    .option('--consumer <name>', 'whose acks are measured', 'historian')
    .option('--site <name>', 'the tables stand there', 'load')
    .option('--seed <n>', 'another seed, other games', between(0, 4_294_967_295), 1)
    .option('--keys <file>', 'who may order rows again, as at a table')
    .option('--json', 'the report as JSON on stdout')
    .action(load);
};
