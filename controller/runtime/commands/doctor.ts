import type { Command } from 'commander';
import type { Finding } from '../../../firmware-bridge/doctor/hardware.js';

interface Flags {
  readonly config?: string;
  readonly board?: string;
  readonly json?: true;
}

const MARK = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

const doctor = async (flags: Flags): Promise<void> => {
  const { EXIT } = await import('../exit.js');
  const { examine } = await import('../doctor.js');
  const findings: readonly Finding[] = await examine(flags);
  const { typed } = await import('../own-name.js');
  const failed = findings.some((finding) => finding.state === 'fail');
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ ok: !failed, findings })}\n`);
  } else {
    for (const { what, state, seen, cure } of findings) {
      const remedy = cure === '' ? '' : ` -> ${cure}`;
      process.stdout.write(`${MARK[state]}  ${typed(`${what}: ${seen}${remedy}`)}\n`);
    }
  }
  process.exitCode = failed ? EXIT.found : EXIT.ok;
};

export const register = (program: Command): void => {
  program
    .command('doctor')
    .description(
      'look at hardware, permissions, broker, clock and disk; one line each with its cure',
    )
    .option('--config <file>', 'the table’s configuration: its board, broker and journal')
    .option('--board <name>', 'a board of this program or a board file, without a configuration')
    .option('--json', 'one JSON object on stdout')
    .action(doctor);
};
