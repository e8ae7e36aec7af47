import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import type { TableStep } from '../../controller/core/ports.js';
import { encodeStep } from '../../storage/canonical.js';
import { JournalReader } from '../../storage/reader.js';
import { walkRows } from '../../storage/walk.js';

const SCRIPT = fileURLToPath(new URL('storage-child.mjs', import.meta.url));
const BUILT = fileURLToPath(new URL('../../dist/storage/journal.js', import.meta.url));

/** Why the child cannot run here; null when it can. */
export const needsBuild = (): string | null =>
  existsSync(BUILT) ? null : 'the program is not built (npm run build)';

/** The step the child writes as row `seq`. */
export const childStep = (seq: number): TableStep => ({
  observation: {
    seq,
    atNs: seq * 1_000_000,
    wallMs: 1_767_621_600_000 + seq,
    wallTrusted: true,
    kind: 'rack.count',
    n: (seq * 7) % 416,
  },
  decisions: [{ do: 'noted', part: 'shoe', set: { out: seq % 416 } }],
});

/** First row whose text is not what the child wrote; null when all are. */
export const firstWrongRow = (path: string): number | null => {
  const reader = JournalReader.open(path);
  try {
    for (const { seq, body } of walkRows(reader)) {
      if (body !== encodeStep(childStep(seq))) return seq;
    }
    return null;
  } finally {
    reader.close();
  }
};

/** A process that appends, and what it said was acknowledged. */
export class Appender {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ended: Promise<unknown>;
  #said = '';
  #errors = '';

  /** `env`: what the process finds in its environment besides ours. */
  constructor(
    path: string,
    mode: 'worker' | 'inline' | 'unsafe',
    seed = 1,
    env: Readonly<Record<string, string>> = {},
  ) {
    const args = [SCRIPT, path, mode, `${seed}`];
    this.#child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    this.#child.stdout.on('data', (data: Buffer) => (this.#said += data.toString()));
    this.#child.stderr.on('data', (data: Buffer) => (this.#errors += data.toString()));
    this.#ended = once(this.#child, 'close');
  }

  /** Resolves when it has acknowledged so many rows in all, or has ended. */
  async acknowledged(rows: number): Promise<void> {
    while (this.lastSeq < rows && this.#child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Resolves when it has its journal open, or has ended. */
  async opened(): Promise<void> {
    while (!/^open \d/m.test(this.#said) && this.#child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** SIGKILL: no handler runs, nothing is flushed. Resolves when all its output is read. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async end(): Promise<void> {
    await this.#ended;
  }

  /** Last row it said was acknowledged; a half printed line does not count. */
  get lastSeq(): number {
    const whole = this.#said.slice(0, this.#said.lastIndexOf('\n') + 1);
    return Number(/(?:^|\n)(\d+)\n(?:\D[^\n]*\n)*$/.exec(whole)?.[1] ?? 0);
  }

  get words(): string {
    return this.#said + this.#errors;
  }
}
