import { describe, expect, it } from 'vitest';
import { evolve } from '../../../controller/core/evolve.js';
import { initialState } from '../../../controller/core/state.js';
import { canonicalJson, hashText, NO_HASH } from '../../../storage/canonical.js';
import { JournalFault } from '../../../storage/fault.js';
import { MemoryJournal, memoryStore } from '../../../storage/memory.js';
import { restore } from '../../../storage/restore.js';
import { stepsFrom, TABLE } from './steps.js';

const stateAfter = (count: number) =>
  stepsFrom(1, count).reduce(
    (state, { observation, decisions }) => evolve(state, observation, decisions),
    initialState(TABLE),
  );

describe('a journal in memory', () => {
  it('keeps every acknowledged row over a power cut, and takes none after it', async () => {
    const store = memoryStore();
    const first = new MemoryJournal(store);
    await first.append(stepsFrom(1, 30));
    first.kill();
    await expect(first.append(stepsFrom(31, 1))).rejects.toMatchObject({ code: 'stopped' });
    const second = new MemoryJournal(store);
    expect(second.head()).toEqual(first.head());
    await second.append(stepsFrom(31, 1));
    expect(second.head().seq).toBe(31);
    expect((await second.read(29, 10)).map(({ seq }) => seq)).toEqual([30, 31]);
  });

  it('restores the exact state, with and without a saved one', async () => {
    const store = memoryStore();
    const journal = new MemoryJournal(store);
    await journal.append(stepsFrom(1, 100));
    const folded = await restore(journal, initialState(TABLE));
    expect(folded).toMatchObject({ folded: 100, state: stateAfter(100), last: { seq: 100 } });
    journal.saveSnapshot({ ...journal.head(), state: stateAfter(100) });
    await journal.append(stepsFrom(101, 7));
    const again = await restore(new MemoryJournal(store), initialState(TABLE));
    expect(again).toMatchObject({ folded: 7, state: stateAfter(107) });
  });

  it('passes over a state saved for another history', async () => {
    const journal = new MemoryJournal(memoryStore());
    await journal.append(stepsFrom(1, 10));
    journal.saveSnapshot({ seq: 10, hash: NO_HASH, state: stateAfter(10) });
    expect(await journal.snapshot()).toBeNull();
  });

  it('breaks as a disk does', async () => {
    const journal = new MemoryJournal();
    await journal.append(stepsFrom(1, 2));
    journal.breakDown(new JournalFault('full', 'the disk is full'));
    await expect(journal.append(stepsFrom(3, 1))).rejects.toThrow(/make room on the disk/);
    await expect(journal.putDocument('table', hashText('x'), 'x')).rejects.toThrow(/full/);
    expect(journal.head().seq).toBe(2);
  });

  it('refuses rows out of place or out of time, and documents under another hash', async () => {
    const journal = new MemoryJournal();
    await expect(journal.append(stepsFrom(2, 1))).rejects.toMatchObject({ code: 'order' });
    const other = new MemoryJournal();
    const [first, second] = stepsFrom(1, 2);
    const early = { ...second!, observation: { ...second!.observation, atNs: 1 } };
    await expect(other.append([first!, early])).rejects.toThrow(/row 2 at 1 ns, before/);
    const text = canonicalJson(TABLE);
    const third = new MemoryJournal();
    await third.putDocument('table', hashText(text), text);
    expect(await third.document(hashText(text))).toBe(text);
    await expect(third.putDocument('table', NO_HASH, text)).rejects.toThrow(/its hash names/);
  });
});
