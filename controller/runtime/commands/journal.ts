import { type Command, InvalidArgumentError } from 'commander';
import type { JournalReader } from '../../../storage/reader.js';
import type { Replayed } from '../../../storage/replay.js';
import type { AsideFlags, CopyFlags, ExportFlags } from '../journal-copies.js';
import { print, printAll } from '../print-lines.js';

interface Json {
  readonly json?: true;
}
interface VerifyFlags extends Json {
  readonly deep?: true;
  readonly key?: string;
  readonly expect?: string;
}
interface ShowFlags extends Json {
  readonly from?: number;
  readonly to?: number;
  readonly finding?: string;
  readonly shoe?: number;
  readonly sheet?: true;
  readonly html?: string;
}
/** Loaded only when one of its commands runs. */
const copies = () => import('../journal-copies.js');

/** Progress on a terminal, nothing in a pipe. */
const progressOn = (doing: string): ((rows: number, of: number) => void) | undefined => {
  if (!process.stderr.isTTY) return undefined;
  return (rows, of) => {
    const share = of === 0 ? 100 : Math.floor((100 * rows) / of);
    process.stderr.write(`\r${doing} ${share} % (${rows} of ${of} rows)\x1b[K`);
    if (rows >= of) process.stderr.write('\r\x1b[K');
  };
};
const clearProgress = (): void => {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
};

const wholeNumber = (text: string): number => {
  const n = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(n))
    throw new InvalidArgumentError('it takes a whole number');
  return n;
};

const verify = async (file: string, flags: VerifyFlags): Promise<void> => {
  const { checkJournal, verdictLines } = await import('../../../storage/check.js');
  const { usable } = await copies();
  const { EXIT } = await import('../exit.js');
  const progress = progressOn('checking');
  const verdict = await usable(() =>
    checkJournal(file, {
      deep: flags.deep ?? false,
      ...(flags.key === undefined ? {} : { keyFile: flags.key }),
      ...(flags.expect === undefined ? {} : { expect: flags.expect }),
      ...(progress === undefined ? {} : { progress }),
    }),
  );
  clearProgress();
  if (flags.json) await print(JSON.stringify(verdict));
  else {
    const { typed } = await import('../own-name.js');
    await printAll(verdictLines(file, verdict).map((line) => typed(line)));
  }
  const isShown = verdict.damage === null && verdict.unproved.length === 0;
  process.exitCode = isShown ? EXIT.ok : EXIT.found;
};

const FINDING_ID = /^\d+\.\d+$/;
const NAMED_AT_MOST = 6;

/** A finding's number, or a code there is: an unknown one would show nothing and say nothing. */
const demandFinding = async (name: string): Promise<void> => {
  if (FINDING_ID.test(name)) return;
  const { FINDING_CODES } = await import('../../core/finding.js');
  if (FINDING_CODES.some((code) => code === name)) return;
  const { nearest } = await import('../scenario/source.js');
  const { EXIT, Refusal } = await import('../exit.js');
  const family = FINDING_CODES.filter((code) => code.split('.')[0] === name.split('.')[0]);
  const near = nearest(name, FINDING_CODES);
  const meant = [...new Set([...(near === null ? [] : [near]), ...family])].slice(0, NAMED_AT_MOST);
  const cure =
    meant.length === 0 ? 'give a code as `burn.short`' : `did you mean ${meant.join(', ')}?`;
  throw new Refusal(EXIT.usage, `--finding ${name}: there is no such finding; ${cure}`);
};

