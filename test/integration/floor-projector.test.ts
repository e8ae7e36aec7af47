import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Projector } from '../../surveillance/floor/projector.js';
import { FloorStore } from '../../surveillance/floor/store/floor-store.js';
import { type HeardRow, NO_HASH } from '../../surveillance/floor/store/row-store.js';

const nothing = (): void => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

const NOW = Date.UTC(2026, 10, 29, 12);

const rowAfter = (
  table: string,
  before: HeardRow | null,
  decisions: readonly unknown[] = [],
): HeardRow => {
  const seq = (before?.seq ?? 0) + 1;
  const observation = { atNs: seq, kind: 'mouth.clear', seq, wallMs: NOW, wallTrusted: true };
  const body = JSON.stringify({ decisions, observation });
  const prev = before?.hash ?? NO_HASH;
  const hash = createHash('sha256')
    .update(prev + body)
    .digest('hex');
  return { table, seq, prev, hash, wallMs: NOW, heardMs: NOW, isHistorical: false, body };
};

const raised = (seq: number, more: object = {}) => ({
  do: 'raised',
  finding: {
    id: `${seq}.0`,
    code: 'burn.short',
    clause: '651a',
    severity: 'stop',
    lifespan: 'shoe',
    expected: 'a burn',
    observed: 'none',
    remedy: 'call the floor',
    authority: 'floor',
    raisedSeq: seq,
    raisedNs: 1,
    raisedWallMs: NOW,
    ...more,
  },
});

describe('following the rows', () => {
  let folder: string;
  let store: FloorStore;
  let stopped: string[];
  let projector: Projector;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cutcard-floor-'));
    store = await FloorStore.open(join(folder, 'floor.db'));
    stopped = [];
    projector = new Projector({
      store,
      instance: 'one',
      log: SILENT,
      nowMs: () => NOW,
      game: () => null,
      configuration: () => null,
      firstSeq: () => 1,
      stopped: (table, seq, text) => stopped.push(`${table} ${seq} ${text}`),
    });
  });

  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const findings = async (table: string) =>
    (await store.findings({ table, limit: 10 })).map(({ life }) => life.id);

  it('stops one table at a row that is no sound step, and no other', async () => {
    const shoe = { no: 1, loaded: {}, out: {}, rounds: [], isLoaded: true };
    const good = rowAfter('n/p/poison', null, [raised(1)]);
    const poison = rowAfter('n/p/poison', good, [{ do: 'noted', part: 'shoe', set: shoe }]);
    await store.rows.append([good, poison, rowAfter('n/p/poison', poison, [raised(3)])]);
    await projector.tick();
    await projector.tick();
    await store.rows.append([rowAfter('n/p/honest', null, [raised(1)])]);
    await projector.tick();
    await projector.tick();
    expect(await findings('n/p/poison')).toEqual(['1.0']);
    expect(await findings('n/p/honest')).toEqual(['1.0']);
    expect(stopped).toHaveLength(1);
    expect(stopped[0]).toMatch(/^n\/p\/poison 2 .*shoe\.loaded/);
    expect(await store.followedTo('n/p/poison')).toBe(1);
    expect(projector.stopped).toBe(1);
  });

  it('stops a table at a row that the store cannot hold, and writes those before', async () => {
    const set = { no: null, isLoaded: true };
    const rows = [rowAfter('n/p/a', null, [raised(1)])];
    for (let seq = 2; seq < 6; seq += 1) {
      rows.push(
        rowAfter(
          'n/p/a',
          rows.at(-1) ?? null,
          seq === 4 ? [{ do: 'noted', part: 'shoe', set }] : [],
        ),
      );
    }
    await store.rows.append([...rows, rowAfter('n/p/b', null, [raised(1)])]);
    await projector.tick();
    await projector.tick();
    expect(await store.followedTo('n/p/a')).toBe(3);
    expect(await findings('n/p/a')).toEqual(['1.0']);
    expect(await findings('n/p/b')).toEqual(['1.0']);
    expect(stopped).toHaveLength(1);
  });

  it('keeps no NUL of a text and no time that no clock can show', async () => {
    const text = rowAfter('n/p/a', null, [raised(1, { clause: '65\u00001a' })]);
    const late = rowAfter('n/p/b', null, [raised(1, { raisedWallMs: 1e300 })]);
    await store.rows.append([text, late]);
    await projector.tick();
    const [found] = await store.findings({ table: 'n/p/a', limit: 1 });
    expect(found?.life.clause).toBe('65\uFFFD1a');
    expect(await findings('n/p/b')).toEqual([]);
    expect(stopped).toHaveLength(1);
  });
});
