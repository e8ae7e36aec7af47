import { FINDING_CODES, type FindingCode } from '../../core/finding.js';
import { FINDING_RULES } from '../../core/finding-rules.js';
import { BOX_RUNBOOK } from './box.js';
import { READERS, type RunbookEntry } from './entry.js';
import { BUS_FAULTS, type FaultEntry, JOURNAL_FAULTS, LINK_FAULTS } from './faults.js';
import { PLAY_RUNBOOK } from './play.js';
import { STACK_RUNBOOK } from './stack.js';

/** What to do about every finding; a code without an entry does not compile. */
export const RUNBOOK: Readonly<Record<FindingCode, RunbookEntry>> = {
  ...STACK_RUNBOOK,
  ...PLAY_RUNBOOK,
  ...BOX_RUNBOOK,
};

interface FaultGroup {
  readonly title: string;
  /** Before the code, where a reader asks for one fault: `journal/full`. */
  readonly prefix: string;
  readonly lead: string;
  readonly faults: Readonly<Record<string, FaultEntry>>;
}

export const FAULT_GROUPS: readonly FaultGroup[] = [
  {
    title: 'Faults of the journal',
    prefix: 'journal',
    lead: 'The finding is `journal.fault`: no new round, the gate is locked.',
    faults: JOURNAL_FAULTS,
  },
  {
    title: 'Faults of the link to the broker',
    prefix: 'link',
    lead: 'Counted in `health`, by kind. The table plays on; rows wait in the journal.',
    faults: LINK_FAULTS,
  },
  {
    title: 'Faults of lines, buses and devices',
    prefix: 'bus',
    lead: 'The finding is `sensor.fault` or `shuffler.lost`, and names the device.',
    faults: BUS_FAULTS,
  },
];

const LIFE = {
  step: 'until the missing step is done',
  round: 'until the round ends',
  shoe: 'until the next stack is shuffled',
  batch: 'until the batch is proved or leaves the table',
  condition: 'until its cause is gone',
  person: 'until a person clears it',
} as const;

const HEADING = {
  dealer: 'Dealer',
  floor: 'Floor',
  surveillance: 'Surveillance',
  technician: 'Technician',
} as const;

/** How grave a finding is, how long it lasts and who may clear it, as one line. */
export const standingOf = (code: FindingCode): string => {
  const { severity, lifespan, authority, each } = FINDING_RULES[code];
  if (severity === 'info') return 'info: told once, never open';
  const again = each === true ? '; each occurrence by itself' : '';
  return `${severity}; ${LIFE[lifespan]}; may be cleared by: ${authority}${again}`;
};

export interface Answer {
  readonly lines: readonly string[];
  readonly data: unknown;
}

const isFinding = (code: string): code is FindingCode =>
  FINDING_CODES.some((known) => known === code);

const findingAnswer = (code: FindingCode): Answer => {
  const entry = RUNBOOK[code];
  const tasks = READERS.filter((reader) => entry[reader] !== '').map(
    (reader) => `${`${HEADING[reader]}:`.padEnd(14)}${entry[reader]}`,
  );
  return {
    lines: [`${code} (${standingOf(code)})`, entry.means, ...tasks],
    data: { code, ...FINDING_RULES[code], ...entry },
  };
};

/** Everything there is to ask for, a line each. */
const listAnswer = (): Answer => {
  const codes = [
    ...FINDING_CODES.map((code) => ({ code, means: RUNBOOK[code].means })),
    ...FAULT_GROUPS.flatMap(({ prefix, faults }) =>
      Object.entries(faults).map(([code, { means }]) => ({ code: `${prefix}/${code}`, means })),
    ),
  ];
  const width = Math.max(...codes.map(({ code }) => code.length));
  return { lines: codes.map(({ code, means }) => `${code.padEnd(width)}  ${means}`), data: codes };
};

/** What the runbook says of one finding or fault; all of them for none; null: it knows none. */
export const answer = (code: string | undefined): Answer | null => {
  if (code === undefined) return listAnswer();
  if (isFinding(code)) return findingAnswer(code);
  for (const { prefix, faults } of FAULT_GROUPS) {
    const fault = Object.entries(faults).find(([name]) => `${prefix}/${name}` === code)?.[1];
    if (fault === undefined) continue;
    return { lines: [code, fault.means, fault.cure], data: { code, ...fault } };
  }
  return null;
};

const findingPage = (code: FindingCode): readonly string[] => {
  const entry = RUNBOOK[code];
  const tasks = READERS.filter((reader) => entry[reader] !== '').map(
    (reader) => `- **${HEADING[reader]}**: ${entry[reader]}`,
  );
  return [`### \`${code}\``, '', `*${standingOf(code)}*`, '', entry.means, '', ...tasks, ''];
};

const groupPage = ({ title, lead, faults }: FaultGroup): readonly string[] => [
  `## ${title}`,
  '',
  lead,
  '',
  '| fault | what it means | what to do |',
  '| --- | --- | --- |',
  ...Object.entries(faults).map(
    ([code, { means, cure }]) => `| \`${code}\` | ${means} | ${cure} |`,
  ),
  '',
];

/** Divides docs/RUNBOOK.md: what stands behind it is written by `npm run runbook`. */
export const GENERATED_FROM_HERE =
  '<!-- Written by `npm run runbook`; change the code, not this. -->';

/** The generated half of docs/RUNBOOK.md: every finding and every fault, in the code's order. */
export const runbookPage = (): string =>
  [
    '## Findings',
    '',
    'Severity: `stop` no card may leave; `hold` a step is missing; `warn`; `info`. The line below',
    'each name says how long it stays open and who may clear it.',
    '',
    ...FINDING_CODES.flatMap(findingPage),
    ...FAULT_GROUPS.flatMap(groupPage),
  ].join('\n');
