import { createWriteStream, existsSync, linkSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { fileWords } from '../../config/given-file.js';
import { EXIT, Refusal } from '../exit.js';
import { printAll } from '../print-lines.js';
import { loadFloorConfig } from './floor-config.js';
import { FloorExport } from './floor-export.js';
import { folderOf, storeOf } from './run-floor.js';

export interface ExportFlags {
  readonly config: string;
  readonly table: string;
  readonly from?: number;
  readonly to?: number;
  readonly out?: string;
}

/** Lines into a new file, which appears whole or not at all. @throws Refusal naming it */
const writeNew = async (file: string, lines: AsyncIterable<string>): Promise<void> => {
  if (existsSync(file)) {
    throw new Refusal(EXIT.usage, `--out ${file}: it is there already; name a new file`);
  }
  const part = `${file}.part`;
  const stream = createWriteStream(part, { mode: 0o600 });
  try {
    await once(stream, 'open');
    await printAll(lines, async (text) => {
      if (!stream.write(`${text}\n`)) await once(stream, 'drain');
    });
    stream.end();
    await once(stream, 'close');
    linkSync(part, file);
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    const what = `--out ${file}: ${fileWords(cause)}; name a new file in a folder there is`;
    throw new Refusal(EXIT.usage, what, cause);
  } finally {
    stream.destroy();
    rmSync(part, { force: true });
  }
};

/** `cutcard floor export`: the lines on stdout or in a file, what is missing on stderr. */
export const exportTable = async (flags: ExportFlags): Promise<void> => {
  const { config: file, table, from, to, out } = flags;
  const store = storeOf(loadFloorConfig(file), folderOf(file));
  const span = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const exported = await FloorExport.open({ store, table, ...span });
  try {
    if (out === undefined) await printAll(exported.lines());
    else await writeNew(out, exported.lines());
    for (const line of exported.said) process.stderr.write(`${table}: ${line}\n`);
    const { from: first, to: last } = exported.span;
    const where = out === undefined ? '' : ` in ${out}`;
    process.stderr.write(`${table}: rows ${first} to ${last}${where}\n`);
    process.exitCode = exported.said.length === 0 ? EXIT.ok : EXIT.found;
  } finally {
    await exported.close();
  }
};
