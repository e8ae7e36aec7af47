import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../../controller/runtime/cli.js';

const GOOD = [
  'scenario: 1',
  'title: Good',
  'procedure: pa/631a-baccarat',
  'table: { decks: 8, crew: 3, seats: 14 }',
  'timeline:',
  '  - open: {}',
  '  - expect: { phase: ready, findings: [] }',
  '',
].join('\n');

let folder = '';
let out = '';
let err = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cutcard-command-'));
  out = '';
  err = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const fast = ['scenario', 'run', '--through', 'observations'];

describe('cutcard scenario run', () => {
  it('says ok and exits 0 when all hold', async () => {
    expect(await runCli([...fast, file('good.yaml', GOOD)])).toBe(0);
    expect(out).toMatch(/^ok +\d+\.\d\d s +observations +\S+good\.yaml {2}\(Good\)\n$/);
  });

  it('goes on after a failure, shows where and why, and exits 1', async () => {
    const bad = file('a-bad.yaml', GOOD.replace('phase: ready', 'phase: burn'));
    file('b-good.yaml', GOOD);
    expect(await runCli([...fast, folder])).toBe(1);
    expect(out).toContain(`  ${bad}:7:15\n    expect: { phase: burn, findings: [] }\n`);
    expect(out).toContain('    expected  phase: burn\n    seen      phase: ready\n');
    expect(out).toContain('    the last 10 steps:\n');
    expect(out).toMatch(/card\.out \(back red\) -> phase ready; display "NO MORE BETS"/);
    expect(out).toMatch(/ok .*b-good\.yaml/);
    expect(out).toMatch(/1 of 2 hold\n$/);
  });

  it('exits 2 when a file cannot be used, and still plays the others', async () => {
    const odd = file('a-odd.yaml', GOOD.replace('open: {}', 'opn: {}'));
    file('b-good.yaml', GOOD);
    expect(await runCli([...fast, folder, join(folder, 'none.yaml')])).toBe(2);
    expect(out).toContain(`unusable  ${odd}\n  ${odd}:6:5: `);
    expect(out).toMatch(/none\.yaml: there is no such file/);
    expect(out).toMatch(/ok .*b-good\.yaml/);
  });

  it('exits 2 when a table cannot do what is asked', async () => {
    const odd = file('odd.yaml', GOOD.replace('open: {}', 'shuffler: { jam: true }'));
    expect(await runCli([...fast, odd])).toBe(2);
    expect(out).toMatch(/odd\.yaml:6:5: .*no shuffler/);
  });

  it('plays both depths, compares them, and reports as JSON', async () => {
    const both = ['scenario', 'run', '--through', 'both', '--json', file('good.yaml', GOOD)];
    expect(await runCli(both)).toBe(0);
    const report: unknown = JSON.parse(out);
    expect(report).toMatchObject({
      ok: true,
      files: [
        {
          is: 'played',
          outcomes: [
            { through: 'observations', ok: true },
            { through: 'signals', ok: true },
          ],
        },
      ],
    });
  });

  it('writes what it recorded, whole', async () => {
    const trace = join(folder, 'good.trace');
    const record = ['scenario', 'run', '--record', trace, file('good.yaml', GOOD)];
    expect(await runCli(record)).toBe(0);
    const lines = readFileSync(trace, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(100);
    for (const line of lines) expect(() => void JSON.parse(line)).not.toThrow();
  });

  it('refuses what makes no sense', async () => {
    const good = file('good.yaml', GOOD);
    expect(await runCli(['scenario', 'run', '--through', 'magic', good])).toBe(2);
    expect(await runCli(['scenario', 'run', '--noise', '-1', good])).toBe(2);
    expect(await runCli([...fast, '--record', join(folder, 'x'), good])).toBe(2);
    expect(err).toMatch(/`--record` takes one scenario, played through signals/);
    expect(await runCli(['scenario', 'run'])).toBe(2);
  });
});

describe('cutcard scenario check', () => {
  it('reads files and their procedures without playing them', async () => {
    expect(await runCli(['scenario', 'check', file('good.yaml', GOOD)])).toBe(0);
    const missing = file('missing.yaml', GOOD.replace('pa/631a-baccarat', './no.yaml'));
    expect(await runCli(['scenario', 'check', missing])).toBe(2);
    expect(out).toMatch(/missing\.yaml:3:12: `procedure`: .*no\.yaml: there is no such file/);
    const half = file('half.yaml', GOOD.replace('pa/631a-baccarat', '631a-baccarat'));
    expect(await runCli(['scenario', 'check', half])).toBe(2);
    expect(out).toMatch(/half\.yaml:3:12: .*no procedure `631a-baccarat`.* pa\/631a-baccarat/);
  });

  it('says what no table like this can do, as a run would', async () => {
    const more = '  - link: { down: toaster }\n  - serial: "x"\n';
    const odd = file('odd.yaml', `${GOOD}${more}`);
    expect(await runCli(['scenario', 'check', odd])).toBe(2);
    expect(out).toMatch(/odd\.yaml:8:5: `link`: .*`toaster`; it takes .*mouth/);
    expect(out).toMatch(/odd\.yaml:9:5: `serial`: this table has no shuffler/);
  });
});
