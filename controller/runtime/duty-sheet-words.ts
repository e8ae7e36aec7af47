import { DOUBT_WORDS } from '../../storage/describe.js';
import type {
  DutySheet,
  SheetDuty,
  SheetEntry,
  SheetFinding,
  SheetRow,
} from '../core/duty-sheet.js';
import type { Procedure } from '../core/procedure.js';

/** What a sheet is headed with beside its own numbers. */
export interface SheetHead {
  readonly journal: string;
  readonly procedure: Pick<Procedure, 'id' | 'title' | 'version' | 'hash' | 'unseen'> | null;
  /** Hash of the journal row the sheet ends with, hex; null where it is not known. */
  readonly lastHash: string | null;
}

const DUTY_WORDS: Readonly<Record<string, string>> = {
  shuffle: 'Cards shuffled',
  cut: 'Cards cut',
  marker: 'Cover card placed',
  load: 'Stack in the shoe',
  burn: 'Opening burn',
  'burn-rank': "First card's rank given",
  'dealer-burn': 'Burn by a new dealer',
  stub: 'Stub counted',
  'last-hand': 'Last hand announced',
};

/** A duty in words: the controller's own, or the sentence the pack gives for what nobody sees. */
export const dutyWords = (duty: string, head: SheetHead): string =>
  DUTY_WORDS[duty] ?? head.procedure?.unseen.find((rule) => rule.duty === duty)?.text ?? duty;

export const OUTCOME_WORDS: Readonly<Record<SheetDuty['outcome'], string>> = {
  met: 'met',
  'not-met': 'NOT MET',
  waived: 'waived',
  unseen: 'nobody can tell',
  open: 'still due',
};

/** `2027-01-15 08:00:41 UTC`; a `?` behind it where the clock was not trusted. */
export const timeText = ({ wallMs, wallTrusted }: SheetRow): string => {
  const text = new Date(wallMs).toISOString().replace('T', ' ').slice(0, 19);
  return `${text} UTC${wallTrusted ? '' : '?'}`;
};

export const lawText = (clause: string): string =>
  clause.startsWith('policy:') ? clause : `§ ${clause}`;

const cardsText = ({ loaded, out, outKnown }: DutySheet): string => {
  if (loaded === null) return 'not loaded';
  return `${loaded} loaded, ${out ?? 0} out${outKnown ? '' : ' or more, not all seen'}`;
};

/** One change of a duty: row, time, standing, how it is known. */
export const entryText = ({ status, evidence, detail, ...row }: SheetEntry): string => {
  const why = detail === null ? '' : `, ${detail}`;
  return `row ${row.seq}, ${timeText(row)}: ${status} (${evidence})${why}`;
};

/** Facts at the head of a sheet: name and value. */
export const sheetFacts = (sheet: DutySheet, head: SheetHead): readonly [string, string][] => {
  const { procedure } = head;
  const game =
    procedure === null ? 'not known' : `${procedure.title} (${procedure.id} ${procedure.version})`;
  return [
    ['Game', game],
    ['Rules', procedure?.hash ?? sheet.procedure ?? 'not known'],
    ['Batch', sheet.batch ?? 'not known'],
    ['Cards', cardsText(sheet)],
    ['Rounds', String(sheet.rounds)],
    ['Dealers', sheet.dealers.length === 0 ? 'not named' : sheet.dealers.join(', ')],
    ['From', `${timeText(sheet.first)}, row ${sheet.first.seq}`],
    [sheet.isOver ? 'To' : 'So far', `${timeText(sheet.last)}, row ${sheet.last.seq}`],
    ['Journal', head.journal],
    ['Hash of the last row', head.lastHash ?? 'not known'],
  ];
};

export const sheetTitle = (sheet: DutySheet): string =>
  sheet.shoe === null ? 'Duty sheet, stack not loaded' : `Duty sheet, shoe ${sheet.shoe}`;

/** `2 of 9 not met` and the like, for the first line. */
export const sheetSummary = (sheet: DutySheet): string => {
  const count = (outcome: SheetDuty['outcome']): number =>
    sheet.duties.filter((duty) => duty.outcome === outcome).length;
  const parts = (['met', 'not-met', 'waived', 'unseen', 'open'] as const)
    .map((outcome) => [count(outcome), outcome] as const)
    .filter(([n]) => n > 0)
    .map(([n, outcome]) => `${n} ${OUTCOME_WORDS[outcome]}`);
  const findings = sheet.findings.length;
  const raised = findings === 1 ? '1 finding' : `${findings} findings`;
  return `${sheet.duties.length} duties: ${parts.join(', ')}; ${raised}`;
};

/** How a finding ended, with its row; `open` where it did not. */
export const endText = ({ ended }: SheetFinding): string =>
  ended === null
    ? 'open'
    : `${ended.how}, by ${ended.by.badge ?? ended.by.role}, ${timeText(ended)}, row ${ended.seq}`;

const dutyLines = (duty: SheetDuty, head: SheetHead): readonly string[] => {
  const grade = duty.outcome === 'unseen' || duty.outcome === 'open' ? '' : ` (${duty.evidence})`;
  const outcome = `${OUTCOME_WORDS[duty.outcome]}${grade}`;
  return [
    `  ${lawText(duty.clause).padEnd(20)} ${dutyWords(duty.duty, head)}: ${outcome}`,
    ...duty.entries.map((entry) => `    ${entryText(entry)}`),
  ];
};

/** What was asked and what was seen, with the cards drawn against the warning. */
export const findingText = ({ finding }: SheetFinding): string => {
  const cards = finding.cardsAfterWarning ?? 0;
  const after = cards === 0 ? '' : `; ${cards} cards after the warning`;
  return `expected ${finding.expected}; seen ${finding.observed}${after}`;
};

const findingLines = (item: SheetFinding): readonly string[] => {
  const { code, severity, clause, raisedSeq } = item.finding;
  const carried = item.carried ? ', from an earlier shoe' : '';
  return [
    `  ${code} (${severity}) ${lawText(clause)}, row ${raisedSeq}${carried}`,
    `    ${findingText(item)}`,
    `    ${endText(item)}`,
  ];
};

/** A sheet as plain text. */
export const sheetText = (sheet: DutySheet, head: SheetHead): string =>
  [
    sheetTitle(sheet),
    sheetSummary(sheet),
    '',
    ...sheetFacts(sheet, head).map(([name, value]) => `  ${name.padEnd(20)} ${value}`),
    '',
    'Duties',
    ...sheet.duties.flatMap((duty) => dutyLines(duty, head)),
    '',
    'Findings',
    ...(sheet.findings.length === 0 ? ['  none'] : sheet.findings.flatMap(findingLines)),
    '',
    DOUBT_WORDS,
    '',
  ].join('\n');