const show = async (file: string, flags: ShowFlags): Promise<void> => {
  if (flags.finding !== undefined) await demandFinding(flags.finding);
  const { walkSteps } = await import('../../../storage/walk.js');
  const { FindingRows, shoeSet, stepText } = await import('../../../storage/describe.js');
  const { jsonLine } = await import('../../../storage/export.js');
  const { demandRows, withReader } = await copies();
  await withReader(file, async (reader) => {
    demandRows(reader, flags);
    const onlySheet = flags.sheet === true || flags.html !== undefined;
    if (onlySheet && flags.shoe === undefined) {
      const { EXIT, Refusal } = await import('../exit.js');
      throw new Refusal(EXIT.usage, '--sheet and --html need the number of the shoe: --shoe 12');
    }
    if (flags.shoe !== undefined && (onlySheet || !flags.json)) {
      await showSheet(reader, flags.shoe, flags);
    }
    if (onlySheet) return;
    const lines = function* (): Generator<string> {
      // A shoe's number is set in one row and holds until the next, and a finding's code stands
      // only where it was raised: read from the beginning.
      const about = flags.finding === undefined ? null : new FindingRows(flags.finding);
      const from = flags.shoe === undefined && about === null ? flags.from : undefined;
      let shoe = 0;
      for (const { row, step } of walkSteps(reader, from, flags.to)) {
        shoe = shoeSet(step) ?? shoe;
        const concerns = about?.concerns(step) ?? true;
        if (row.seq < (flags.from ?? 1)) continue;
        if (flags.shoe !== undefined && shoe !== flags.shoe) continue;
        if (!concerns) continue;
        yield flags.json ? jsonLine(row) : stepText(step);
      }
    };
    if ((await printAll(lines())) > 0) return;
    process.stderr.write(`${file}: no such rows\n`);
  });
};

/** The duty sheet of one shoe: before its rows, alone, or as a printable page. */
const showSheet = async (reader: JournalReader, shoe: number, flags: ShowFlags): Promise<void> => {
  const { sheetOfShoe } = await import('../duty-sheets.js');
  const { EXIT, Refusal } = await import('../exit.js');
  const found = sheetOfShoe(reader, shoe);
  if (found === null) {
    throw new Refusal(EXIT.usage, `${reader.path}: there is no shoe ${shoe} in this journal`);
  }
  const { sheet, head } = found;
  if (flags.html !== undefined) {
    const { sheetHtml } = await import('../duty-sheet-page.js');
    const { writeNewFile } = await import('../new-file.js');
    writeNewFile('--html', flags.html, sheetHtml(sheet, head));
    await print(`${flags.html}: duty sheet of shoe ${shoe}, to print`);
  } else if (flags.json) await print(JSON.stringify({ ...head, sheet }));
  else {
    const { sheetText } = await import('../duty-sheet-words.js');
    await print(sheetText(sheet, head));
  }
};

const replayLines = (
  file: string,
  replayed: Replayed,
  text: (decision: Replayed['differences'][number]['recordedOnly'][number]) => string,
): readonly string[] => [
  ...replayed.differences.flatMap(({ seq, kind, recordedOnly, derivedOnly }) => [
    `${file}: row ${seq} (${kind}) differs`,
    ...recordedOnly.map((decision) => `  recorded only: ${text(decision)}`),
    ...derivedOnly.map((decision) => `  derived only:  ${text(decision)}`),
    ...(recordedOnly.length + derivedOnly.length === 0 ? ['  the same, in another order'] : []),
  ]),
  ...(replayed.fromSeq === 1
    ? []
    : [
        `${file}: rows before ${replayed.fromSeq} cannot be derived again (older ones were let ` +
          `go): replayed from the state saved after row ${replayed.fromSeq - 1}`,
      ]),
  ...replayed.skipped.map(
    ({ fromSeq, toSeq, document }) =>
      `${file}: rows ${fromSeq} to ${toSeq} cannot be derived again: the document ${document} ` +
      'they were decided by was not there when the journal was rebuilt (nothing is damaged)',
  ),
  `${file}: ${replayed.rows} rows from row ${replayed.fromSeq} replayed, ` +
    `${replayed.findings} findings, ${replayed.boots.length} starts, ` +
    (replayed.rows === 0
      ? 'nothing was derived again'
      : replayed.different === 0
        ? 'every decision the same'
        : `${replayed.different} rows differ (${replayed.differences.length} of them listed)`),
];

const replay = async (file: string, flags: Json): Promise<void> => {
  const { replayJournal } = await import('../../../storage/replay.js');
  const { decisionText } = await import('../../../storage/describe.js');
  const { withReader } = await copies();
  const { EXIT } = await import('../exit.js');
  await withReader(file, async (reader) => {
    const progress = progressOn('replaying');
    const replayed = replayJournal(reader, progress === undefined ? {} : { progress });
    clearProgress();
    const { state, ...told } = replayed;
    if (flags.json) await print(JSON.stringify({ ...told, phase: state?.phase ?? null }));
    else await printAll(replayLines(file, replayed, decisionText));
    const isSame = replayed.different === 0 && replayed.skipped.length === 0;
    process.exitCode = isSame ? EXIT.ok : EXIT.found;
  });
};

