import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli } from '../../controller/runtime/cli.js';
import { DeviceKey } from '../../storage/checkpoint.js';
import { openJournal } from '../../storage/journal.js';
import { stepsFrom } from '../unit/storage/steps.js';

const SLOW_MS = 120_000;
const ROWS = 200;
let folder = '';
let out = '';
let err = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bad-input-'));
  const journal = await openJournal(join(folder, 'sound'), { writer: 'inline' });
  await journal.append(stepsFrom(1, ROWS));
  await journal.close();
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'text'), 'dear journal,\n');
  writeFileSync(join(folder, 'taken'), 'somebody else wrote this\n');
  symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
  DeviceKey.create(join(folder, 'private.key'));
}, SLOW_MS);
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(() => {
  [out, err] = ['', ''];
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
});

/** Words of a command line; `@name` is a file of the folder. */
const run = (line: string): Promise<number> =>
  runCli(line.split(' ').map((word) => word.replace(/^@/, `${folder}/`)));

const EVIDENCE = 'evidence export --journal @sound --out @new.html';
/** A command line and what stderr says; all end with exit code 2. */
const LINES: readonly (readonly [string, RegExp])[] = [
  ['journal verify @missing', /there is no journal .*missing; look at the path/],
  ['journal verify @folder', /folder is a folder, not a journal/],
  ['journal verify @text', /text is a text, not a journal/],
  ['journal verify @loop', /loop cannot be opened: its symbolic links lead in a circle/],
  ['journal verify @sound --key @missing', /the key file .*missing cannot be read: there is no/],
  ['journal verify @sound --key @folder', /the key file .*folder cannot be read: it is a folder/],
  ['journal verify @sound --key @loop', /the key file .*loop cannot be read: its symbolic links/],
  ['journal verify @sound --key @private.key', /holds a private key: give the public key only/],
  ['journal verify @sound --key @text', /text holds no Ed25519 public key/],
  ['journal verify @sound --expect 12', /--expect `12` is not a row's number and hash/],
  ['journal show @text', /text is a text, not a journal/],
  ['journal show @sound --from 9999', /no such rows \(9999 to 200\): it holds rows 1 to 200/],
  ['journal show @sound --from 5 --to 2', /no such rows \(5 to 2\)/],
  ['journal export @sound --from 5 --to 2', /no such rows \(5 to 2\): it holds rows 1 to 200/],
  ['journal export @sound --from 201', /no such rows/],
  ['journal export @sound --whole --from 5', /--whole takes all rows/],
  ['journal export @sound --format xml', /--format takes jsonl or csv, not xml/],
  ['journal replay @folder', /folder is a folder, not a journal/],
  ['journal backup @sound @taken', /backup: .*taken is there already; name a new file/],
  ['journal backup @missing @new', /there is no journal/],
  ['journal rebuild @missing @new', /rebuild: there is no file .*missing; name one that/],
  ['journal rebuild @folder @new', /rebuild: .*folder is a folder/],
  ['journal rebuild @loop @new', /rebuild: .*loop cannot be read: its symbolic links/],
  ['journal rebuild @text @new', /text:1: this is no row of a journal/],
  ['journal rebuild @sound @new', /sound:1: this is no row of a journal/],
  ['journal rebuild @text @taken', /rebuild: .*taken is there already; name a new file/],
  ['journal set-aside @missing', /there is no journal/],
  ['journal set-aside @folder', /folder is a folder, not a journal/],
  ['journal set-aside @sound', /this journal is sound.*add --sound/],
  [`${EVIDENCE} --finding burn.short`, /burn\.short was raised 2 times .*: name one by its number/],
  [`${EVIDENCE} --finding 5.5`, /there is no finding 5\.5/],
  [`${EVIDENCE} --round 9.9`, /there is no round 9 in shoe 9/],
  [`${EVIDENCE} --round nine`, /`nine` is not a shoe and a round/],
  [`${EVIDENCE} --from 50 --to 20`, /`50` to `20` is neither two rows nor two times, in order/],
  [`${EVIDENCE} --from 900 --to 950`, /it holds rows 1 to 200/],
  [`${EVIDENCE} --from 50`, /give one of --finding, --round, or --from with --to/],
  ['evidence export --journal @sound --out @taken --from 1 --to 9', /--out .*taken: it is there/],
  [
    'evidence export --journal @sound --out @no/e.html --from 1 --to 9',
    /--out .*: there is no such/,
  ],
  ['evidence export --journal @text --out @new.html --from 1 --to 9', /text is a text, not a/],
  ['evidence verify @missing', /missing cannot be read: there is no such file/],
  ['evidence verify @folder', /folder cannot be read: it is a folder/],
  ['evidence verify @loop', /loop cannot be read: its symbolic links lead in a circle/],
  ['evidence verify @text --key @private.key', /holds a private key/],
];

describe('the journal and evidence commands', () => {
  it.each(LINES)('`%s` is refused in plain words', async (line, words) => {
    expect(await run(line), err).toBe(2);
    expect(err).toMatch(words);
    expect(err).not.toMatch(/^ +at |name a journal of this program.*name a journal/m);
    expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
    expect(out).toBe('');
  });

  it('do not send somebody who asked wrongly to another journal', async () => {
    for (const [line] of LINES.filter(([text]) => text.startsWith(EVIDENCE))) await run(line);
    expect(err).not.toMatch(/of this program or an older one/);
  });

  it('set a sound journal aside only where that is said', async () => {
    expect(await run('journal backup @sound @copy')).toBe(0);
    expect(await run('journal set-aside @copy --sound')).toBe(0);
    expect(out).toMatch(/copy -> .*copy\.damaged-1/);
  });
});
