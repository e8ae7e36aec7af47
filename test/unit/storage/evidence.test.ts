import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decision } from '../../../controller/core/decision.js';
import type { Happening } from '../../../controller/core/observation.js';
import type { TableStep } from '../../../controller/core/ports.js';
import { freshRound } from '../../../controller/core/state.js';
import { canonicalJson, hashText } from '../../../storage/canonical.js';
import { DeviceKey } from '../../../storage/checkpoint.js';
import { makeEvidence, verifyEvidence } from '../../../storage/evidence-file.js';
import type { Wanted } from '../../../storage/evidence-select.js';
import { openJournal } from '../../../storage/journal.js';
import { JournalReader } from '../../../storage/reader.js';
import { finding, TABLE } from './steps.js';

const VERSION = '0.1.0';
const NOW = Date.UTC(2026, 0, 6);
const SLOW_MS = 60_000;
const key = DeviceKey.generate();
const tableText = canonicalJson(TABLE);
let folder: string;
let reader: JournalReader;

/** Two shoes of ten rounds; the deck of the second is proved short behind its last round. */
const game = (): readonly TableStep[] => {
  const steps: TableStep[] = [];
  const add = (happening: Happening, ...decisions: readonly Decision[]): number => {
    const seq = steps.length + 1;
    const wallMs = Date.UTC(2026, 0, 5, 14) + seq * 1000;
    const stamp = { seq, atNs: seq * 1e9, wallMs, wallTrusted: true };
    steps.push({ observation: { ...stamp, ...happening }, decisions });
    return seq;
  };
  add({ kind: 'power.boot', unclean: false, boot: 1, table: hashText(tableText) });
  for (let shoe = 1; shoe <= 2; shoe += 1) {
    add(
      { kind: 'shuffler.done', batch: 'red', count: 416 },
      { do: 'noted', part: 'counting', set: { roundsSince: 0, sinceNs: 0 } },
    );
    add({ kind: 'shoe.loaded' }, { do: 'noted', part: 'shoe', set: { no: shoe, isLoaded: true } });
    for (let round = 1; round <= 10; round += 1) {
      add(
        { kind: 'press', role: 'dealer', key: 'no-more-bets' },
        { do: 'noted', part: 'round', set: { ...freshRound, no: round } },
        { do: 'noted', part: 'counting', set: { roundsSince: round } },
      );
      for (let card = 1; card <= 5; card += 1) {
        add(
          { kind: 'card.out', lengthMm: 88, speedMmS: 640 },
          { do: 'noted', part: 'round', set: { cards: card } },
        );
      }
      add({ kind: 'press', role: 'dealer', key: 'round-end' }, { do: 'moved', phase: 'ready' });
    }
  }
  const seq = steps.length + 1;
  add(
    { kind: 'shuffler.done', batch: 'red', count: 415 },
    { do: 'raised', finding: { ...finding(seq), code: 'count.wrong', severity: 'stop' } },
    { do: 'direct', directive: { to: 'video', mark: 'count.wrong <b>' } },
  );
  const by = { role: 'floor', badge: 'F-12' } as const;
  add(
    { kind: 'press', role: 'floor', key: 'deck-removed', batch: 'red', badge: 'F-12' },
    { do: 'cleared', id: `${seq}.1`, code: 'count.wrong', by, how: 'batch removed' },
  );
  add({ kind: 'power.off' });
  return steps;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evidence-'));
  const path = join(folder, 'table.journal');
  const journal = await openJournal(path, { writer: 'inline', key, checkpointRows: 40 });
  await journal.putDocument('table', hashText(tableText), tableText);
  await journal.append(game());
  await journal.close();
  reader = JournalReader.open(path);
});
afterAll(() => {
  reader.close();
  rmSync(folder, { recursive: true });
});

const make = (wanted: Wanted, sealed = true): string =>
  makeEvidence(reader, { wanted, version: VERSION, nowMs: NOW, ...(sealed ? { key } : {}) });

