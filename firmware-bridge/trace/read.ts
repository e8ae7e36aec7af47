import { closeSync, readSync } from 'node:fs';
import type { z } from 'zod';
import { plainIssue } from '../../controller/config/plain-issue.js';
import { openGiven } from '../../controller/config/given-file.js';
import type { Board } from '../boards/load.js';
import { FileError } from '../files.js';
import type { Profile } from '../framing/profile.js';
import {
  eventSchema,
  headerSchema,
  profileOf,
  TRACE_LINE_MAX,
  type TraceEvent,
  type TraceHeader,
} from './format.js';

const BLOCK = 64 * 1024;
/**
 * Edges carry the kernel's time and may be read later than a byte that came after them; no program
 * sleeps longer than this, ns.
 */
const RUN_BACK_MAX_NS = 2_000_000_000;

/** Reads a trace line by line with constant memory. Every method throws `FileError`. */
export class TraceReader {
  readonly file: string;
  /** Line last read, from 1. */
  line = 0;
  readonly #fd: number;
  readonly #block = Buffer.alloc(BLOCK);
  #text = '';
  #at = 0;
  #ended = false;
  #lastNs = 0;

  constructor(file: string) {
    this.file = file;
    try {
      this.#fd = openGiven(file);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new FileError([{ file, line: 0, message: `cannot be read: ${why}` }]);
    }
  }

  header(): TraceHeader {
    const value = this.#json();
    const parsed = headerSchema.safeParse(value);
    if (!parsed.success) throw this.#fault(`is no trace header: ${first(parsed.error)}`);
    return parsed.data;
  }

  /** The next event, or null at the end. */
  next(): TraceEvent | null {
    const value = this.#json();
    if (value === null) return null;
    const parsed = eventSchema.safeParse(value);
    if (!parsed.success) throw this.#fault('is no trace event; a line was damaged or added');
    if (parsed.data.t < this.#lastNs - RUN_BACK_MAX_NS) {
      throw this.#fault(
        `time ${parsed.data.t} ns lies far before the lines above (${this.#lastNs})`,
      );
    }
    this.#lastNs = Math.max(this.#lastNs, parsed.data.t);
    return parsed.data;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #json(): unknown {
    const text = this.#line();
    if (text === null) {
      if (this.line === 0) throw this.#fault('is empty');
      return null;
    }
    try {
      const value: unknown = JSON.parse(text);
      return value ?? {};
    } catch {
      const cut = this.#ended && this.#at >= this.#text.length;
      throw this.#fault(cut ? 'is cut off: the recording did not end in order' : 'is not JSON');
    }
  }

  #line(): string | null {
    for (;;) {
      const end = this.#text.indexOf('\n', this.#at);
      if (end >= 0) {
        const text = this.#text.slice(this.#at, end);
        this.#at = end + 1;
        this.line += 1;
        return text;
      }
      if (this.#ended) {
        const rest = this.#text.slice(this.#at);
        this.#at = this.#text.length;
        if (rest === '') return null;
        this.line += 1;
        return rest;
      }
      this.#fill();
    }
  }

  #fill(): void {
    const read = readSync(this.#fd, this.#block, 0, BLOCK, null);
    this.#text = this.#text.slice(this.#at) + this.#block.toString('latin1', 0, read);
    this.#at = 0;
    if (read === 0) this.#ended = true;
    if (this.#text.length > TRACE_LINE_MAX + BLOCK) {
      this.line += 1;
      throw this.#fault(`is longer than ${TRACE_LINE_MAX} bytes`);
    }
  }

  #fault(message: string): FileError {
    return new FileError([{ file: this.file, line: this.line, message }]);
  }
}

const first = (error: z.ZodError): string => {
  const [issue] = error.issues;
  return issue === undefined ? 'unknown' : `${issue.path.join('.')}: ${plainIssue(issue)}`;
};

/** The board a trace was recorded on, with its own profiles and calibrations. */
export const boardOf = (header: TraceHeader, file: string): Board => {
  const profiles: Record<string, Profile> = {};
  for (const [name, value] of Object.entries(header.profiles)) {
    const parsed = profileOf(value);
    if (!parsed.success) {
      const message = `profile of ${name}: ${first(parsed.error)}`;
      throw new FileError([{ file, line: 1, message }]);
    }
    profiles[name] = parsed.data;
  }
  return { ...header.board, file, profiles, calibrations: header.calibrations };
};
