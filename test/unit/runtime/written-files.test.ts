import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placeToReplace, placeTrouble } from '../../../controller/config/given-file.js';
import { writeInto, writeNewFile } from '../../../controller/runtime/new-file.js';
import { setJournalAside } from '../../../storage/set-aside.js';
import { Store } from '../../../storage/store.js';
import { AuditFile } from '../../../surveillance/access/audit.js';
import { SqliteDb } from '../../../surveillance/floor/store/sqlite-db.js';
import { moveDurably, writeDurably } from '../../../surveillance/identity/files.js';
import { CLI } from '../../support/cutcard.js';
import { needsFile, testWith } from '../../support/needs.js';

let folder = '';
const at = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cutcard-written-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('a file that is to be replaced', () => {
  it('lies behind its links, also where the last of them leads to nothing yet', () => {
    mkdirSync(at('far'));
    symlinkSync('far', at('near'));
    symlinkSync('near/real', at('link'));
    symlinkSync('link', at('again'));
    const real = join(realpathSync(folder), 'far', 'real');
    expect(placeToReplace(at('again'))).toBe(real);
    expect(placeTrouble(at('link'))).toBeNull();
    writeFileSync(real, '');
    expect(placeToReplace(at('again'))).toBe(real);
    expect(placeToReplace(at('new'))).toBe(join(realpathSync(folder), 'new'));
    symlinkSync('gone/x', at('lost'));
    expect(() => placeToReplace(at('lost'))).toThrow(/^there is no such file$/);
    expect(placeTrouble(at('lost'))).toMatch(/^there is no folder .*gone; make it$/);
  });

  it('is no pipe, no device, no folder and no circle of links', () => {
    execFileSync('mkfifo', [at('pipe')]);
    symlinkSync('pipe', at('to-pipe'));
    symlinkSync('circle', at('circle'));
    for (const name of ['pipe', 'to-pipe']) {
      expect(() => placeToReplace(at(name))).toThrow(/^it is a pipe; name a file$/);
    }
    expect(() => placeToReplace(folder)).toThrow(/^it is a folder; name a file$/);
    expect(() => placeToReplace(at('circle'))).toThrow(/^its symbolic links lead in a circle$/);
  });
});

