import { writeFileSync } from 'node:fs';

/** A file, folder or link of the guest's first file system. */
export interface Entry {
  readonly path: string;
  readonly mode: number;
  readonly data: Uint8Array;
}

const FOLDER = 0o040755;
const FILE = 0o100644;
const PROGRAM = 0o100755;
const LINK = 0o120777;
const NOTHING = new Uint8Array(0);
const TRAILER = 'TRAILER!!!';

export const folder = (path: string): Entry => ({ path, mode: FOLDER, data: NOTHING });
export const program = (path: string, data: Uint8Array): Entry => ({ path, mode: PROGRAM, data });
export const plain = (path: string, data: Uint8Array): Entry => ({ path, mode: FILE, data });
export const text = (path: string, words: string): Entry => plain(path, Buffer.from(words));
export const link = (path: string, to: string): Entry => ({
  path,
  mode: LINK,
  data: Buffer.from(to),
});

/** One header of the `newc` form: 13 numbers of eight hexadecimal digits behind the magic. */
const header = (number: number, { path, mode, data }: Entry): Buffer => {
  const links = mode === FOLDER ? 2 : 1;
  const named = Buffer.byteLength(path) + 1;
  const fields = [number, mode, 0, 0, links, 0, data.length, 0, 0, 0, 0, named, 0];
  const hex = fields.map((field) => field.toString(16).padStart(8, '0')).join('');
  return padded(Buffer.from(`070701${hex}${path}\0`));
};

const padded = (bytes: Uint8Array): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);

/** Writes a cpio archive as the kernel unpacks it at its start. */
export const writeInitramfs = (file: string, entries: readonly Entry[]): void => {
  const parts: Buffer[] = [];
  const all = [...entries, { path: TRAILER, mode: 0, data: NOTHING }];
  for (const [i, entry] of all.entries()) parts.push(header(i + 1, entry), padded(entry.data));
  writeFileSync(file, Buffer.concat(parts));
};
