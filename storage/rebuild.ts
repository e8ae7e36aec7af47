import { createReadStream, existsSync, linkSync, rmSync, unlinkSync } from 'node:fs';
import type { TableStep } from '../controller/core/ports.js';
import { canonicalJson, hashRow, MAX_BODY_LENGTH, NO_HASH } from './canonical.js';
import { decodeStep } from './decode.js';
import { faultOf, JournalFault } from './fault.js';
import { openJournal } from './journal.js';

/** Longest line taken: a row's text and the fields around it. */
const MAX_LINE = MAX_BODY_LENGTH + 1024;
const ROWS_AT_A_TIME = 500;
const SIDE_FILES = ['', '-wal', '-shm', '.lock'];

interface Place {
  readonly seq: number;
  readonly hash: string;
}

const NO_FIELDS: Readonly<Record<string, unknown>> = {};

/**
 * A row from one line: as `journal export` writes it (`{seq, prev, hash, step}`) or as the MQTT
 * `event` has it (`{seq, prev, hash, decisions, observation}`). Null where it is neither.
 */
const rowOf = (line: string): { prev: string; hash: string; body: string } | null => {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { prev, hash, step, decisions, observation } = { ...NO_FIELDS, ...value };
  if (typeof prev !== 'string' || typeof hash !== 'string') return null;
  return { prev, hash, body: canonicalJson(step ?? { decisions, observation }) };
};

/** The step of the next line, proved against the row before. @throws JournalFault `corrupt` */
const nextStep = (line: string, before: Place, where: string): [TableStep, Place] => {
  const bad = (why: string): JournalFault => new JournalFault('format', `${where}: ${why}`);
  if (line.length > MAX_LINE) throw bad(`the line is longer than ${MAX_LINE} characters`);
  const row = rowOf(line);
  if (row === null) throw bad('this is no row of a journal (see `cutcard journal export`)');
  const seq = before.seq + 1;
  const decoded = decodeStep(row.body);
  if (!decoded.ok) throw bad(`row ${seq}: ${decoded.why}`);
  const said = decoded.step.observation.seq;
  if (said !== seq) throw bad(`row ${seq} is wanted here, this is row ${said}`);
  if (row.prev !== before.hash) throw bad(`row ${seq} does not follow from the row before`);
  if (hashRow(row.prev, row.body) !== row.hash) throw bad(`row ${seq}: its text is not its hash’s`);
  return [decoded.step, { seq, hash: row.hash }];
};

/** The lines of a file; memory stays constant, however long it or a line of it is. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let pending = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const pieces = `${pending}${String(chunk)}`.split('\n');
    pending = pieces.pop() ?? '';
    yield* pieces;
    if (pending.length > MAX_LINE) break;
  }
  if (pending !== '') yield pending;
}

const fill = async (path: string, file: string): Promise<Place> => {
  const journal = await openJournal(path, { writer: 'inline' });
  try {
    let place: Place = { seq: 0, hash: NO_HASH };
    let held: TableStep[] = [];
    let number = 0;
    for await (const line of linesOf(file)) {
      number += 1;
      if (line.trim() === '') continue;
      const [step, next] = nextStep(line, place, `${file}:${number}`);
      place = next;
      held.push(step);
      if (held.length < ROWS_AT_A_TIME) continue;
      await journal.append(held);
      held = [];
    }
    await journal.append(held);
    const head = journal.head();
    if (head.seq !== place.seq || head.hash !== place.hash) {
      throw new JournalFault('order', `${path}: the rows came out otherwise than they went in`);
    }
    if (place.seq === 0) throw new JournalFault('format', `${file}: there is no row in it`);
    return place;
  } finally {
    await journal.close();
  }
};

/**
 * Makes a journal anew from rows that were kept elsewhere (an export, a historian): each row is
 * proved against the one before, from row 1. The new file appears whole or not at all. Signed
 * checkpoints and documents are not in rows: the next start writes its own.
 * @returns the last row. @throws JournalFault naming file and line
 */
export const rebuildJournal = async (file: string, to: string): Promise<Place> => {
  if (existsSync(to)) throw new JournalFault('order', `rebuild: ${to} is there already`);
  const part = `${to}.rebuilding`;
  const drop = (): void => {
    for (const end of SIDE_FILES) rmSync(part + end, { force: true });
  };
  drop();
  try {
    const head = await fill(part, file);
    // A link, not a rename: it takes nothing away that came to be there meanwhile.
    linkSync(part, to);
    unlinkSync(part);
    return head;
  } catch (cause) {
    throw cause instanceof JournalFault ? cause : faultOf(to, 'rebuilding', cause);
  } finally {
    drop();
  }
};
