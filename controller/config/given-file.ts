import { isUtf8 } from 'node:buffer';
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

// What a person names on the command line or in a configuration may be anything: a folder, a pipe
// nobody writes to, a disk. Kind and size are looked at before a byte is read.

/** Largest file of settings, keys or people, bytes; the largest real one has some 200,000. */
export const SETTINGS_MAX_BYTES = 1_000_000;

/**
 * Colons, and opening brackets, that a file of settings has at most: what reads YAML compares each
 * key of a block with every other, and takes minutes for a file of nothing but keys. A floor plan
 * of 5000 tables has 10,000 colons.
 */
const MARKS_MAX = 20_000;
const LINE_END = 0x0a;
const MARKS = { ':': 0x3a, '[': 0x5b, '{': 0x7b } as const;

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not read or write it',
  ELOOP: 'its symbolic links lead in a circle',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it is there already',
  ENAMETOOLONG: 'the name is too long',
  ENXIO: 'nothing is behind it',
  EAGAIN: 'it never ends',
  EROFS: 'its disk may only be read',
  ENOSPC: 'the disk is full',
};

/** What the system said of a file, in plain words and without its path. */
export const fileWords = (cause: unknown): string => {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return WORDS[code] ?? (cause instanceof Error ? cause.message : String(cause));
};

const kindOf = (stat: Stats): string | null => {
  if (stat.isFile()) return null;
  if (stat.isDirectory()) return 'a folder';
  return stat.isFIFO() ? 'a pipe' : 'no regular file';
};

/** What `path` is where it is there and no regular file; null otherwise. */
export const otherKind = (path: string): string | null => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : kindOf(found);
};

/** Symbolic links followed one after the other; the kernel stops at as many. */
const LINKS_MAX = 40;

/** Where a file at `path` would really lie: behind its symbolic links, the last one's end too. */
const behindLinks = (path: string): string => {
  let at = resolve(path);
  for (let links = 0; links <= LINKS_MAX; links += 1) {
    const place = join(realpathSync(dirname(at)), basename(at));
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return place;
    at = resolve(dirname(place), readlinkSync(place));
  }
  throw new Error(WORDS['ELOOP']);
};

/**
 * Where a file that is to be replaced whole really lies. A rename would take the place of whatever
 * is there: of a link, whose file would stay as it was, or of a device, for the whole machine.
 * @throws Error in plain words where something lies there that is no regular file
 */
export const placeToReplace = (path: string): string => {
  try {
    const place = behindLinks(path);
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found !== undefined) refuseKind(found);
    return place;
  } catch (cause) {
    throw new Error(fileWords(cause), { cause });
  }
};

const refuseKind = (stat: Stats): void => {
  const kind = kindOf(stat);
  if (kind !== null) throw new Error(`it is ${kind}; name a file`);
};

/** At most `maxBytes`, whatever the size was a moment ago: it may grow, or be one of /proc. */
const readOpen = (file: number, maxBytes: number): Buffer => {
  const block = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(1, fstatSync(file).size)) + 1);
  const parts: Buffer[] = [];
  let total = 0;
  for (;;) {
    const read = readSync(file, block, 0, block.length, null);
    if (read === 0) return Buffer.concat(parts);
    total += read;
    if (total > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    parts.push(Buffer.from(block.subarray(0, read)));
  }
};

/**
 * Opens a regular file to be read; the caller closes it.
 * @throws Error with the cause in plain words and without the path
 */
export const openGiven = (path: string): number => {
  try {
    // Some devices act when they are opened: looked at first, and again once open.
    refuseKind(statSync(path));
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      refuseKind(fstatSync(file));
      return file;
    } catch (cause) {
      closeSync(file);
      throw cause;
    }
  } catch (cause) {
    throw new Error(fileWords(cause), { cause });
  }
};

const refuseMarks = (bytes: Buffer): void => {
  for (const [mark, code] of Object.entries(MARKS)) {
    let found = 0;
    for (let at = bytes.indexOf(code); at >= 0; at = bytes.indexOf(code, at + 1)) found += 1;
    if (found > MARKS_MAX) {
      throw new Error(`it has ${found} times \`${mark}\`, more than ${MARKS_MAX}: no settings`);
    }
  }
};

/** A letter that was read wrongly would be taken for another: a name, a place, a password. */
const refuseOtherCoding = (bytes: Buffer): void => {
  if (isUtf8(bytes)) return;
  let line = 1;
  for (let from = 0; ; line += 1) {
    const end = bytes.indexOf(LINE_END, from);
    if (end < 0 || !isUtf8(bytes.subarray(from, end))) break;
    from = end + 1;
  }
  throw new Error(`line ${line} is not UTF-8; save it as UTF-8`);
};

/** What `openGiven` opened, as text. @throws as `readGiven` */
export const textFrom = (file: number, maxBytes: number = SETTINGS_MAX_BYTES): string => {
  const { size } = fstatSync(file);
  if (size > maxBytes) throw new Error(`it has ${size} bytes, more than ${maxBytes}`);
  const bytes = readOpen(file, maxBytes);
  if (bytes.includes(0)) throw new Error('it is no text; save it as UTF-8');
  refuseOtherCoding(bytes);
  refuseMarks(bytes);
  return bytes.toString('utf8');
};

/**
 * A whole file that a person named, as text.
 * @param maxBytes largest size taken.
 * @throws Error with the cause in plain words and without the path: no regular file, too large,
 *   not there, no text
 */
export const readGiven = (path: string, maxBytes: number = SETTINGS_MAX_BYTES): string => {
  const file = openGiven(path);
  try {
    return textFrom(file, maxBytes);
  } catch (cause) {
    throw new Error(fileWords(cause), { cause });
  } finally {
    closeSync(file);
  }
};

/** The folder a file at `path` would be made in; as written where a part of the way is missing. */
const folderOf = (path: string): string => {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return dirname(isLink ? resolve(dirname(path), readlinkSync(path)) : path);
};

/** Why no file can be written at `path`; null where it can. Nothing is made. */
export const placeTrouble = (path: string): string | null => {
  try {
    const kind = otherKind(path);
    if (kind !== null) return `it is ${kind}; name a file`;
  } catch (cause) {
    return fileWords(cause);
  }
  const folder = folderOf(path);
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is no folder; name a place in one`;
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    return isMissing ? `there is no folder ${folder}; make it` : `${folder}: ${fileWords(cause)}`;
  }
};

/** Most folders made above one another at a person's word. */
const DEPTH_MAX = 64;

/**
 * Makes a folder and those above it, or takes the one that is there. Not `mkdir` with `recursive`:
 * in /proc that never ends.
 * @throws Error naming the folder, in plain words
 */
export const makeFolder = (path: string, mode = 0o777): void => {
  const missing: string[] = [];
  let at = resolve(path);
  try {
    while (statSync(at, { throwIfNoEntry: false }) === undefined) {
      missing.push(at);
      if (missing.length > DEPTH_MAX) throw new Error('too many folders would have to be made');
      at = dirname(at);
    }
    if (!statSync(at).isDirectory()) throw new Error('a file lies there; name a folder');
    for (const folder of missing.reverse()) {
      at = folder;
      mkdirSync(folder, { mode });
    }
  } catch (cause) {
    const isHopeless = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const why = isHopeless ? 'no folder can be made there' : fileWords(cause);
    throw new Error(`${at}: ${why}`, { cause });
  }
};
