// Plays a whole table (virtual hardware, loop, journal in a thread, outbox) until it is killed, and
// prints each row's number and text hash once it is durable. It begins when it is told to, by a
// word on its standard input: so it can be loaded while the one before still plays.
// Usage: node table-child.mjs JOURNAL KEY PROCEDURE SEED
import { once } from 'node:events';
import { writeSync } from 'node:fs';

const [path, keyFile, procedure, seedText] = process.argv.slice(2);
const from = (file) => import(new URL(`../../dist/${file}`, import.meta.url).href);
const { loadProcedure } = await from('controller/runtime/procedure-files.js');
const { DEFAULT_POLICY } = await from('controller/core/procedure.js');
const { nextMove } = await from('controller/runtime/scenario/dealer.js');
const { signalsRig } = await from('controller/runtime/scenario/rig-signals.js');
const { encodeStep, hashText } = await from('storage/canonical.js');
const { DeviceKey } = await from('storage/checkpoint.js');
const { openJournal } = await from('storage/journal.js');

let seed = Number(seedText);
/** A number from 0 to n-1, the same ones for the same seed. */
const random = (n) => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor((seed / 2147483648) * n);
};

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

const rules = {
  procedure: loadProcedure(procedure),
  table: {
    ...{ decks: 2, crew: 1, seats: 7, dealing: 'shoe', shuffler: 'counting', reader: 'none' },
    ...{ batches: ['red'], enforcement: 'lock', policy: DEFAULT_POLICY },
  },
};
/** The journal stays where it is: the next process goes on with it. */
const store = {
  journal: null,
  async open() {
    this.journal = await openJournal(path, { writer: 'worker', key: DeviceKey.load(keyFile) });
    say(`open ${this.journal.head().seq}`);
    return this.journal;
  },
  cut: () => Promise.reject(new Error('this table is killed from outside')),
  verify: () => Promise.resolve([]),
  dispose: () => Promise.resolve(),
};
const rig = signalsRig(
  rules,
  (step) => say(`${step.observation.seq} ${hashText(encodeStep(step))}`),
  { seed },
  store,
);

const press = (key, role = 'dealer', more = {}) => ({
  do: 'press',
  press: { kind: 'press', role, ...(role === 'floor' ? { badge: 'F-1' } : {}), key, ...more },
});
const cards = { do: 'cards', cards: [{}] };

/** What a table does next that makes a mistake now and then, and whose floor puts it right. */
const next = (state) => {
  const [finding] = state.findings;
  if (random(40) === 0) return cards;
  if (finding !== undefined && random(2) === 0) {
    if (finding.code === 'gap.unwatched') return press('accept-gap', 'floor', { cards: 0 });
    if (finding.severity === 'warn')
      return press('acknowledge', 'dealer', { finding: finding.code });
    return press('clear', 'floor', { finding: finding.code });
  }
  if (state.phase === 'round') {
    if (state.round.cards === 4 && !state.round.countsCalled) return press('counts-called');
    return state.round.cards >= 5 ? press('round-end') : cards;
  }
  const left = state.shoe.loaded - state.shoe.out;
  if (state.phase === 'ready' && left <= 20 && state.shoe.coversOut === 0)
    return { do: 'cover', n: 1 };
  return nextMove(state, rules, { firstCard: '7' })?.act ?? press('no-more-bets');
};

await once(process.stdin, 'data');
process.stdin.destroy();
await rig.start();
for (;;) {
  await rig.act(next(rig.state()));
  await rig.advance(300 + random(900));
}