const snapshotFree = async (file: string, flags: Json): Promise<void> => {
  const { compareSavedStates } = await import('../../../storage/saved-states.js');
  const { withReader } = await copies();
  const { EXIT } = await import('../exit.js');
  await withReader(file, async (reader) => {
    const compared = compareSavedStates(reader);
    if (flags.json) await print(JSON.stringify(compared));
    else {
      await printAll([
        ...compared.saved.map(({ seq, ok, why }) =>
          ok ? `state after row ${seq}: as the rows give it` : `state after row ${seq}: ${why}`,
        ),
        `${file}: ${compared.rows} rows folded without a saved state`,
      ]);
    }
    process.exitCode = compared.saved.every(({ ok }) => ok) ? EXIT.ok : EXIT.found;
  });
};

const addReading = (journal: Command): void => {
  journal
    .command('verify')
    .description('check the chain and the signed checkpoints; exit code 1 names the first damage')
    .argument('<file>', 'journal')
    .option('--deep', 'also read every row as a step, and check the documents the starts name')
    .option('--key <file>', "the device's public key: checkpoints must be signed with it")
    .option('--expect <seq:hash>', 'a row known from elsewhere (a published checkpoint)')
    .option('--json', 'one JSON object on stdout')
    .action(verify);
  journal
    .command('show')
    .description('print rows for people; `?` behind a time: the clock was not synchronised then')
    .argument('<file>', 'journal')
    .option('--from <row>', 'first row', wholeNumber)
    .option('--to <row>', 'last row', wholeNumber)
    .option(
      '--finding <id>',
      'only rows about a finding, its presses too: its number (`412.1`) or its code',
    )
    .option('--shoe <number>', 'the duty sheet and the rows of one shoe', wholeNumber)
    .option('--sheet', 'with --shoe: the duty sheet alone')
    .option('--html <file>', 'with --shoe: write the duty sheet as a new printable page')
    .option('--json', 'rows as JSON lines')
    .action(show);
  journal
    .command('export')
    .description('write all rows to stdout; with --whole everything a journal is rebuilt from')
    .argument('<file>', 'journal')
    .option('--format <format>', 'jsonl or csv', 'jsonl')
    .option('--from <row>', 'first row', wholeNumber)
    .option('--to <row>', 'last row', wholeNumber)
    .option('--whole', 'with documents, public keys and signed checkpoints, as lines of their own')
    .action(async (file: string, flags: ExportFlags) => (await copies()).exportRows(file, flags));
  journal
    .command('replay')
    .description('derive every decision again from the recorded observations, and compare')
    .argument('<file>', 'journal')
    .option('--json', 'one JSON object on stdout')
    .action(replay);
  journal
    .command('snapshot-free')
    .description('fold every row from the first, and compare with the saved states')
    .argument('<file>', 'journal')
    .option('--json', 'one JSON object on stdout')
    .action(snapshotFree);
};

const addCopying = (journal: Command): void => {
  journal
    .command('backup')
    .description('copy a journal, also while it is in use, and check the copy')
    .argument('<file>', 'journal')
    .argument('<to>', 'new file')
    .option('--json', 'one JSON object on stdout')
    .action(async (file: string, to: string, flags: CopyFlags) =>
      (await copies()).backup(file, to, flags),
    );
  journal
    .command('rebuild')
    .description('make a journal anew from lines kept elsewhere, each proved')
    .argument('<lines>', 'JSON lines of `floor export`, `journal export --whole`, or rows alone')
    .argument('<to>', 'new file')
    .option('--json', 'one JSON object on stdout')
    .action(async (lines: string, to: string, flags: CopyFlags) =>
      (await copies()).rebuild(lines, to, flags),
    );
  journal
    .command('set-aside')
    .description('rename a damaged journal and its side files, so that a new one can begin')
    .argument('<file>', 'journal nobody has open')
    .option('--sound', 'also where a check finds nothing wrong with it')
    .option('--json', 'one JSON object on stdout')
    .action(async (file: string, flags: AsideFlags) => (await copies()).setAside(file, flags));
};

export const register = (program: Command): void => {
  const journal = program
    .command('journal')
    .description('check, read, export, replay and copy a journal; its rows are never changed');
  addReading(journal);
  addCopying(journal);
};
