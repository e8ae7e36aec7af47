import type { JournalReader } from '../../storage/reader.js';
import { checkMarks } from '../../storage/rebuilt.js';
import { rulesOf } from '../../storage/replay.js';
import { walkSteps } from '../../storage/walk.js';
import { type DutySheet, dutySheets } from '../core/duty-sheet.js';
import type { Rules } from '../core/decide.js';
import type { TableStep } from '../core/ports.js';
import type { SheetHead } from './duty-sheet-words.js';

function* stepsOf(reader: JournalReader): Generator<TableStep> {
  for (const { step } of walkSteps(reader)) yield step;
}

/** Whether a document was not there when the journal was rebuilt, and is not now. */
const isAbsent = (reader: JournalReader, hash: string): boolean =>
  reader.document(hash) === null &&
  checkMarks(reader, null).rebuilt.some(({ missing }) => missing.includes(hash));

/**
 * Rules of a start, or null where it named none or they were lost before the journal was rebuilt.
 * @throws JournalFault where they were changed or taken away
 */
const rulesAt = (
  reader: JournalReader,
  procedure: string | null,
  table: string | null,
): Rules | null => {
  if (procedure === null || table === null) return null;
  if (isAbsent(reader, procedure) || isAbsent(reader, table)) return null;
  return rulesOf(reader, procedure, table);
};

export interface FoundSheet {
  readonly sheet: DutySheet;
  readonly head: SheetHead;
}

/**
 * Duty sheets of a journal, oldest first, with what they are headed with.
 * @throws JournalFault for a row or a document that cannot be read
 */
export function* sheetsOf(reader: JournalReader): Generator<FoundSheet> {
  const unseen = (procedure: string | null, table: string | null): ReadonlySet<string> =>
    new Set(rulesAt(reader, procedure, table)?.procedure.unseen.map((rule) => rule.duty));
  for (const sheet of dutySheets(stepsOf(reader), unseen)) {
    const procedure = rulesAt(reader, sheet.procedure, sheet.table)?.procedure ?? null;
    const head = { journal: reader.path, procedure, lastHash: reader.hashAt(sheet.last.seq) };
    yield { sheet, head };
  }
}

/** The sheet of one shoe; null where the journal has no such shoe. */
export const sheetOfShoe = (reader: JournalReader, shoe: number): FoundSheet | null => {
  for (const found of sheetsOf(reader)) if (found.sheet.shoe === shoe) return found;
  return null;
};
