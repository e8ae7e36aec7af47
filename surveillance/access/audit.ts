import { type FileHandle, open, rename } from 'node:fs/promises';
import { otherKind } from '../../controller/config/given-file.js';
import type { Way } from './roles.js';

/** One thing somebody did or tried. Never a password, never a token. */
export interface AuditEntry {
  /** Wall time, ms since the epoch. */
  readonly wallMs: number;
  /** Name on the list of users; null where nobody was known. */
  readonly who: string | null;
  readonly way: Way | null;
  readonly address: string;
  /** What was done: `login`, `logout`, `press`, … */
  readonly action: string;
  readonly outcome: 'done' | 'refused';
  readonly detail?: string;
}

/** Where entries are kept. Resolves when the entry is durable; nothing is answered before. */
export interface AuditSink {
  record(entry: AuditEntry): Promise<void>;
}

/** The trail cannot be written: nothing that belongs in it may be done. */
export class AuditFault extends Error {
  /** For whoever answers requests. */
  readonly statusCode = 503;

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'AuditFault';
  }
}

const NOTHING_DONE = 'The audit trail cannot be written, so nothing is done. Call the technician.';
const AUDIT_MODE = 0o600;
/** A full file is put aside under its time and a new one begun, bytes. */
const FILE_MAX_BYTES = 16 * 1024 * 1024;
const DETAIL_MAX = 300;
/** Entries that wait for the disk. */
const WAITING_MAX = 1000;

/** One line of limited length: nothing from outside may break the trail. */
const clip = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ').slice(0, DETAIL_MAX);

const lineOf = (entry: AuditEntry): string => {
  const { detail, wallMs, ...rest } = entry;
  const at = new Date(wallMs).toISOString();
  const more = detail === undefined ? {} : { detail: clip(detail) };
  return `${JSON.stringify({ at, ...rest, ...more })}\n`;
};

interface Waiting {
  readonly line: string;
  readonly done: () => void;
  readonly failed: (cause: AuditFault) => void;
}

/** The trail as a file of JSON lines that only grows; full ones are put aside, none is removed. */
export class AuditFile implements AuditSink {
  readonly #path: string;
  readonly #notice: (text: string) => void;
  #file: FileHandle | null = null;
  #bytes = 0;
  #waiting: Waiting[] = [];
  #work: Promise<void> | null = null;

  constructor(path: string, notice: (text: string) => void) {
    this.#path = path;
    this.#notice = notice;
  }

  /** @throws AuditFault where the file cannot be had. */
  async start(): Promise<void> {
    if (this.#file !== null) return;
    try {
      // A full file is put aside by its name: never a device's. A pipe would never open.
      const kind = otherKind(this.#path);
      if (kind !== null) throw new Error(`it is ${kind}; name a file`);
      this.#file = await open(this.#path, 'a', AUDIT_MODE);
      this.#bytes = (await this.#file.stat()).size;
    } catch (cause) {
      throw new AuditFault(this.#why(cause), cause);
    }
  }

  record(entry: AuditEntry): Promise<void> {
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(new AuditFault(NOTHING_DONE));
    }
    return new Promise((done, failed) => {
      this.#waiting.push({ line: lineOf(entry), done, failed });
      this.#work ??= this.#write();
    });
  }

  /** What waits is written first. Safe twice. */
  async stop(): Promise<void> {
    await this.#work;
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  /** What came while the last sync ran goes out together. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#append(batch.map(({ line }) => line).join(''));
        for (const { done } of batch) done();
      } catch (cause) {
        this.#notice(this.#why(cause));
        const fault = new AuditFault(NOTHING_DONE, cause);
        for (const { failed } of batch) failed(fault);
      }
    }
    this.#work = null;
  }

  async #append(text: string): Promise<void> {
    if (this.#bytes >= FILE_MAX_BYTES) await this.#turnOver();
    const file = this.#file;
    if (file === null) throw new Error('it is not open');
    await file.appendFile(text);
    await file.datasync();
    this.#bytes += Buffer.byteLength(text);
  }

  async #turnOver(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
    await rename(this.#path, `${this.#path}.${new Date().toISOString().replaceAll(':', '-')}`);
    await this.start();
  }

  #why(cause: unknown): string {
    const why = cause instanceof Error ? cause.message : String(cause);
    return `${this.#path}: the audit trail cannot be written: ${why}`;
  }
}
