import { JournalFault } from '../../storage/fault.js';
import { JournalReader } from '../../storage/reader.js';
import { EXIT, journalExit, Refusal } from './exit.js';
import { ownName } from './own-name.js';
import { print, printAll } from './print-lines.js';

export interface ExportFlags {
  readonly format: string;
  readonly from?: number;
  readonly to?: number;
  readonly whole?: true;
}

/** Turns a journal that cannot be used into a plain refusal with the right exit code. */
export const usable = async <T>(work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof JournalFault)) throw error;
    throw new Refusal(journalExit(error.code), error.message, error);
  }
};

export const withReader = (
  file: string,
  work: (reader: JournalReader) => Promise<void>,
): Promise<void> =>
  usable(async () => {
    const reader = JournalReader.open(file);
    try {
      await work(reader);
    } finally {
      reader.close();
    }
  });

/** Rows that are not there would be shown as nothing at all. @throws Refusal naming those held */
export const demandRows = (
  reader: JournalReader,
  { from, to }: { readonly from?: number; readonly to?: number },
): void => {
  const [first, last] = [reader.firstSeq(), reader.lastSeq()];
  if (from === undefined && to === undefined) return;
  const [low, high] = [from ?? first, to ?? last];
  if (low <= high && low <= last && high >= first) return;
  const held = last === 0 ? 'it is empty' : `it holds rows ${first} to ${last}`;
  throw new Refusal(
    EXIT.usage,
    `${reader.path}: no such rows (${low} to ${high}): ${held}; give --from and --to among them`,
  );
};

const linesOf = async (
  reader: JournalReader,
  { format, from, to, whole }: ExportFlags,
): Promise<Iterable<string>> => {
  if (whole === true) return (await import('../../storage/whole-lines.js')).wholeLines(reader);
  const { walkRows, walkSteps } = await import('../../storage/walk.js');
  const { CSV_HEADER, csvLine, jsonLine } = await import('../../storage/export.js');
  const lines = function* (): Generator<string> {
    if (format === 'jsonl') for (const row of walkRows(reader, from, to)) yield jsonLine(row);
    else {
      yield CSV_HEADER;
      for (const { row, step } of walkSteps(reader, from, to)) yield csvLine(row, step);
    }
  };
  return lines();
};

export const exportRows = async (file: string, flags: ExportFlags): Promise<void> => {
  const { format, from, to, whole } = flags;
  if (format !== 'jsonl' && format !== 'csv') {
    throw new Refusal(EXIT.usage, `--format takes jsonl or csv, not ${format}`);
  }
  if (whole === true && (format !== 'jsonl' || from !== undefined || to !== undefined)) {
    throw new Refusal(EXIT.usage, '--whole takes all rows as JSON lines: no --from, --to or csv');
  }
  await withReader(file, async (reader) => {
    demandRows(reader, flags);
    await printAll(await linesOf(reader, flags));
  });
};

export interface CopyFlags {
  readonly json?: true;
}

export const backup = async (file: string, to: string, { json }: CopyFlags): Promise<void> => {
  const { backupJournal } = await import('../../storage/backup.js');
  const pages = await usable(() => backupJournal(file, to));
  if (json) await print(JSON.stringify({ from: file, to, pages }));
  else await print(`${file}: copied to ${to} (${pages} pages), chain checked`);
};

export const rebuild = async (lines: string, to: string, { json }: CopyFlags): Promise<void> => {
  const { rebuildJournal } = await import('../../storage/rebuild.js');
  const made = await usable(() => rebuildJournal(lines, to));
  if (json) {
    await print(JSON.stringify({ to, ...made }));
    return;
  }
  const { seq, hash, firstSeq, documents, checkpoints, signedSeq, missing } = made;
  const unsigned = signedSeq < seq ? `rows from ${Math.max(firstSeq, signedSeq + 1)} on` : 'none';
  await printAll([
    `${to}: rows ${firstSeq} to ${seq}, each follows from the one before; head ${seq}:${hash}`,
    `${documents} documents and ${checkpoints} signed checkpoints were put back; rows that ` +
      `nothing signs: ${unsigned}`,
    ...missing.map((one) => `not among the lines: the document ${one} that a start names`),
    ...(missing.length === 0 && checkpoints > 0
      ? []
      : [
          'The journal says of itself what is missing. Compare its head with a checkpoint the ' +
            'table published; lines with documents and checkpoints come from ' +
            `\`${ownName()} floor export\` or \`${ownName()} journal export --whole\``,
        ]),
    'Keep the damaged journal beside it.',
  ]);
};

export interface AsideFlags extends CopyFlags {
  readonly sound?: true;
}

export const setAside = async (file: string, flags: AsideFlags): Promise<void> => {
  const { isSound, setJournalAside } = await import('../../storage/set-aside.js');
  const moved = await usable(async () => {
    if (flags.sound !== true && (await isSound(file))) {
      throw new Refusal(
        EXIT.usage,
        `${file}: this journal is sound, and a table would begin a new one without it; to set it ` +
          'aside all the same, add --sound',
      );
    }
    return setJournalAside(file);
  });
  if (flags.json) await print(JSON.stringify({ moved }));
  else await printAll(moved.map(({ from, to }) => `${from} -> ${to}`));
};
