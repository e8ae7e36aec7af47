import { JournalFault } from './fault.js';
import type { Damage } from './diagnose.js';
import type { JournalReader } from './reader.js';
import { compareSavedStates, OTHER_STATE } from './saved-states.js';
import { flawOfSaved, isSavedSigned } from './snapshot.js';

/**
 * Saved states that a start would be misled by: not of their row, changed, signed by nobody the
 * journal knows, or, where a key (32 bytes, base64) is demanded, not signed with it.
 */
export const checkSavedStates = (reader: JournalReader, key: string | null): Damage | null => {
  const known = [...reader.keys().values()];
  for (const saved of reader.savedStates()) {
    // Its row may have been let go: then no start uses it, a newer one is there.
    if (saved.seq < reader.firstSeq()) continue;
    const keys = key === null ? (isSavedSigned(saved) ? known : null) : [key];
    const flaw = flawOfSaved(saved, reader.hashAt(saved.seq), keys);
    if (flaw === null) continue;
    const what = `the state saved after it cannot be trusted: ${flaw}`;
    return { kind: 'saved state', seq: saved.seq, what };
  }
  return null;
};

/** The saved states against the rows themselves: the only proof where nobody signed. */
export const compareSaved = (reader: JournalReader): Damage | null => {
  if (reader.firstSeq() !== 1 || reader.savedStates().length === 0) return null;
  try {
    const wrong = compareSavedStates(reader).saved.find(({ why }) => why === OTHER_STATE);
    if (wrong === undefined) return null;
    const what = `the state saved after it cannot be trusted: ${wrong.why}`;
    return { kind: 'saved state', seq: wrong.seq, what };
  } catch (cause) {
    // Rows no table began, as another program writes them: nothing to fold them with.
    if (cause instanceof JournalFault && cause.code === 'format') return null;
    throw cause;
  }
};
