import type { JournalRow, TableStep } from '../controller/core/ports.js';
import { observationText, wallText } from './describe.js';

/** One row as a line of JSON; `step` is the hashed text, byte for byte. */
export const jsonLine = ({ seq, prev, hash, body }: JournalRow): string =>
  `{"seq":${seq},"prev":"${prev}","hash":"${hash}","step":${body}}`;

export const CSV_HEADER =
  'seq,wall_utc,wall_trusted,at_ns,kind,observation,phase,raised,cleared,refused,hash';

/** Quoted where it must be; never a formula in a spreadsheet. */
const cell = (text: string): string => {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};

/** One row as a line of CSV, in the columns of `CSV_HEADER` (RFC 4180). */
export const csvLine = ({ hash }: JournalRow, { observation, decisions }: TableStep): string => {
  const { seq, wallMs, wallTrusted, atNs, kind } = observation;
  const phases: string[] = [];
  const raised: string[] = [];
  const cleared: string[] = [];
  const refused: string[] = [];
  for (const decision of decisions) {
    if (decision.do === 'moved') phases.push(decision.phase);
    if (decision.do === 'raised') raised.push(`${decision.finding.id} ${decision.finding.code}`);
    if (decision.do === 'cleared') cleared.push(`${decision.id} ${decision.code}`);
    if (decision.do === 'refused') refused.push(`${decision.key}: ${decision.reason}`);
  }
  const lists = [phases, raised, cleared, refused].map((list) => list.join('; '));
  const cells = [
    `${seq}`,
    wallText(wallMs, true),
    `${wallTrusted}`,
    `${atNs}`,
    kind,
    observationText(observation),
    ...lists,
    hash,
  ];
  return cells.map(cell).join(',');
};
