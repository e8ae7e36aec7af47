import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { register } from '../../../controller/runtime/commands/journal.js';
import { canonicalJson, hashText } from '../../../storage/canonical.js';
import { openJournal } from '../../../storage/journal.js';
import { tableFor } from './recorded-table.js';

const folder = mkdtempSync(join(tmpdir(), 'cutcard-sheet-'));
const path = join(folder, 'table.journal');

beforeAll(async () => {
  const war = tableFor('pa/651a-casino-war');
  const [procedureText, tableText] = [war.rules.procedure, war.rules.table].map(canonicalJson);
  const procedure = hashText(procedureText ?? '');
  const table = hashText(tableText ?? '');
  war.see({ kind: 'power.boot', unclean: false, boot: 1, procedure, table });
  war.open().round(6);
  war.press('no-more-bets').cards(3).cover().cards(3).press('round-end');
  war.press('collected').open().round(6);
  const journal = await openJournal(path, { writer: 'inline' });
  await journal.putDocument('procedure', procedure, procedureText ?? '');
  await journal.putDocument('table', table, tableText ?? '');
  await journal.append(war.steps);
  await journal.close();
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

const show = async (...args: readonly string[]): Promise<string> => {
  let out = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  const program = new Command();
  register(program);
  await program.parseAsync(['journal', 'show', path, ...args], { from: 'user' });
  return out;
};

describe('cutcard journal show --shoe', () => {
  it('prints the duty sheet, then the rows of the shoe', async () => {
    const out = await show('--shoe', '1');
    expect(out).toMatch(/^Duty sheet, shoe 1\n/);
    expect(out).toMatch(/§ 651a\.8\(b\)\s+Opening burn: met \(sensed\)/);
    expect(out).toContain('Players and spectators do not handle');
    expect(out).toContain('cover.out');
  });

  it('prints the sheet alone', async () => {
    const out = await show('--shoe', '2', '--sheet');
    expect(out).toMatch(/^Duty sheet, shoe 2\n/);
    expect(out).toMatch(/So far/);
    expect(out).not.toContain('cover.out');
  });

  it('gives it as one JSON object, with the hash of its last row', async () => {
    const value: unknown = JSON.parse(await show('--shoe', '1', '--sheet', '--json'));
    expect(value).toMatchObject({
      journal: path,
      lastHash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      procedure: { id: 'pa/651a-casino-war' },
      sheet: { shoe: 1, rounds: 2, out: 13, isOver: true },
    });
  });

  it('keeps rows as JSON lines where only rows are asked for', async () => {
    const lines = (await show('--shoe', '1', '--json')).trim().split('\n');
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('seq');
  });

  it('writes the page to print', async () => {
    const file = join(folder, 'sheet.html');
    expect(await show('--shoe', '1', '--html', file)).toContain(file);
    expect(readFileSync(file, 'utf8')).toContain('<h1>Duty sheet, shoe 1</h1>');
  });

  it('refuses a shoe there is not, and a sheet of no shoe', async () => {
    await expect(show('--shoe', '9', '--sheet')).rejects.toThrow(/no shoe 9/);
    await expect(show('--sheet')).rejects.toThrow(/need the number of the shoe/);
  });
});
