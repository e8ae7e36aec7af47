import type { Command } from 'commander';

interface Flags {
  readonly board: string;
  readonly batches: string;
  readonly cardMm: string;
  readonly coverMm: string;
  readonly out: string;
  readonly json?: true;
}

const calibrate = async (flags: Flags): Promise<void> => {
  const { calibrateHead } = await import('../calibrate.js');
  const { EXIT, Refusal } = await import('../exit.js');
  const millimetres = (text: string, name: string): number => {
    const mm = Number(text);
    if (mm >= 50 && mm <= 120) return mm;
    throw new Refusal(EXIT.usage, `--${name} takes a length from 50 to 120 mm, not \`${text}\``);
  };
  const faults = await calibrateHead({
    board: flags.board,
    batches: flags.batches.split(',').map((batch) => batch.trim()),
    cardMm: millimetres(flags.cardMm, 'card-mm'),
    coverMm: millimetres(flags.coverMm, 'cover-mm'),
    out: flags.out,
    json: flags.json === true,
  });
  process.exitCode = faults.length === 0 ? EXIT.ok : EXIT.found;
};

export const register = (program: Command): void => {
  program
    .command('calibrate')
    .description('learn a shoe head’s beam spacing and colours, with a live view; writes a file')
    .option(
      '--board <name>',
      'board of this program or a board file; `virtual` practises',
      'virtual',
    )
    .option('--batches <names>', 'colours of the backs in use', 'red,blue')
    .option('--card-mm <mm>', 'length of a card along its travel', '63.5')
    .option('--cover-mm <mm>', 'length of the cover card along its travel', '70')
    .option('--out <file>', 'where the calibration goes', 'calibration.yaml')
    .option('--json', 'the result as one JSON object on stdout')
    .action(calibrate);
};