describe('writing a file whole', () => {
  it('replaces what a link leads to, and leaves the link', () => {
    mkdirSync(at('far'));
    writeFileSync(at('far/real'), 'old');
    symlinkSync('far/real', at('link'));
    writeDurably(at('link'), 'new', 0o600);
    expect(readFileSync(at('far/real'), 'utf8')).toBe('new');
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
    expect(readdirSync(at('far'))).toEqual(['real']);
  });

  it('takes no place of a pipe, by its name, by a link or as the part beside it', () => {
    execFileSync('mkfifo', [at('pipe'), at('file.part')]);
    symlinkSync('pipe', at('link'));
    for (const name of ['pipe', 'link', 'file']) {
      expect(() => writeDurably(at(name), 'x', 0o644)).toThrow(/it is a pipe; name a file$/);
    }
    writeFileSync(at('whole'), 'x');
    expect(() => moveDurably(at('whole'), at('pipe'))).toThrow(/it is a pipe; name a file$/);
    expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
  });

  it('leaves the file to whom it belonged', (context) => {
    if (process.getuid?.() !== 0) context.skip('only root may give a file away');
    writeFileSync(at('users'), 'old', { mode: 0o600 });
    chownSync(at('users'), 4711, 4712);
    writeDurably(at('users'), 'new', 0o600);
    expect(statSync(at('users'))).toMatchObject({ uid: 4711, gid: 4712 });
  });

  it('says which file, and leaves the old one, where the disk is full', (context) => {
    const disk = at('disk');
    mkdirSync(disk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
    if (mounted.status !== 0) context.skip('no small disk can be mounted here');
    try {
      writeDurably(at('disk/list'), 'old', 0o600);
      const large = 'x'.repeat(200_000);
      expect(() => writeDurably(at('disk/list'), large, 0o600)).toThrow(
        /disk\/list: it cannot be written: the disk is full$/,
      );
      expect(() => writeNewFile('--out', at('disk/new'), large)).toThrow(/the disk is full; name/);
      expect(readFileSync(at('disk/list'), 'utf8')).toBe('old');
      expect(readdirSync(disk)).toEqual(['list']);
    } finally {
      spawnSync('umount', [disk]);
    }
  });

  it('gives a secret its own mode, also where a cut left a part others may read', () => {
    writeFileSync(at('key.part'), 'half', { mode: 0o644 });
    writeDurably(at('key'), 'secret', 0o600);
    expect(statSync(at('key')).mode & 0o777).toBe(0o600);
  });
});

describe('a new file', () => {
  it('never takes the place of what is there', () => {
    execFileSync('mkfifo', [at('pipe')]);
    writeFileSync(at('file'), 'mine');
    for (const name of ['pipe', 'file']) {
      expect(() => writeNewFile('--out', at(name), 'x')).toThrow(/it is there already; name a new/);
    }
    expect(readFileSync(at('file'), 'utf8')).toBe('mine');
    writeNewFile('--out', at('fresh'), 'text', 0o600);
    expect(statSync(at('fresh')).mode & 0o777).toBe(0o600);
  });

  it('leaves no part of itself, and a part that a kill left is no hindrance', () => {
    writeFileSync(at('fresh.part'), 'half of an earlier one');
    writeNewFile('--out', at('fresh'), 'text');
    expect(readFileSync(at('fresh'), 'utf8')).toBe('text');
    expect(readdirSync(folder)).toEqual(['fresh']);
  });

  it('of a set goes over the one that was there, but over no pipe', () => {
    writeFileSync(at('a'), 'old');
    expect(writeInto(folder, { a: 'new', b: 'new' }, () => 0o640)).toEqual([at('a'), at('b')]);
    expect(readFileSync(at('a'), 'utf8')).toBe('new');
    expect(statSync(at('a')).mode & 0o777).toBe(0o640);
    execFileSync('mkfifo', [at('c')]);
    expect(() => writeInto(folder, { c: 'new' })).toThrow(/c: it cannot be written: it is a pipe/);
  });
});

const full = needsFile(CLI, 'run `npm run build` first') ?? needsFile('/dev/full', 'no full disk');

testWith(
  needsFile(CLI, 'run `npm run build` first'),
  'a new file has no name before it is whole, so that a kill leaves none by that name',
  async () => {
    const module = new URL('new-file.js', pathToFileURL(CLI)).href;
    const script = `const { writeNewFile } = await import('${module}');
      writeNewFile('--out', process.argv[1], 'x'.repeat(150_000_000));`;
    const args = ['--input-type=module', '-e', script, at('large')];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    const size = (name: string) => statSync(at(name), { throwIfNoEntry: false })?.size ?? 0;
    await expect
      .poll(() => size('large') + size('large.part'), { timeout: 60_000, interval: 1 })
      .toBeGreaterThan(0);
    child.kill('SIGKILL');
    await gone;
    // Where the machine was so slow that it came to its end first, it is whole.
    expect([0, 150_000_000]).toContain(size('large'));
  },
  90_000,
);

testWith(
  full,
  'output that is not whole is said, with exit code 2 and nothing of the inside',
  () => {
    const disk = openSync('/dev/full', 'w');
    const ran = spawnSync(process.execPath, [CLI, 'runbook'], { stdio: ['ignore', disk, 'pipe'] });
    closeSync(disk);
    expect(ran.status).toBe(2);
    expect(ran.stderr.toString()).toBe(
      'cutcard: what was to be written on stdout is not whole: the disk is full\n',
    );
  },
  60_000,
);

describe('what grows for ever', () => {
  it("is kept in no pipe: the trail of who did what, and the floor's store", async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const trail = new AuditFile(at('pipe'), () => undefined);
    await expect(trail.start()).rejects.toThrow(/it is a pipe; name a file/);
    expect(() => SqliteDb.open(at('pipe'))).toThrow(/it is a pipe; name a file/);
    expect(() => setJournalAside(at('pipe'))).toThrow(/is a pipe, not a journal/);
    expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
  });

  it('does not begin in the place of a link that leads to nothing', () => {
    symlinkSync('/nowhere/table.journal', at('table.journal'));
    const store = new Store(at('table.journal'));
    expect(() => store.open()).toThrow(/is a link to nothing, not a journal/);
    expect(lstatSync(at('table.journal')).isSymbolicLink()).toBe(true);
  });
});
