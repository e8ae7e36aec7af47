import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { register } from '../../../controller/runtime/commands/procedures.js';
import { Refusal } from '../../../controller/runtime/exit.js';
import {
  builtInIds,
  isPackTrouble,
  loadPack,
  loadProcedure,
} from '../../../controller/runtime/procedure-files.js';
import { edited, SOUND } from './support.js';

const folder = mkdtempSync(join(tmpdir(), 'cutcard-packs-'));
const write = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const sound = write('sound.yaml', SOUND);
const wrong = write('wrong.yaml', edited(SOUND, 'minBehind: 14', 'minBehind: 60'));

afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = 0;
});

interface Ran {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

const run = async (...args: readonly string[]): Promise<Ran> => {
  let [out, err] = ['', ''];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
  process.exitCode = 0;
  const program = new Command();
  register(program);
  try {
    await program.parseAsync(['procedures', ...args], { from: 'user' });
    return { out, err, code: process.exitCode };
  } catch (error) {
    if (error instanceof Refusal) return { out, err: error.message, code: error.exitCode };
    throw error;
  }
};

describe('cutcard procedures list', () => {
  it('shows every pack with its version and the share that was read', async () => {
    const { out, code } = await run('list');
    expect(code).toBe(0);
    for (const id of builtInIds()) expect(out).toContain(id);
    expect(out).toMatch(/pa\/631a-baccarat\s+Baccarat\s+1\.0\.0\s+\d+ %/);
  });

  it('is one JSON array on request', async () => {
    const rows: unknown = JSON.parse((await run('list', '--json')).out);
    expect(rows).toContainEqual(
      expect.objectContaining({ id: 'pa/651a-casino-war', version: '1.0.0', title: 'Casino War' }),
    );
  });
});

describe('cutcard procedures check', () => {
  it('passes every built-in pack when none is named', async () => {
    const { out, err, code } = await run('check');
    expect({ err, code }).toEqual({ err: '', code: 0 });
    expect(out.trim().split('\n')).toHaveLength(builtInIds().length);
  });

  it('ends with 1 and names file, line and field of a contradiction', async () => {
    const { err, code } = await run('check', sound, wrong);
    expect(code).toBe(1);
    expect(err).toMatch(/wrong\.yaml:\d+: marker\.minBehind: 60 cards cannot lie behind/);
  });

  it('ends with 2 where there is no such file', async () => {
    const { err, code } = await run('check', sound, join(folder, 'nowhere.yaml'));
    expect(code).toBe(2);
    expect(err).toMatch(/nowhere\.yaml: there is no such file\. Check the path/);
  });

  it('ends with 2 for an id there is not, naming those there are', async () => {
    const { err, code } = await run('check', 'pa/999a-nothing');
    expect(code).toBe(2);
    expect(err).toMatch(/no procedure `pa\/999a-nothing`.*pa\/631a-baccarat/);
  });

  it('gives the same as JSON', async () => {
    const { out, code } = await run('check', '--json', wrong);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      results: [{ ok: false, problems: [{ field: 'marker.minBehind', file: wrong }] }],
    });
  });
});

describe('cutcard procedures explain and diff', () => {
  it('explain a file, with the choices made on the command line', async () => {
    const { out, code } = await run('explain', sound, '--choose', 'idleMinutes=33');
    expect(code).toBe(0);
    expect(out).toContain('After 33 minutes without play');
  });

  it('explain as JSON', async () => {
    const { out } = await run('explain', 'pa/631a-baccarat', '--json');
    expect(JSON.parse(out)).toMatchObject({ id: 'pa/631a-baccarat', version: '1.0.0' });
  });

  it('refuse a choice that is none', async () => {
    expect(await run('explain', sound, '--choose', 'idleMinutes')).toMatchObject({ code: 2 });
    expect(await run('explain', sound, '--choose', 'lie=flat')).toMatchObject({ code: 1 });
  });

  it('refuse a wrong pack with its lines, and a missing one', async () => {
    const ran = await run('explain', wrong);
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/wrong\.yaml:\d+/);
    expect(await run('diff', 'pa/nothing', sound)).toMatchObject({ code: 2 });
  });

  it('diff ends with 0 for the same and 1 for different rules', async () => {
    expect((await run('diff', sound, sound)).code).toBe(0);
    const { out, code } = await run('diff', 'pa/631a-baccarat', 'pa/651a-casino-war');
    expect(code).toBe(1);
    expect(out).toContain('- pa/631a-baccarat 1.0.0\n+ pa/651a-casino-war 1.0.0');
    const json: unknown = JSON.parse(
      (await run('diff', '--json', sound, 'pa/651a-casino-war')).out,
    );
    expect(json).toContainEqual(expect.objectContaining({ about: 'burn', kind: 'text' }));
  });
});

describe('packs of a site', () => {
  it('extend a built-in pack by its id', () => {
    const file = write(
      'house.yaml',
      [
        'pack: 1',
        'id: house/baccarat',
        'title: Baccarat at our house',
        'jurisdiction: Pennsylvania',
        'version: 0.1.0',
        'extends: pa/627a-minibaccarat',
        'choose: { initialDeal: face-down }',
        '',
      ].join('\n'),
    );
    expect(loadProcedure(file).round.faceUp).toBe(false);
    expect(loadProcedure('house.yaml', { from: folder }).id).toBe('house/baccarat');
  });

  it('extend a pack beside them', () => {
    write('parent.yaml', edited(SOUND, 'test/sound', 'site/parent'));
    const text = edited(SOUND, 'version: 1.2.3', 'version: 1.2.4\nextends: site/parent');
    expect(loadPack(write('kin.yaml', text)).procedure.version).toBe('1.2.4');
  });

  it('say so when their parent is nowhere', () => {
    const text = edited(SOUND, 'version: 1.2.3', 'version: 1.2.3\nextends: site/nowhere');
    const file = write('orphan.yaml', text);
    expect(() => loadPack(file)).toThrow(/no pack `site\/nowhere`/);
  });

  it('are told apart from troubles of the program', () => {
    expect(() => loadPack(wrong)).toThrow(expect.toSatisfy(isPackTrouble) as Error);
    expect(() => loadPack(folder)).toThrow(/it is a folder; name a file/);
    expect(isPackTrouble(new Error('x'))).toBe(false);
  });
});
