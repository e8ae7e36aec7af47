import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { backupJournal } from '../../storage/backup.js';
import { openJournal } from '../../storage/journal.js';
import { verifyChain } from '../../storage/verify.js';
import { testWith } from '../support/needs.js';
import { Appender, childStep, firstWrongRow, needsBuild } from './storage-child.js';

/** `CUTCARD_KILLS=1000` for a night. */
const KILLS = Number(process.env['CUTCARD_KILLS'] ?? 40);
const LONGEST_LIFE_MS = 150;
/** A loaded machine needs seconds to start a process. */
const MS_A_KILL = 15_000;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a process killed at random instants', () => {
  testWith(
    needsBuild(),
    `loses no acknowledged row in ${KILLS} kills, and keeps the chain`,
    async () => {
      const path = join(folder, 'table.journal');
      let killedWriting = 0;
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const child = new Appender(path, kill % 4 === 0 ? 'inline' : 'worker', kill);
        // Some are killed while they open, which is where a start after a power cut may be cut.
        if (kill % 5 !== 0) await child.acknowledged(1);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_LIFE_MS));
        await child.kill();
        expect(child.words).not.toMatch(/fault|Error/);
        const acknowledged = child.lastSeq;
        if (acknowledged > 0) killedWriting += 1;
        const journal = await openJournal(path, { writer: 'inline' });
        const { seq } = journal.head();
        expect(seq, `kill ${kill}`).toBeGreaterThanOrEqual(acknowledged);
        expect(journal.cursor('mqtt')).toBeLessThanOrEqual(seq);
        if (acknowledged > 0) expect(journal.unclean).toBe(true);
        await journal.append([childStep(seq + 1)]);
        await journal.close();
        if (kill % 10 === 0 || kill === KILLS) {
          expect((await verifyChain(path)).damage).toBeNull();
          expect(firstWrongRow(path)).toBeNull();
        }
      }
      expect(killedWriting).toBeGreaterThan(KILLS / 2);
    },
    KILLS * MS_A_KILL,
  );
});

describe('while a process writes the journal', () => {
  testWith(
    needsBuild(),
    'no second one may, and anybody may check and copy it',
    async () => {
      const path = join(folder, 'table.journal');
      const child = new Appender(path, 'worker');
      try {
        await child.acknowledged(50);
        for (const writer of ['worker', 'inline'] as const) {
          await expect(openJournal(path, { writer })).rejects.toMatchObject({ code: 'locked' });
        }
        const before = child.lastSeq;
        const live = await verifyChain(path);
        expect(live.damage).toBeNull();
        expect(live.head.seq).toBeGreaterThanOrEqual(before);
        const copy = join(folder, 'copy.journal');
        await backupJournal(path, copy);
        expect((await verifyChain(copy)).head.seq).toBeGreaterThanOrEqual(before);
        await child.acknowledged(child.lastSeq + 50);
        expect(child.words).not.toMatch(/fault|Error/);
      } finally {
        await child.kill();
      }
      const journal = await openJournal(path, { writer: 'inline' });
      expect(journal.head().seq).toBeGreaterThanOrEqual(child.lastSeq);
      await journal.close();
    },
    MS_A_KILL * 4,
  );
});
