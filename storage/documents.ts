import { hashText } from './canonical.js';
import { decodeStep } from './decode.js';
import type { Damage } from './diagnose.js';
import type { JournalReader } from './reader.js';
import { type Rebuilt, wasMissing } from './rebuilt.js';
import { walkRows } from './walk.js';

/** In every row of a start, and cheaper to look for than reading each row as a step. */
const START = '"kind":"power.boot"';

/** A document that is not there, and was not when the journal was rebuilt. */
export interface Absent {
  readonly hash: string;
  /** The first start that names it. */
  readonly seq: number;
}

/**
 * Every document against its hash, and every document a start names. Damage is named at the start
 * that needs the document, or at the first row where none does. Reads all rows.
 * @param rebuilt marks that were checked: what they call missing is absent, not damaged
 */
export const checkDocuments = (
  reader: JournalReader,
  rebuilt: readonly Rebuilt[] = [],
): { readonly damage: Damage | null; readonly absent: readonly Absent[] } => {
  const absent = new Map<string, Absent>();
  const firstSeq = reader.firstSeq();
  const whole = new Set<string>();
  const changed = new Set<string>();
  for (const { hash, text } of reader.documents()) {
    (hashText(text) === hash ? whole : changed).add(hash);
  }
  for (const { seq, body } of walkRows(reader, firstSeq)) {
    if (!body.includes(START)) continue;
    const decoded = decodeStep(body);
    if (!decoded.ok || decoded.step.observation.kind !== 'power.boot') continue;
    const { procedure, table } = decoded.step.observation;
    for (const hash of [procedure, table]) {
      if (hash === undefined || whole.has(hash)) continue;
      if (!changed.has(hash) && wasMissing(rebuilt, hash, seq)) {
        if (!absent.has(hash)) absent.set(hash, { hash, seq });
        continue;
      }
      const why = changed.has(hash) ? 'its text was changed' : 'it is not there';
      const what = `the start here names document ${hash}: ${why}`;
      return { damage: { kind: 'document', seq, what }, absent: [] };
    }
  }
  const [other] = changed;
  const damage: Damage | null =
    other === undefined
      ? null
      : { kind: 'document', seq: firstSeq, what: `document ${other}: its text was changed` };
  return { damage, absent: [...absent.values()] };
};
