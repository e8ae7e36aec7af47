import { type Command, InvalidArgumentError } from 'commander';

const SPEED_DEFAULT = 10;
const PORT_DEFAULT = 8080;
const WALL_PORT_DEFAULT = 8090;
const SPEED_MAX = 10_000;

const speed = (text: string): number => {
  if (text === 'max') return Infinity;
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0 || value > SPEED_MAX) {
    throw new InvalidArgumentError(`a number above 0 up to ${SPEED_MAX}, or \`max\`.`);
  }
  return value;
};

const whole =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new InvalidArgumentError(`a whole number from ${min} to ${max}.`);
    }
    return value;
  };

const collect = (text: string, before: readonly string[]): readonly string[] => [...before, text];

interface Options {
  readonly speed: number;
  readonly mistake: readonly string[];
  readonly mistakes: boolean;
  readonly procedure: string;
  readonly port: number;
  readonly wall: boolean;
  readonly wallPort?: number;
  readonly shoes?: number;
  readonly seed: number;
  readonly record?: string;
  readonly data?: string;
  readonly quiet?: true;
  readonly json?: true;
}

/** A game as fast as it goes is played for its figures: nobody watches a wall then. */
const wallPortOf = ({ wall, wallPort, port, speed: pace }: Options): number | null => {
  if (!wall || (pace === Infinity && wallPort === undefined)) return null;
  return wallPort ?? (port === 0 ? 0 : WALL_PORT_DEFAULT);
};

const demo = async (options: Options): Promise<void> => {
  const { runDemo } = await import('../demo/demo.js');
  const { DemoScreen } = await import('../demo/screen.js');
  const { abortOnSignals } = await import('../signals.js');
  const screen = new DemoScreen(process.stdout, {
    quiet: options.quiet === true,
    silent: options.json === true,
  });
  await runDemo(
    {
      speed: options.speed,
      mistakes: options.mistake,
      procedure: options.procedure,
      port: options.port,
      shoes: options.shoes ?? null,
      seed: options.seed,
      record: options.record ?? null,
      data: options.data ?? null,
      human: options.mistakes,
      wallPort: wallPortOf(options),
    },
    screen,
    abortOnSignals(),
  );
  const summary = screen.end();
  if (options.json === true) process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
};

export const register = (program: Command): void => {
  program
    .command('demo')
    .description('a whole table on this machine: virtual hardware, broker, journal, web page')
    .option('--speed <n>', 'simulated seconds per second, or `max`', speed, SPEED_DEFAULT)
    .option('--mistake <code>', 'make this mistake once in each shoe; may be repeated', collect, [])
    .option('--no-mistakes', 'make none now and then either')
    .option('--procedure <id>', 'what is played', 'pa/627a-minibaccarat')
    .option('--port <n>', 'port of the page; 0: any free one', whole(0, 65_535), PORT_DEFAULT)
    .option('--wall-port <n>', "port of the floor's wall; 0: any (8090)", whole(0, 65_535))
    .option('--no-wall', 'neither the wall nor the tables beside this one')
    .option('--shoes <n>', 'stop after so many shoes', whole(1, 1_000_000))
    .option('--seed <n>', 'another seed, another game', whole(0, 4_294_967_295), 1)
    .option('--record <file>', 'write every edge, register and byte to a trace file')
    .option('--data <folder>', 'keep the journal there, and go on from it next time')
    .option('--quiet', 'print findings only')
    .option('--json', 'print nothing but what it came to, as JSON on stdout')
    .action(demo);
};
