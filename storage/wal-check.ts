import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/*
 * SQLite's write-ahead log (its file format, section 4): a header of 32 bytes, then frames.
 *
 *   header  magic, version, page size, checkpoint no., salt 1, salt 2, sum 1, sum 2   (8 × 4 bytes)
 *   frame   page no., pages after commit or 0, salt 1, salt 2, sum 1, sum 2, then the page
 *
 * Sums run on from frame to frame. SQLite takes the frames up to the first whose sum is wrong and
 * forgets the rest without a word: right for a commit the power cut short, and wrong where
 * acknowledged commits lie behind a frame that was damaged later.
 */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
const SALT_AT = 16;
const HEADER_SUM_AT = 24;
/** The largest log looked at; ours is folded in at 1,000 pages, some 4 MB. */
const MAX_LOG_BYTES = 256 * 1024 * 1024;
const MAX_PAGE_BYTES = 65_536;

type Sum = readonly [number, number];

const addSum = (bytes: Buffer, [a, b]: Sum, isBigEndian: boolean): Sum => {
  let [first, second] = [a, b];
  for (let i = 0; i + 8 <= bytes.length; i += 8) {
    const x = isBigEndian ? bytes.readUInt32BE(i) : bytes.readUInt32LE(i);
    const y = isBigEndian ? bytes.readUInt32BE(i + 4) : bytes.readUInt32LE(i + 4);
    first = (first + x + second) >>> 0;
    second = (second + y + first) >>> 0;
  }
  return [first, second];
};

const sumAt = (bytes: Buffer, at: number): Sum => [
  bytes.readUInt32BE(at),
  bytes.readUInt32BE(at + 4),
];
const isSame = (a: Sum, b: Sum): boolean => a[0] === b[0] && a[1] === b[1];

/**
 * Looks for commits that were written whole behind a damaged frame of the log beside a journal.
 * Writes nothing. @returns what is wrong, in plain words; null where nothing is or there is no log
 */
export const damagedLog = (path: string): string | null => {
  const log = `${path}-wal`;
  if (!existsSync(log)) return null;
  const file = openSync(log, 'r');
  try {
    const { size } = fstatSync(file);
    return size <= HEADER_BYTES || size > MAX_LOG_BYTES ? null : damageIn(file, size);
  } finally {
    closeSync(file);
  }
};

const damageIn = (file: number, size: number): string | null => {
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(file, header, 0, HEADER_BYTES, 0);
  const magic = header.readUInt32BE(0);
  const pageBytes = header.readUInt32BE(8);
  const isBigEndian = (magic & 1) === 1;
  const own = addSum(header.subarray(0, HEADER_SUM_AT), [0, 0], isBigEndian);
  const isKnown = (magic & ~1) === MAGIC && pageBytes > 0 && pageBytes <= MAX_PAGE_BYTES;
  if (!isKnown || !isSame(own, sumAt(header, HEADER_SUM_AT))) {
    return 'the head of its write-ahead log is damaged: rows written last cannot be read';
  }
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageBytes);
  const frames = Math.floor((size - HEADER_BYTES) / frame.length);
  let sum = own;
  let [broken, commits] = [0, 0];
  for (let n = 1; n <= frames; n += 1) {
    readSync(file, frame, 0, frame.length, HEADER_BYTES + (n - 1) * frame.length);
    const isOfThisUse = header.compare(frame, 8, SALT_AT, SALT_AT, HEADER_SUM_AT) === 0;
    // The log was begun anew and only its head was lost: all before was folded in by then.
    if (frame.readUInt32BE(8) === (header.readUInt32BE(SALT_AT) + 1) >>> 0) return null;
    if (broken === 0) {
      sum = addSum(frame.subarray(0, 8), sum, isBigEndian);
      sum = addSum(frame.subarray(FRAME_HEADER_BYTES), sum, isBigEndian);
      if (!isOfThisUse || !isSame(sum, sumAt(frame, SALT_AT))) broken = n;
    }
    // What is left of an earlier use carries other salts and means nothing.
    if (!isOfThisUse) continue;
    if (broken !== 0 && frame.readUInt32BE(4) !== 0) commits += 1;
  }
  // One commit may be the one that was cut short; a second began only when the first was durable.
  if (broken === 0 || commits < 2) return null;
  return (
    `frame ${broken} of ${frames} of its write-ahead log is damaged, and ${commits} commits from ` +
    'there on cannot be read'
  );
};
