import { hashText } from './canonical.js';
import { decodeStep } from './decode.js';
import type { Damage } from './diagnose.js';
import type { JournalReader } from './reader.js';
import { walkRows } from './walk.js';

/** In every row of a start, and cheaper to look for than reading each row as a step. */
const START = '"kind":"power.boot"';

/**
 * Every document against its hash, and every document a start names. Damage is named at the start
 * that needs the document, or at the first row where none does. Reads all rows.
 */
export const checkDocuments = (reader: JournalReader): Damage | null => {
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
      const what = changed.has(hash) ? 'its text was changed' : 'it is not there';
      return { kind: 'document', seq, what: `the start here names document ${hash}: ${what}` };
    }
  }
  const [other] = changed;
  return other === undefined
    ? null
    : { kind: 'document', seq: firstSeq, what: `document ${other}: its text was changed` };
};
