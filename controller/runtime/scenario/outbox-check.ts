import type { JournalRow } from '../../core/ports.js';
import type { OutMessage } from '../../../surveillance/mqtt/transport.js';

const HEAD = /^\{"seq":(\d+),"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"/;

/**
 * Did the broker get every row, in order and unchanged? A row may come twice (QoS 1), never late,
 * never skipped. Returns the faults in words.
 */
export const checkOutbox = (
  published: readonly OutMessage[],
  topic: string,
  rows: readonly JournalRow[],
): readonly string[] => {
  const events = published.filter((message) => message.topic === topic);
  let last: number | null = null;
  for (const { payload } of events) {
    const match = HEAD.exec(payload);
    if (match === null) return [`an event does not begin with its place: ${payload.slice(0, 80)}`];
    const seq = Number(match[1]);
    const row = rows[seq - 1];
    if (row === undefined) return [`event ${seq} was published but is not in the journal`];
    if (row.hash !== match[3] || !payload.endsWith(row.body.slice(1))) {
      return [`event ${seq} is not the row ${seq} of the journal`];
    }
    // The oldest messages may be gone from a very long run's record: it then begins later.
    if (last === null || seq === last + 1) last = seq;
    else if (seq > last + 1) return [`events ${last + 1} to ${seq - 1} are missing before ${seq}`];
  }
  const head = rows.at(-1)?.seq ?? 0;
  return (last ?? 0) === head
    ? []
    : [`the last event is ${last ?? 0}, the journal ends at ${head}`];
};
