import { beforeEach, afterEach, describe, expect, it, vi } from 'vitest';
import type { TableId } from '../../../surveillance/floor/api.js';
import { Papers } from '../../../surveillance/floor/papers.js';
import { FloorStore } from '../../../surveillance/floor/store/floor-store.js';
import { WallBook } from '../../../surveillance/floor/wall-book.js';
import { NOW, rowAfter, sha256 } from './rows.js';

const ID: TableId = { site: 'n', pit: 'p', table: 'a' };
const KEY = 'n/p/a';

const procedure = (id: string): string => JSON.stringify({ id, title: `Game ${id}`, marker: null });
const REAL = procedure('pa/real');
const FALSE = procedure('pa/false');
const CONFIGURATION = '{"batches":["red"],"seats":7}';

const sent = (text: string, hash = sha256(text)) => ({
  documents: [
    { kind: 'procedure', hash, text },
    { kind: 'table', hash: sha256(CONFIGURATION), text: CONFIGURATION },
  ],
  key: null,
});

const boot = (text: string, more: object = {}) => ({
  observation: {
    kind: 'power.boot',
    unclean: false,
    boot: 1,
    procedure: sha256(text),
    table: sha256(CONFIGURATION),
    ...more,
  },
});

describe('the documents of a table', () => {
  let store: FloorStore;
  let book: WallBook;
  let papers: Papers;
  let nowMs: number;
  let failed: string[];
  let drained: number;

  const begin = (): void => {
    book = new WallBook({ nowMs: () => nowMs, changed: () => undefined });
    papers = new Papers({
      store,
      book,
      nowMs: () => nowMs,
      failed: (what, why) => failed.push(`${what}: ${why}`),
      drained: () => (drained += 1),
    });
  };
  const record = () => {
    const met = book.meet(ID);
    if (met === null) throw new Error('no record');
    return met;
  };
  const game = () => record().game?.id ?? null;

  beforeEach(async () => {
    nowMs = NOW;
    failed = [];
    drained = 0;
    store = await FloorStore.open(':memory:');
    begin();
  });
  afterEach(async () => {
    expect(failed).toEqual([]);
    await store.close();
  });

  it('put no game in force before a row names it', async () => {
    await papers.documents(record(), sent(REAL));
    expect(game()).toBeNull();
    expect(papers.configurationOf(KEY)).toBeNull();
    await store.rows.append([rowAfter(KEY, null, boot(REAL))]);
    await papers.prove(KEY);
    expect(game()).toBe('pa/real');
    expect(papers.configurationOf(KEY)).toBe(CONFIGURATION);
  });

  it('of another game change nothing, and the tile says so after a while', async () => {
    await papers.documents(record(), sent(REAL));
    await store.rows.append([rowAfter(KEY, null, boot(REAL))]);
    await papers.prove(KEY);
    await papers.documents(record(), sent(FALSE));
    expect(game()).toBe('pa/real');
    expect(record().schemaFault).toBeNull();
    nowMs += 60_000;
    await papers.tick();
    expect(game()).toBe('pa/real');
    expect(record().schemaFault?.text).toContain('not the one that row 1 names');
  });

  it('whose text does not give its hash are refused, whatever the rows name', async () => {
    await store.rows.append([rowAfter(KEY, null, boot(REAL))]);
    await papers.documents(record(), sent(FALSE, sha256(REAL)));
    expect(game()).toBeNull();
    expect(record().schemaFault?.text).toContain('does not give its hash');
    await papers.documents(record(), sent(REAL));
    expect(game()).toBe('pa/real');
  });

  it('are those of the newest start that no row is missing before', async () => {
    const first = rowAfter(KEY, null, boot(REAL));
    const second = rowAfter(KEY, first);
    const third = rowAfter(KEY, second, boot(FALSE));
    await papers.documents(record(), sent(FALSE));
    await papers.documents(record(), sent(REAL));
    await store.rows.append([first, third]);
    await papers.prove(KEY, 3);
    expect(game()).toBe('pa/real');
    await store.rows.append([second]);
    await papers.tick();
    expect(game()).toBe('pa/false');
  });

  it('are not known after a start that names what nobody sent', async () => {
    const first = rowAfter(KEY, null, boot(REAL));
    await papers.documents(record(), sent(REAL));
    await store.rows.append([first, rowAfter(KEY, first, boot(FALSE))]);
    await papers.prove(KEY);
    expect(game()).toBeNull();
    await papers.documents(record(), sent(FALSE));
    expect(game()).toBe('pa/false');
  });

  it('stand again after a restart of the service, as far as they were proven', async () => {
    const first = rowAfter(KEY, null, boot(REAL));
    await papers.documents(record(), sent(REAL));
    await store.rows.append([first]);
    await papers.prove(KEY);
    begin();
    await papers.recall();
    expect(game()).toBe('pa/real');
    // Stored, and the service ended before it looked.
    await store.rows.append([rowAfter(KEY, first, boot(FALSE))]);
    begin();
    await papers.recall();
    expect(game()).toBeNull();
  });

  it('are not settled by a start that a hostile row spells otherwise', async () => {
    await papers.documents(record(), sent(REAL));
    const odd = [
      boot(REAL, { procedure: 7, table: {} }),
      { observation: { kind: 'press', note: '"kind":"power.boot"' } },
    ];
    let before = null;
    for (const step of odd) {
      before = rowAfter(KEY, before, step);
      await store.rows.append([before]);
      await papers.prove(KEY);
    }
    expect(game()).toBeNull();
  });

  it('bring no key that another name belongs to', async () => {
    const publicKey = Buffer.alloc(32, 1).toString('base64');
    await papers.documents(record(), { documents: [], key: { name: sha256('x'), publicKey } });
    expect(await store.proofs.keys()).toEqual([]);
    expect(record().schemaFault?.text).toContain(sha256('x'));
  });

  it('make the broker wait where many wait for the store', async () => {
    const work: Promise<void>[] = [];
    while (papers.hasRoom) work.push(papers.documents(record(), sent(REAL)));
    expect(work).toHaveLength(200);
    await Promise.all(work);
    expect(papers.hasRoom).toBe(true);
    expect(drained).toBe(work.length);
  });

  it('are the fault of the table where no database can hold them', async () => {
    const fault = new RangeError('a text that cannot be held');
    vi.spyOn(store.proofs, 'keep').mockRejectedValueOnce(fault);
    await papers.documents(record(), sent(REAL));
    expect(record().schemaFault?.text).toBe(`documents cannot be stored: ${fault.message}`);
    vi.spyOn(store.proofs, 'addCheckpoints').mockRejectedValueOnce(fault);
    const checkpoint = {
      ...{ seq: 1, hash: sha256(''), boot: 1, procedure: null, table: null },
      ...{ wallMs: NOW, wallTrusted: true, key: 'k', signature: 's' },
    };
    await papers.checkpoint(record(), checkpoint);
    expect(record().schemaFault?.text).toBe(`a checkpoint cannot be stored: ${fault.message}`);
  });

  it('and checkpoints that come together are stored together, all but a bad one', async () => {
    const message = (seq: number) => ({
      ...{ seq, hash: sha256(''), boot: 1, procedure: null, table: null },
      ...{ wallMs: NOW, wallTrusted: true, key: 'k', signature: 's' },
    });
    const real = store.proofs.addCheckpoints.bind(store.proofs);
    const batches: number[] = [];
    vi.spyOn(store.proofs, 'addCheckpoints').mockImplementation((all) => {
      batches.push(all.length);
      const isBad = all.some(({ message: { seq } }) => seq === 7);
      return isBad ? Promise.reject(new RangeError('too large')) : real(all);
    });
    const seqs = Array.from({ length: 100 }, (_, i) => i + 1);
    await Promise.all(seqs.map((seq) => papers.checkpoint(record(), message(seq))));
    const held = await store.proofs.checkpoints(await store.rows.placeOf(KEY), 1, 200);
    expect(held.map(({ seq }) => seq)).toEqual(seqs.filter((seq) => seq !== 7));
    expect(batches[0]).toBe(100);
    expect(batches.length).toBeLessThan(20);
    expect(record().schemaFault?.text).toBe('a checkpoint cannot be stored: too large');
  });
});
