import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FloorExport } from '../../../controller/runtime/floor/floor-export.js';
import type { JournalRow, TableStep } from '../../../controller/core/ports.js';
import { hashRow, hashText } from '../../../storage/canonical.js';
import { chainSteps } from '../../../storage/rows.js';
import { FloorStore } from '../../../surveillance/floor/store/floor-store.js';
import type { HeardRow } from '../../../surveillance/floor/store/row-store.js';
import { stepsFrom } from '../storage/steps.js';

const TABLE = 'north/p1/bac-01';
const WALL = Date.UTC(2026, 0, 5);
const DOCUMENT = hashText('{"decks":8}');
let folder = '';
let store: FloorStore;

const BOOT: TableStep = {
  observation: {
    ...{ seq: 1, atNs: 0, wallMs: WALL, wallTrusted: true },
    ...{ kind: 'power.boot', unclean: false, boot: 1, version: '1.2.3', table: DOCUMENT },
  },
  decisions: [],
};
const { rows } = chainSteps(
  { seq: 0, hash: '0'.repeat(64), atNs: 0 },
  [BOOT, ...stepsFrom(2, 29)],
  'in memory',
);
const heard = (row: JournalRow): HeardRow => ({
  ...row,
  ...{ table: TABLE, wallMs: WALL, heardMs: WALL, isHistorical: false },
});

const place = (): string => join(folder, 'floor.db');
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'floor-export-'));
  store = await FloorStore.open(place());
  await store.rows.append(rows.map(heard));
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const run = async (): Promise<{ lines: readonly string[]; said: readonly string[] }> => {
  const exported = await FloorExport.open({ store: place(), table: TABLE });
  try {
    const lines: string[] = [];
    for await (const line of exported.lines()) lines.push(line);
    return { lines, said: exported.said };
  } finally {
    await exported.close();
  }
};

describe('exporting a table from the floor', () => {
  it('says which document was never sent', async () => {
    const { lines, said } = await run();
    expect(lines).toHaveLength(31);
    expect(said).toEqual([`the document ${DOCUMENT} that the start at row 1 names is not held`]);
    await store.proofs.keep({
      documents: [{ kind: 'table', hash: DOCUMENT, text: '{"decks":8}' }],
      key: null,
    });
    const again = await run();
    expect(again.said).toEqual([]);
    expect(again.lines[1]).toContain('"document"');
  });

  it('says which row came with two hashes, and gives the one in the chain', async () => {
    const real = rows[9];
    if (real === undefined) throw new Error('there is no row 10');
    const body = real.body.replace('"wallTrusted":true', '"wallTrusted":false');
    await store.rows.append([heard({ ...real, body, hash: hashRow(real.prev, body) })]);
    const { lines, said } = await run();
    expect(said.join('\n')).toMatch(/row 10 came with two hashes; the one that follows from row 9/);
    expect(lines.some((line) => line.includes(real.hash))).toBe(true);
  });

  it('leaves out a checkpoint whose key is not known, and says so', async () => {
    const id = await store.rows.placeOf(TABLE);
    const hash = rows[4]?.hash ?? '';
    const message = {
      ...{ seq: 5, hash, boot: 1, procedure: null, table: DOCUMENT, wallMs: WALL },
      ...{ wallTrusted: true, key: 'a'.repeat(64), signature: 'AAAA' },
    };
    await store.proofs.addCheckpoints([{ place: id, message }]);
    const { lines, said } = await run();
    expect(said.join('\n')).toMatch(/checkpoint held of row 5 is left out: its key a{64} is not/);
    expect(lines.some((line) => line.includes('"checkpoint"'))).toBe(false);
  });

  it('ends at a row that is not what its hash says', async () => {
    await store.db.run("UPDATE journal_row SET body = body || ' ' WHERE seq = ?", [20]);
    await expect(run()).rejects.toThrow(/row 20: its text does not give its hash; the lines end/);
  });
});
