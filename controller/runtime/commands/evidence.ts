import type { Command } from 'commander';
import type { EvidenceVerdict } from '../../../storage/evidence-file.js';
import type { Wanted } from '../../../storage/evidence-select.js';

interface ExportFlags {
  readonly journal: string;
  readonly finding?: string;
  readonly round?: string;
  readonly from?: string;
  readonly to?: string;
  readonly out: string;
  readonly seal?: string;
  readonly json?: true;
}
interface VerifyFlags {
  readonly key?: string;
  readonly json?: true;
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Reads a file people named. @throws Refusal naming it */
const readText = async (file: string): Promise<string> => {
  const { readWhole } = await import('../../../storage/whole-file.js');
  const { EXIT, Refusal } = await import('../exit.js');
  try {
    return readWhole(file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(EXIT.usage, `${file} cannot be read: ${why}`, cause);
  }
};

/** Exactly one of --finding, --round, --from with --to. */
const wantedOf = async ({ finding, round, from, to }: ExportFlags): Promise<Wanted> => {
  const { EXIT, Refusal } = await import('../exit.js');
  const asked: Wanted[] = [];
  if (finding !== undefined) asked.push({ kind: 'finding', name: finding });
  if (round !== undefined) asked.push({ kind: 'round', name: round });
  if (from !== undefined && to !== undefined) asked.push({ kind: 'span', from, to });
  const [only, ...others] = asked;
  if (only !== undefined && others.length === 0 && (from === undefined) === (to === undefined)) {
    return only;
  }
  throw new Refusal(EXIT.usage, 'give one of --finding, --round, or --from with --to');
};

const NOT_SIGNED = 'no signed checkpoint: nothing shows whose rows these are';

/** Rows behind the newest signature, where there is one: at most one line. */
const unsignedRows = ({ checkpoints, signedSeq, lastSeq }: EvidenceVerdict): readonly string[] =>
  checkpoints > 0 && signedSeq < lastSeq
    ? [`rows ${signedSeq + 1} to ${lastSeq} are not signed yet`]
    : [];

/** What the file will not prove to a stranger: nobody is to learn it only from their verdict. */
const lackingLines = (verdict: EvidenceVerdict): readonly string[] => {
  const { checkpoints, sealed } = verdict;
  const unsigned =
    checkpoints === 0
      ? [`${NOT_SIGNED} (the table had no signing key)`]
      : unsignedRows(verdict).map(
          (rows) =>
            `${rows}: nothing shows whose they are; export again after the next signed checkpoint`,
        );
  const unsealed =
    'not sealed (--seal KEY): rows prove themselves, the report does not; a verifier that cannot ' +
    'make it again calls it `not proved`, exit code 1';
  return [...unsigned, ...(sealed ? [] : [unsealed])];
};

const exportEvidence = async (flags: ExportFlags): Promise<void> => {
  const { DeviceKey, DeviceKeyError } = await import('../../../storage/checkpoint.js');
  const { makeEvidence, verifyEvidence } = await import('../../../storage/evidence-file.js');
  const { JournalFault } = await import('../../../storage/fault.js');
  const { JournalReader } = await import('../../../storage/reader.js');
  const { markText, marksOf, readMark } = await import('../../../storage/rebuilt.js');
  const { EXIT, journalExit, Refusal } = await import('../exit.js');
  const { programVersion } = await import('../version.js');
  const wanted = await wantedOf(flags);
  try {
    const reader = JournalReader.open(flags.journal);
    try {
      const rebuilt = marksOf(reader);
      const text = makeEvidence(reader, {
        wanted,
        version: programVersion(),
        nowMs: Date.now(),
        rebuilt,
        ...(flags.seal === undefined ? {} : { key: DeviceKey.load(flags.seal) }),
      });
      (await import('../new-file.js')).writeNewFile('--out', flags.out, text);
      for (const { body } of rebuilt) {
        const said = readMark(body);
        if (said !== null) process.stderr.write(`${flags.journal}: ${markText(said)}\n`);
      }
      // A damaged journal's evidence is what it is; nobody is to find out only when it is checked.
      const verdict = verifyEvidence(text, programVersion());
      const { flaw, sealed, signedSeq, lastSeq } = verdict;
      if (flaw !== null) {
        const { where, what } = flaw;
        const kept = `${flags.out} holds it as it is`;
        process.stderr.write(`${flags.journal}: damaged: ${where}: ${what}; ${kept}\n`);
        process.exitCode = EXIT.found;
      }
      const bytes = Buffer.byteLength(text);
      if (flags.json) {
        print(JSON.stringify({ file: flags.out, bytes, flaw, sealed, signedSeq, lastSeq }));
      } else {
        const said = `${flags.out}: ${bytes} bytes; open it in a browser to read it`;
        print([said, ...(flaw === null ? lackingLines(verdict) : [])].join('\n  '));
      }
    } finally {
      reader.close();
    }
  } catch (error) {
    if (!(error instanceof Error) || error instanceof Refusal) throw error;
    const isFault = error instanceof JournalFault;
    const isOwn = isFault || 'code' in error || error instanceof DeviceKeyError;
    if (!isOwn) throw error;
    const code = isFault ? journalExit(error.code) : EXIT.usage;
    throw new Refusal(code, error.message, error);
  }
};

/** What vouches for the report; an unsealed one vouches for nothing. */
const reportLines = (
  { sealed, sealKey, reportCompared }: EvidenceVerdict,
  isKeyGiven: boolean,
): readonly string[] => {
  const says = reportCompared ? ['the report says what the rows say'] : [];
  if (!sealed) {
    return ['the report is not sealed and proves nothing by itself; the rows do', ...says];
  }
  const by = isKeyGiven ? 'by the device' : `with the key ${sealKey ?? ''}`;
  return [`sealed ${by}: the report is as it was exported`, ...says];
};

const verdictText = (file: string, verdict: EvidenceVerdict, isKeyGiven: boolean): string => {
  const { flaw, head, rows, checkpoints, keys, signedSeq } = verdict;
  if (flaw !== null) return `${file}: not whole: ${flaw.where}: ${flaw.what}`;
  const ends = [head?.startSigned ? 'signed' : 'unsigned', head?.endSigned ? 'signed' : 'unsigned'];
  return [
    `${file}: whole: ${head?.about.kind ?? ''} ${head?.about.name ?? ''}, ${rows} rows, ` +
      `${checkpoints} signed checkpoints (beginning ${ends[0] ?? ''}, end ${ends[1] ?? ''})`,
    checkpoints === 0
      ? NOT_SIGNED
      : isKeyGiven
        ? `rows up to ${signedSeq} are signed with the device's key`
        : `key ${keys.join(', ')}: compare it with the device's (--key FILE)`,
    ...unsignedRows(verdict),
    ...verdict.unproved.map((what) => `not damaged, but not proved: ${what}`),
    ...reportLines(verdict, isKeyGiven),
  ].join('\n  ');
};

const verify = async (file: string, flags: VerifyFlags): Promise<void> => {
  const { verifyEvidence } = await import('../../../storage/evidence-file.js');
  const { JournalFault } = await import('../../../storage/fault.js');
  const { EXIT, Refusal } = await import('../exit.js');
  const { programVersion } = await import('../version.js');
  const text = await readText(file);
  const key = flags.key === undefined ? null : await readText(flags.key);
  try {
    const verdict = verifyEvidence(text, programVersion(), key);
    print(flags.json ? JSON.stringify(verdict) : verdictText(file, verdict, key !== null));
    const isShown = verdict.flaw === null && verdict.unproved.length === 0;
    process.exitCode = isShown ? EXIT.ok : EXIT.found;
  } catch (error) {
    if (error instanceof JournalFault) throw new Refusal(EXIT.usage, error.message, error);
    throw error;
  }
};

export const register = (program: Command): void => {
  const evidence = program
    .command('evidence')
    .description('one file that proves what happened at a table, for people and for programs');
  evidence
    .command('export')
    .description('write the rows from signed checkpoint to signed checkpoint, with a report')
    .requiredOption('--journal <file>', 'journal')
    .requiredOption('--out <file>', 'new file, HTML')
    .option('--finding <id>', 'a finding: its number (`412.1`), or its code where raised once')
    .option('--round <shoe.round>', 'a round, as `3.17`')
    .option('--from <row>', 'first row, or a time as 2026-01-05T14:00:00Z')
    .option('--to <row>', 'last row, or a time')
    .option('--seal <file>', "the device's private key: seals the whole file")
    .option('--json', 'one JSON object on stdout')
    .action(exportEvidence);
  evidence
    .command('verify')
    .description('check an evidence file; exit code 1 names what was changed')
    .argument('<file>', 'evidence file')
    .option('--key <file>', "the device's public key")
    .option('--json', 'one JSON object on stdout')
    .action(verify);
};
