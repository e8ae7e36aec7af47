// Appends rows until it is killed, and prints each row's number once it is acknowledged.
// Usage: node storage-child.mjs JOURNAL worker|inline|unsafe [SEED]
import { writeSync } from 'node:fs';

const [path, mode, seedText = '1'] = process.argv.slice(2);
let seed = Number(seedText);
/** A number from 0 to n-1, the same ones for the same seed. */
const random = (n) => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor((seed / 2147483648) * n);
};

/** The row's step is a function of its number, so that whoever reads it knows what it must be. */
const stepAt = (seq) => ({
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

/** Written at once, before the next row: a pipe that is full for the moment is tried again. */
const say = (text) => {
  for (;;) {
    try {
      return writeSync(1, `${text}\n`);
    } catch (cause) {
      if (cause.code !== 'EAGAIN') throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
};

/** The control: the same rows without waiting for the disk. It must lose some. */
const runUnsafe = async () => {
  const { default: Database } = await import('better-sqlite3');
  const db = new Database(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = OFF');
  db.exec('CREATE TABLE IF NOT EXISTS step (seq INTEGER PRIMARY KEY, body TEXT)');
  const insert = db.prepare('INSERT INTO step (body) VALUES (?)');
  for (;;) say(insert.run(JSON.stringify(stepAt(1))).lastInsertRowid);
};

const run = async () => {
  const { openJournal } = await import('../../dist/storage/journal.js');
  const journal = await openJournal(path, { writer: mode });
  let seq = journal.head().seq;
  say(`open ${seq}`);
  for (;;) {
    const count = 1 + random(20);
    const steps = Array.from({ length: count }, (_, i) => stepAt(seq + 1 + i));
    try {
      await journal.append(steps);
    } catch (fault) {
      say(`fault ${fault.code}`);
      // Refused from now on, whatever the disk does: anything else is a lie.
      const second = await journal.append(steps).then(
        () => 'taken',
        (again) => again.code,
      );
      say(`again ${second}`);
      return;
    }
    seq += count;
    journal.moveCursor('mqtt', seq - count);
    say(`${seq}`);
  }
};

await (mode === 'unsafe' ? runUnsafe() : run());