describe('an evidence file', () => {
  it('holds a finding with its rows, from signed checkpoint to signed checkpoint', () => {
    const text = make({ kind: 'finding', name: 'count.wrong' });
    const verdict = verifyEvidence(text, VERSION, key.publicKey);
    expect(verdict).toMatchObject({ flaw: null, sealed: true, reportCompared: true });
    expect(verdict.head).toMatchObject({ startSigned: true, endSigned: true });
    expect(verdict.head?.about).toMatchObject({ kind: 'finding', fromSeq: 74, toSeq: 147 });
    expect(verdict.keys).toEqual([key.name]);
  });

  it('lists the rounds in doubt since the last proved count, and the video marks', () => {
    const text = make({ kind: 'finding', name: 'count.wrong' });
    const list = /Void list[\s\S]*?<\/table>/.exec(text)?.[0] ?? '';
    const rounds = [...list.matchAll(/<td>(\d+\.\d+)<\/td>/g)].map((match) => match[1]);
    expect(rounds).toEqual(Array.from({ length: 10 }, (_, i) => `2.${i + 1}`));
    expect(list).toContain('<td>76 to 82</td>');
    expect(text).toContain('count.wrong &lt;b&gt;');
    expect(text).toContain('row 147: batch removed (F-12)');
  });

  it('says how many rounds in doubt lie before its rows, and which shoe is in play', () => {
    const text = make({ kind: 'round', name: '2.9' });
    const list = /Void list[\s\S]*?<\/table>/.exec(text)?.[0] ?? '';
    const rounds = [...list.matchAll(/<td>([\d?]+\.\d+)<\/td>/g)].map((match) => match[1]);
    const told = /row 74, before the first row here\. 9 rounds were begun since: the (\d) listed/;
    expect(Number(told.exec(list)?.[1])).toBe(rounds.length);
    expect(rounds.length).toBeLessThan(9);
    expect(rounds).toEqual(['2.7', '2.8', '2.9'].slice(-rounds.length));
    expect(list).toContain(`${9 - rounds.length} before them whose rows are not in this file`);
    expect(verifyEvidence(text, VERSION, key.publicKey)).toMatchObject({ flaw: null });
  });

  it('takes a round, rows and times', () => {
    const round = verifyEvidence(make({ kind: 'round', name: '1.3' }), VERSION);
    expect(round).toMatchObject({ flaw: null, head: { about: { fromSeq: 18, toSeq: 24 } } });
    const rows = verifyEvidence(make({ kind: 'span', from: '50', to: '60' }), VERSION);
    expect(rows).toMatchObject({ flaw: null, head: { about: { fromSeq: 50, toSeq: 60 } } });
    const span = { from: '2026-01-05T14:00:50Z', to: '2026-01-05T14:01:00Z' };
    const times = verifyEvidence(make({ kind: 'span', ...span }), VERSION);
    expect(times).toMatchObject({ flaw: null, head: { about: { fromSeq: 50, toSeq: 60 } } });
  });

  it.each([
    [{ kind: 'finding', name: '7.1' }, /there is no finding 7\.1/],
    [{ kind: 'round', name: '1.30' }, /no round 30 in shoe 1/],
    [{ kind: 'round', name: 'x' }, /not a shoe and a round/],
    [{ kind: 'span', from: '9', to: '3' }, /neither two rows nor two times/],
    [{ kind: 'span', from: '900', to: '950' }, /it holds rows 1 to 148/],
  ] as const)('says what is wrong with %o', (wanted, message) => {
    expect(() => make(wanted)).toThrow(message);
  });

  it('is not taken with another key than the device has', () => {
    const text = make({ kind: 'round', name: '1.3' });
    const { flaw } = verifyEvidence(text, VERSION, DeviceKey.generate().publicKey);
    expect(flaw?.where).toMatch(/^checkpoint at row/);
    expect(flaw?.what).toMatch(/not with the device's/);
  });

  it('names a changed row, document, checkpoint, report line and heading', () => {
    const text = make({ kind: 'finding', name: 'count.wrong' });
    const changed = (from: string | RegExp, to: string) => {
      const other = text.replace(from, to);
      expect(other).not.toBe(text);
      return verifyEvidence(other, VERSION, key.publicKey).flaw;
    };
    expect(changed(String.raw`\"count\":415`, String.raw`\"count\":416`)).toEqual({
      where: 'row 146',
      what: 'its text does not give its hash',
    });
    expect(changed(String.raw`\"seats\":7`, String.raw`\"seats\":6`)?.where).toMatch(/^table /);
    expect(changed(String.raw`\"boot\":1`, String.raw`\"boot\":2`)?.where).toMatch(
      /^checkpoint at row/,
    );
    expect(changed('<td>2.7</td>', '<td>2.8</td>')?.where).toMatch(/^report, line \d+/);
    expect(changed('"exportedMs":1', '"exportedMs":2')?.where).toBe('heading or seal');
    expect(changed(/\{"row":[^\n]*"seq":100\}\}\n/, '')?.where).toBe('row 100');
  });

  it(
    'finds any changed byte',
    () => {
      const text = make({ kind: 'span', from: '60', to: '62' });
      expect(verifyEvidence(text, VERSION).flaw).toBeNull();
      const step = Math.ceil(text.length / 700);
      for (let at = 0; at < text.length; at += step) {
        const flipped = String.fromCharCode(text.charCodeAt(at) ^ 1);
        const other = text.slice(0, at) + flipped + text.slice(at + 1);
        const { flaw } = verifyEvidence(other, VERSION);
        expect(flaw, `byte ${at}: ${text.slice(at - 20, at + 20)}`).not.toBeNull();
        expect(flaw?.where).not.toBe('');
      }
    },
    SLOW_MS,
  );

  it('of another version is taken with its seal only', () => {
    const sealed = verifyEvidence(make({ kind: 'round', name: '1.3' }), '9.9.9', key.publicKey);
    expect(sealed).toMatchObject({ flaw: null, sealed: true, reportCompared: false });
    const text = make({ kind: 'round', name: '1.3' }, false);
    const { flaw, sealed: isSealed } = verifyEvidence(text, '9.9.9');
    expect(isSealed).toBe(false);
    expect(flaw?.what).toMatch(/not sealed, and version 0\.1\.0 wrote it.*cannot make it again/);
    // Even where somebody changed the report and worked out its hashes anew.
    const other = text.replace('<h2>Findings', '<h2>findings');
    expect(verifyEvidence(other, '9.9.9').flaw?.what).toBe('it was changed');
    expect(verifyEvidence(text, VERSION)).toMatchObject({ flaw: null, sealed: false });
  });

  it('sealed by somebody else than the demanded device is not whole', () => {
    const wanted: Wanted = { kind: 'round', name: '1.3' };
    const stranger = DeviceKey.generate();
    const options = { wanted, version: VERSION, nowMs: NOW, key: stranger };
    const text = makeEvidence(reader, options);
    expect(verifyEvidence(text, VERSION)).toMatchObject({ flaw: null, sealKey: stranger.name });
    const { flaw, sealed } = verifyEvidence(text, VERSION, key.publicKey);
    expect(flaw).toMatchObject({ where: 'seal' });
    expect(flaw?.what).toContain(`not of the device's ${key.name}`);
    expect(sealed).toBe(false);
  });

  it('without one checkpoint proves no demanded key, and says so', async () => {
    const path = join(folder, 'unsigned.journal');
    const journal = await openJournal(path, { writer: 'inline' });
    await journal.putDocument('table', hashText(tableText), tableText);
    await journal.append(game());
    await journal.close();
    const unsigned = JournalReader.open(path);
    const wanted: Wanted = { kind: 'round', name: '1.3' };
    const options = { wanted, version: VERSION, nowMs: NOW };
    const text = makeEvidence(unsigned, options);
    const stuffed = makeEvidence(unsigned, { ...options, key });
    unsigned.close();
    expect(verifyEvidence(text, VERSION)).toMatchObject({ flaw: null, signedSeq: 0 });
    for (const file of [text, stuffed]) {
      expect(verifyEvidence(file, VERSION, key.publicKey).flaw).toEqual({
        where: 'checkpoints',
        what: `none is signed with the key ${key.name}`,
      });
    }
  });
});
