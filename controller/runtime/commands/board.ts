import type { Command } from 'commander';

interface Flags {
  readonly svg?: string;
  readonly json?: true;
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const list = async (flags: Pick<Flags, 'json'>): Promise<void> => {
  const { BOARDS, loadBoard } = await import('../../../firmware-bridge/boards/load.js');
  const boards = BOARDS.map((name) => ({ name, title: loadBoard(name).title }));
  if (flags.json === true) print(JSON.stringify(boards));
  else for (const { name, title } of boards) print(`${name.padEnd(14)}${title}`);
};

const show = async (nameOrFile: string, flags: Flags): Promise<void> => {
  const { loadBoard } = await import('../../../firmware-bridge/boards/load.js');
  const { FileError } = await import('../../../firmware-bridge/files.js');
  const { wiringLines, wiringOf } = await import('../../../firmware-bridge/boards/wiring.js');
  const { EXIT, Refusal } = await import('../exit.js');
  const load = (): ReturnType<typeof loadBoard> => {
    try {
      return loadBoard(nameOrFile);
    } catch (error) {
      if (error instanceof FileError) throw new Refusal(EXIT.config, error.message, error);
      throw error;
    }
  };
  const board = load();
  if (flags.svg !== undefined) {
    const { wiringSvg } = await import('../../../firmware-bridge/boards/wiring-svg.js');
    const { writeNewFile } = await import('../new-file.js');
    writeNewFile('--svg', flags.svg, wiringSvg(board));
  }
  print(flags.json === true ? JSON.stringify(wiringOf(board)) : wiringLines(board).join('\n'));
};

export const register = (program: Command): void => {
  const board = program.command('board').description('boards: what is wired where, as a drawing');
  board
    .command('list')
    .description('the boards this program knows')
    .option('--json', 'one JSON document on stdout')
    .action(list);
  board
    .command('show')
    .description('the header, lines, buses and ports of a board, from its file')
    .argument('<board>', 'a board of this program, or a board file ending in .yaml')
    .option('--svg <file>', 'also write the drawing as a new SVG file')
    .option('--json', 'one JSON document on stdout')
    .action(show);
};
