import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fitBoard, lineSpec, loadBoard, parseBoard } from '../../../firmware-bridge/boards/load.js';
import { FileError, loadProfile, packageRoot } from '../../../firmware-bridge/files.js';

const folder = (name: string): string => join(packageRoot(), 'firmware-bridge', name);
const names = (of: string): string[] =>
  readdirSync(folder(of))
    .filter((f) => f.endsWith('.yaml'))
    .map((f) => f.slice(0, -'.yaml'.length));

describe('our own files', () => {
  it.each(names('boards'))('board %s is sound', (name) => {
    const board = loadBoard(name);
    expect(board.name).toBe(name);
    for (const line of Object.keys(board.lines)) expect(lineSpec(board, line).name).toBe(line);
  });

  it.each(names('profiles'))('profile %s is sound', (name) => {
    expect(loadProfile(name, '/').name).toBe(name);
  });
});

describe('a board file with a fault', () => {
  const text = readFileSync(join(folder('boards'), 'virtual.yaml'), 'utf8');
  const file = join(folder('boards'), 'virtual.yaml');
  const faultOf = (changed: string): string => {
    try {
      parseBoard(changed, file);
      return 'none';
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(FileError);
      return thrown instanceof Error ? thrown.message : '';
    }
  };
  const lineOf = (part: string): number => text.slice(0, text.indexOf(part)).split('\n').length;

  it.each([
    ['a line that is not there', ['beamA: beam-a', 'beamA: beam-x'], /no `beam-x` in lines/],
    ['a line two devices want', ['lid, line: lid', 'lid, line: shoe'], /already belongs to/],
    ['an offset used twice', ['offset: 27', 'offset: 17'], /line 17 is already beam-a/],
    [
      'a port that moves',
      ['shuffler: { backend: virtual }', 'shuffler: { backend: serial, path: /dev/ttyUSB0 }'],
      /numbers move/,
    ],
    [
      'a driver that is none',
      ['driver: tcs34725', 'driver: tcs99'],
      /devices\.colour\.driver: takes shoe-mouth, tcs34725, .* or badge-reader$/m,
    ],
    [
      'a backend that is none',
      ['shuffler: { backend: virtual }', 'shuffler: { backend: usb }'],
      /streams\.shuffler\.backend: takes virtual, serial or tcp$/m,
    ],
    [
      'an unknown key',
      ['beamB: beam-b', 'beamB: beam-b\n    beamC: beam-b'],
      /beamC.*is no key here/,
    ],
    ['a key of the keypad twice', ["['0', '1'", "['1', '1'"], /a key stands twice/],
    [
      'a profile that is not there',
      ['profile: shuffler-stx', 'profile: nothing-such'],
      /there is no such profile in this program; it has .*shuffler-stx/,
    ],
    ['an unknown driver', ['driver: gate', 'driver: gates'], /driver/],
  ] as const)('%s is named', (_name, [from, to], fault) => {
    expect(text).toContain(from);
    expect(faultOf(text.replace(from, to))).toMatch(fault);
  });

  it('names file and line', () => {
    const message = faultOf(text.replace('beamA: beam-a', 'beamA: beam-x'));
    expect(message).toContain(`${file}:${lineOf('beamA: beam-a')}: devices.mouth.beamA`);
  });
});

describe('fitting a board to a table', () => {
  it('leaves out what the table does not have', () => {
    const board = loadBoard('virtual');
    const fitted = fitBoard(board, {
      shuffler: false,
      reader: false,
      lampTap: false,
      blockedMs: 2000,
    });
    const drivers = Object.values(fitted.devices).map((d) => d.driver);
    expect(drivers).not.toContain('shuffler');
    expect(drivers).not.toContain('rank-reader');
    expect(drivers).not.toContain('lamp-tap');
    expect(fitted.devices['mouth']).not.toHaveProperty('reader');
    expect(fitted.streams).not.toHaveProperty('reader');
    expect(fitted.streams).not.toHaveProperty('shuffler');
    const full = fitBoard(board, { shuffler: true, reader: true, lampTap: true, blockedMs: 700 });
    expect(Object.keys(full.devices)).toEqual(Object.keys(board.devices));
    expect(full.devices['mouth']).toMatchObject({ blockedMs: 700 });
  });
});
