import type { z } from 'zod';
import {
  ackSchema,
  alertSchema,
  checkpointSchema,
  documentsSchema,
  eventSchema,
  healthSchema,
  markSchema,
  replySchema,
  stateSchema,
  statusSchema,
} from '../contract/messages.js';
import { type ParsedTopic, parseTopic, TOPIC_PREFIX } from '../contract/topics.js';
import { messageFault } from '../contract/validate.js';
import type { Acks } from './acks.js';
import { tableKey } from './api.js';
import type { Complaints } from './complaints.js';
import { type Ingest, rowOfEvent } from './ingest.js';
import type { LineMessage } from './line.js';
import type { FloorFigures } from './metrics.js';
import { type TableRecord, toldBy } from './tile.js';
import type { WallBook } from './wall-book.js';

/** Largest message looked at, bytes: a row of full length with its head. */
const MESSAGE_MAX_BYTES = 300_000;

export interface HistorianParts {
  readonly consumer: string;
  readonly book: WallBook;
  readonly ingest: Ingest;
  readonly acks: Acks;
  readonly figures: FloorFigures;
  readonly complaints: Complaints;
  readonly nowMs: () => number;
  readonly checkpoint: (record: TableRecord, message: unknown) => void;
  readonly documents: (record: TableRecord, message: unknown) => void;
}

/** A row further beyond those held or told of is not taken, rows. */
const AHEAD_MAX = 1_000_000;

/** What this service subscribes to; rows are shared out where several instances work. */
export const subscriptionsOf = (
  consumer: string,
  site: string | null,
  isShared: boolean,
): readonly string[] => {
  const floor = `${TOPIC_PREFIX}/${site ?? '+'}/+/+`;
  const event = `${floor}/event`;
  return [
    ...['status', 'state', 'alert', 'mark', 'checkpoint', 'health', 'documents'].map(
      (kind) => `${floor}/${kind}`,
    ),
    `${floor}/cmd/reply`,
    `${floor}/ack/${consumer}`,
    isShared ? `$share/${consumer}/${event}` : event,
  ];
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Takes in what tables say: rows to the store, the rest to the wall. Nothing here throws. */
export class Historian {
  readonly #parts: HistorianParts;

  constructor(parts: HistorianParts) {
    this.#parts = parts;
  }

  message({ topic, payload, retain }: LineMessage): void {
    const parsed = parseTopic(topic);
    if (parsed === null || payload.length > MESSAGE_MAX_BYTES) {
      this.#parts.figures.refused.inc({ why: parsed === null ? 'topic' : 'size' });
      return;
    }
    this.#parts.figures.messages.inc({ kind: parsed.kind });
    if (parsed.kind === 'ack') {
      this.#heardAck(parsed, payload);
      return;
    }
    const record = this.#parts.book.meet(parsed.name);
    if (record === null) {
      this.#parts.figures.refused.inc({ why: 'tables' });
      return;
    }
    const text = payload.toString('utf8');
    const message = jsonOf(text);
    const isTaken = message !== undefined && this.#take(parsed, record, text, message, retain);
    if (isTaken) return;
    const fault = message === undefined ? null : messageFault(parsed.kind, message);
    this.#broken(record, `${parsed.kind}: ${fault ?? 'it is no JSON'}`);
  }

  /** False where the message does not keep the contract. */
  #take(
    { kind }: ParsedTopic,
    record: TableRecord,
    text: string,
    message: unknown,
    retain: boolean,
  ): boolean {
    const { book } = this.#parts;
    switch (kind) {
      case 'event':
        return whole(eventSchema, message, () => this.#event(record, text, message));
      case 'state':
        return whole(stateSchema, message, (state) => book.state(record, state, retain));
      case 'status':
        return whole(statusSchema, message, (status) => book.status(record, status, retain));
      case 'health':
        return whole(healthSchema, message, (health) => book.health(record, health));
      case 'checkpoint':
        return whole(checkpointSchema, message, (checkpoint) => {
          book.checkpoint(record, checkpoint);
          this.#parts.checkpoint(record, message);
        });
      case 'documents':
        return whole(documentsSchema, message, () => this.#parts.documents(record, message));
      case 'cmd/reply':
        return whole(replySchema, message, ({ taken, cmd, reason }) => {
          if (taken) return;
          const about = { table: record.key, what: 'refusal', level: 'warn' } as const;
          const text = 'a table refused an order';
          this.#parts.complaints.say({ ...about, text, fields: { cmd, reason } });
        });
      case 'alert':
        return whole(alertSchema, message, () => book.heard(record));
      case 'mark':
        return whole(markSchema, message, () => book.heard(record));
      case 'ack':
      case 'cmd':
        return true;
    }
  }

  #event(record: TableRecord, text: string, message: unknown): void {
    const { book, ingest, nowMs } = this.#parts;
    book.heard(record);
    const read = rowOfEvent(record.key, text, message, nowMs());
    if (!read.ok) {
      this.#broken(record, `event: ${read.why}`);
      return;
    }
    // A table that was here long before us says in its state how far it is.
    const { seq } = read.row;
    const known = Math.max(record.seq, toldBy(record));
    if (seq <= known + AHEAD_MAX) ingest.add(read.row);
    else this.#broken(record, `event: row ${seq} lies too far beyond row ${known}`);
  }

  #heardAck({ name, consumer }: ParsedTopic, payload: Buffer): void {
    if (consumer !== this.#parts.consumer) return;
    whole(ackSchema, jsonOf(payload.toString('utf8')), ({ seq, hash }) => {
      const key = tableKey(name);
      this.#parts.acks.heard(key, seq);
      const record = this.#parts.book.record(key);
      // Another instance committed it: the wall need not wait for a look at the store.
      if (record !== null && seq > record.seq) {
        const mark = { table: key, firstSeq: record.firstSeq, seq, hash, top: seq };
        this.#parts.book.holding(record, mark);
      }
    });
  }

  #broken(record: TableRecord, text: string): void {
    this.#parts.figures.refused.inc({ why: 'contract' });
    this.#parts.book.schemaFault(record, text.slice(0, 300));
    const about = { table: record.key, what: 'contract', level: 'warn' } as const;
    this.#parts.complaints.say({ ...about, text: `a message broke the contract: ${text}` });
  }
}

/** Hands on a message that has the shape; false where it has not. */
const whole = <T>(schema: z.ZodType<T>, message: unknown, take: (value: T) => void): boolean => {
  const parsed = schema.safeParse(message);
  if (parsed.success) take(parsed.data);
  return parsed.success;
};
