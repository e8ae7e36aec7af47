import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  makeFolder,
  openGiven,
  placeTrouble,
  readGiven,
  SETTINGS_MAX_BYTES,
} from '../../../controller/config/given-file.js';

let folder = '';
const at = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cutcard-given-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('a file that a person named', () => {
  it('is read whole where it is a text of a usual size', () => {
    writeFileSync(at('a'), 'board: 1 # é\n');
    expect(readGiven(at('a'))).toBe('board: 1 # é\n');
    writeFileSync(at('b'), '');
    expect(readGiven(at('b'))).toBe('');
    expect(readGiven('/proc/self/status')).toContain('Name:');
  });

  it('is refused in plain words where it is no file, or none of ours', () => {
    execFileSync('mkfifo', [at('pipe')]);
    symlinkSync(at('one'), at('other'));
    symlinkSync(at('other'), at('one'));
    writeFileSync(at('large'), '');
    truncateSync(at('large'), SETTINGS_MAX_BYTES + 1);
    writeFileSync(at('binary'), Buffer.from([1, 0, 2]));
    writeFileSync(at('keys'), 'a: 1\n'.repeat(20_001));
    expect(() => readGiven(at('pipe'))).toThrow(/^it is a pipe; name a file$/);
    expect(() => openGiven(at('pipe'))).toThrow(/^it is a pipe/);
    expect(() => readGiven('/dev/zero')).toThrow(/^it is no regular file/);
    expect(() => readGiven(folder)).toThrow(/^it is a folder/);
    expect(() => readGiven(at('one'))).toThrow(/^its symbolic links lead in a circle$/);
    expect(() => readGiven(at('none'))).toThrow(/^there is no such file$/);
    expect(() => readGiven(at('large'))).toThrow(/^it has 1000001 bytes, more than 1000000$/);
    expect(() => readGiven(at('binary'))).toThrow(/^it is no text; save it as UTF-8$/);
    writeFileSync(at('latin'), Buffer.from('name: x\nplace: B\u00fcrgerhaus\n', 'latin1'));
    expect(() => readGiven(at('latin'))).toThrow(/^line 2 is not UTF-8; save it as UTF-8$/);
    writeFileSync(at('unicode'), 'name: x\nplace: B\u00fcrgerhaus\n');
    expect(readGiven(at('unicode'))).toContain('B\u00fcrgerhaus');
    expect(() => readGiven(at('keys'))).toThrow(/^it has 20001 times `:`, more than 20000/);
    expect(() => readGiven('/proc/self/maps', 10)).toThrow(/^it has more than 10 bytes$/);
  });
});

describe('a place where something is to be written', () => {
  it('is looked at, and nothing is made there', () => {
    writeFileSync(at('file'), '');
    expect(placeTrouble(at('new'))).toBeNull();
    expect(placeTrouble(at('file'))).toBeNull();
    expect(placeTrouble(folder)).toBe('it is a folder; name a file');
    expect(placeTrouble(at('none/new'))).toBe(`there is no folder ${at('none')}; make it`);
    expect(placeTrouble(at('file/new'))).toMatch(/a part of the path is no folder|no folder/);
    expect(existsSync(at('new'))).toBe(false);
  });

  it('is a folder made with those above it, or a word why not', () => {
    makeFolder(at('a/b/c'), 0o700);
    makeFolder(at('a/b/c'));
    expect(statSync(at('a/b/c')).mode & 0o777).toBe(0o700);
    writeFileSync(at('file'), '');
    expect(() => makeFolder(at('file'))).toThrow(`${at('file')}: a file lies there; name a folder`);
    expect(() => makeFolder(at('file/x'))).toThrow(/no folder/);
    // mkdir with `recursive` never comes back from here.
    expect(() => makeFolder('/proc/x/y')).toThrow(/^\/proc\/x: no folder can be made there$/);
  });
});
