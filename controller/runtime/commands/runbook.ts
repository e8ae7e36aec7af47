import type { Command } from 'commander';

interface Flags {
  readonly json?: true;
  readonly markdown?: true;
}

const runbook = async (code: string | undefined, flags: Flags): Promise<void> => {
  const { answer, runbookPage } = await import('../runbook/runbook.js');
  if (flags.markdown === true) {
    process.stdout.write(`${runbookPage()}\n`);
    return;
  }
  const found = answer(code);
  if (found === null) {
    const { EXIT, Refusal } = await import('../exit.js');
    throw new Refusal(
      EXIT.usage,
      `runbook: there is no finding or fault \`${code ?? ''}\`; \`cutcard runbook\` lists them`,
    );
  }
  const { typed } = await import('../own-name.js');
  const lines = typed(found.lines.join('\n'));
  const text = flags.json === true ? JSON.stringify(found.data) : lines;
  process.stdout.write(`${text}\n`);
};

export const register = (program: Command): void => {
  program
    .command('runbook')
    .description('what dealer, floor, surveillance and technician do about a finding or a fault')
    .argument('[code]', 'a finding (`burn.short`) or a fault (`journal/full`); none: all of them')
    .option('--json', 'one JSON document on stdout')
    .option('--markdown', 'the whole, as docs/RUNBOOK.md has it')
    .action(runbook);
};
