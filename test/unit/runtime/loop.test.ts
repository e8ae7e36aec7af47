import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../controller/core/decision.js';
import type { Directive } from '../../../controller/core/directive.js';
import { evolve } from '../../../controller/core/evolve.js';
import type { Happening, Observation } from '../../../controller/core/observation.js';
import type { TableStep } from '../../../controller/core/ports.js';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { silentLog } from '../../../controller/runtime/log-port.js';
import { type Core, TableLoop } from '../../../controller/runtime/loop.js';
import { MemoryJournal } from '../../fakes/memory-journal.js';
import { plainRules } from '../../fakes/rules.js';

const card: Happening = { kind: 'card.out', lengthMm: 63, speedMmS: 600 };
const gate = (locked: boolean): Decision => ({ do: 'direct', directive: { to: 'gate', locked } });

const coreOf = (decide: (observation: Observation) => readonly Decision[]): Core => ({
  step: (state, observation) => {
    const decisions = decide(observation);
    return { decisions, state: evolve(state, observation, decisions) };
  },
  redact: (_state, happening) => happening,
});

const rig = (core: Core, journal = new MemoryJournal(), clock = new SimulatedClock()) => {
  const done: { directive: Directive; rows: number }[] = [];
  const loop = new TableLoop({
    rules: plainRules,
    journal,
    scheduler: clock,
    log: silentLog,
    core,
    version: '1.2.3',
    perform: (directive) => done.push({ directive, rows: journal.rows.length }),
  });
  return { loop, journal, clock, done };
};

const observations = (journal: MemoryJournal): Observation[] =>
  journal.rows.map((row) => {
    const step = JSON.parse(row.body) as TableStep;
    return step.observation;
  });

describe('the single-writer loop', () => {
  it('writes power.boot as the first row, with the documents it names', async () => {
    const { loop, journal } = rig(coreOf(() => []));
    await loop.start();
    const [boot] = observations(journal);
    expect(boot).toMatchObject({ kind: 'power.boot', unclean: false, boot: 1, version: '1.2.3' });
    expect(boot?.kind === 'power.boot' && journal.documents.get(boot.procedure ?? '')?.kind).toBe(
      'procedure',
    );
    expect(boot?.kind === 'power.boot' && journal.documents.get(boot.table ?? '')?.kind).toBe(
      'table',
    );
  });

  it('makes everything told at once one group commit, in order, at most 256 a batch', async () => {
    const { loop, journal } = rig(coreOf(() => []));
    await loop.start();
    for (let i = 0; i < 520; i += 1) loop.tell({ kind: 'rack.count', n: i });
    await loop.settled();
    expect(journal.batches).toEqual([1, 256, 256, 8]);
    expect(observations(journal).map((o) => (o.kind === 'rack.count' ? o.n : -1))).toEqual([
      -1,
      ...Array.from({ length: 520 }, (_, i) => i),
    ]);
  });

  it('performs nothing before its row is durable, but may lock the gate first', async () => {
    const announce: Decision = { do: 'direct', directive: { to: 'announce', text: 'last hand' } };
    const core = coreOf((o) => {
      if (o.kind === 'power.boot') return [gate(false)];
      return o.kind === 'card.out' ? [announce, gate(true)] : [];
    });
    const { loop, journal, done } = rig(core);
    await loop.start();
    done.length = 0;
    let release = (): void => undefined;
    journal.hold = new Promise((resolve) => (release = resolve));
    loop.tell(card);
    await Promise.resolve();
    expect(done).toEqual([{ directive: { to: 'gate', locked: true }, rows: 1 }]);
    expect(loop.state().seq).toBe(1);
    release();
    await loop.settled();
    expect(done).toEqual([
      { directive: { to: 'gate', locked: true }, rows: 1 },
      { directive: { to: 'announce', text: 'last hand' }, rows: 2 },
    ]);
  });

  it('does not open the gate for a moment when the same batch locks it again', async () => {
    const core = coreOf((o) => {
      if (o.kind === 'lid.closed') return [gate(false)];
      return o.kind === 'lid.open' ? [gate(true)] : [];
    });
    const { loop, done } = rig(core);
    await loop.start();
    done.length = 0;
    loop.tell({ kind: 'lid.closed' });
    loop.tell({ kind: 'lid.open' });
    await loop.settled();
    expect(done.filter(({ directive }) => directive.to === 'gate')).toEqual([]);
  });

  it('continues watched time over a restart and never runs it back', async () => {
    const clock = new SimulatedClock();
    const first = rig(
      coreOf(() => []),
      new MemoryJournal(),
      clock,
    );
    await first.loop.start();
    clock.runUntil(5e9);
    first.loop.tell(card);
    first.loop.tell(card, 4e9);
    await first.loop.settled();
    first.loop.abandon();
    clock.runUntil(60e9);
    const second = rig(
      coreOf(() => []),
      first.journal,
      clock,
    );
    await second.loop.start();
    clock.runUntil(61e9);
    second.loop.tell(card);
    await second.loop.settled();
    const rows = observations(first.journal);
    expect(rows.map((o) => o.atNs)).toEqual([0, 5e9, 5e9, 5e9, 6e9]);
    expect(rows.map((o) => o.seq)).toEqual([1, 2, 3, 4, 5]);
    expect(rows[4]?.wallMs).toBe((rows[0]?.wallMs ?? 0) + 61_000);
  });

  it('says unclean after an accident and clean after a stop on purpose', async () => {
    const journal = new MemoryJournal();
    const run = async (end: 'stop' | 'abandon'): Promise<void> => {
      const { loop } = rig(
        coreOf(() => []),
        journal,
      );
      await loop.start();
      if (end === 'stop') await loop.stop();
      else loop.abandon();
    };
    await run('stop');
    await run('abandon');
    await run('stop');
    const boots = observations(journal).filter((o) => o.kind === 'power.boot');
    expect(boots.map((o) => o.unclean)).toEqual([false, false, true]);
    expect(journal.saved?.seq).toBe(journal.head().seq);
  });

  it('lets nothing follow the row of a stop on purpose', async () => {
    const { loop, journal } = rig(coreOf(() => []));
    await loop.start();
    loop.tell(card);
    const stopped = loop.stop();
    expect(loop.tell({ kind: 'clock.trust', trusted: false })).toBe(false);
    await stopped;
    expect(loop.tell(card)).toBe(false);
    expect(observations(journal).map((o) => o.kind)).toEqual([
      'power.boot',
      'card.out',
      'power.off',
    ]);
    expect(loop.lost).toBe(0);
  });

  it('arms timers when durable, tells them when due, and again after a restart', async () => {
    const core = coreOf((o) => {
      if (o.kind === 'card.out') return [{ do: 'timer', timer: 'idle', dueNs: o.atNs + 2e9 }];
      return o.kind === 'timer' ? [{ do: 'timer', timer: 'idle', dueNs: null }] : [];
    });
    const { loop, journal, clock } = rig(core);
    await loop.start();
    loop.tell(card);
    await loop.settled();
    clock.runUntil(1e9);
    loop.tell({ kind: 'lid.open' });
    await loop.settled();
    loop.abandon();
    clock.runUntil(30e9);
    expect(observations(journal).some((o) => o.kind === 'timer')).toBe(false);
    const again = rig(core, journal, clock);
    await again.loop.start();
    clock.runUntil(30.9e9);
    await again.loop.settled();
    expect(observations(journal).some((o) => o.kind === 'timer')).toBe(false);
    clock.runUntil(31e9);
    await again.loop.settled();
    expect(observations(journal).at(-1)).toMatchObject({ kind: 'timer', timer: 'idle', atNs: 2e9 });
    expect(again.loop.state().timers).toEqual({});
  });

  it('drops a timer that was moved while it waited in the inbox', async () => {
    const core = coreOf((o) =>
      o.kind === 'card.out' ? [{ do: 'timer', timer: 'idle', dueNs: o.atNs + 2e9 }] : [],
    );
    const { loop, journal, clock } = rig(core);
    await loop.start();
    loop.tell(card);
    await loop.settled();
    let release = (): void => undefined;
    journal.hold = new Promise((resolve) => (release = resolve));
    clock.runUntil(1.9e9);
    loop.tell(card);
    clock.runUntil(2e9);
    release();
    await loop.settled();
    expect(observations(journal).filter((o) => o.kind === 'timer')).toEqual([]);
    clock.runUntil(3.9e9);
    await loop.settled();
    expect(observations(journal).filter((o) => o.kind === 'timer')).toHaveLength(1);
  });

  it('locks the gate, shows the fault and takes nothing more when the journal fails', async () => {
    const { loop, journal, done } = rig(
      coreOf((o) => (o.kind === 'power.boot' ? [gate(false)] : [])),
    );
    const faults: string[] = [];
    loop.onFault((reason) => faults.push(reason));
    await loop.start();
    done.length = 0;
    journal.failWith = 'disk full';
    expect(loop.tell(card)).toBe(true);
    await loop.settled();
    expect(loop.mode).toBe('fault');
    expect(loop.tell(card)).toBe(false);
    expect(loop.lost).toBe(1);
    expect(loop.fault()).toMatch(/disk full/);
    expect(faults).toHaveLength(1);
    expect(loop.state().seq).toBe(1);
    expect(done.map(({ directive }) => directive)).toMatchObject([
      { to: 'gate', locked: true },
      { to: 'tower', colour: 'red', light: 'blink' },
      { to: 'display', line1: 'JOURNAL FAULT' },
    ]);
  });

  it('counts what a full inbox could not take in a row of its own, in its place', async () => {
    const { loop, journal } = rig(coreOf(() => []));
    await loop.start();
    let release = (): void => undefined;
    journal.hold = new Promise((resolve) => (release = resolve));
    loop.tell(card);
    await Promise.resolve();
    let refused = 0;
    for (let i = 0; i < 5000; i += 1) if (!loop.tell(card)) refused += 1;
    release();
    await loop.settled();
    loop.tell({ kind: 'lid.open' });
    await loop.settled();
    expect(refused).toBe(904);
    const rows = observations(journal);
    expect(rows.at(-2)).toMatchObject({
      kind: 'journal.fault',
      reason: 'inbox full: 904 happenings were not taken',
    });
    expect(rows).toHaveLength(1 + 1 + 4096 + 1 + 1);
  });

  it('crashes with a record when an invariant breaks, keeping what came before', async () => {
    const records: string[] = [];
    const journal = new MemoryJournal();
    const loop = new TableLoop({
      rules: plainRules,
      journal,
      scheduler: new SimulatedClock(),
      log: silentLog,
      perform: () => undefined,
      crashed: (record) => records.push(`${record.kind} ${record.reason} after ${record.seq}`),
      core: coreOf((o) => {
        if (o.kind === 'card.double') throw new Error('out > loaded');
        return [];
      }),
    });
    await loop.start();
    loop.tell(card);
    loop.tell({ kind: 'card.double', lengthMm: 100 });
    await expect(loop.settled()).rejects.toThrow('out > loaded');
    expect(records).toEqual(['card.double out > loaded after 2']);
    expect(journal.rows).toHaveLength(2);
    expect(loop.mode).toBe('crashed');
  });

  it('reports an output that does not obey once, as a lost link', async () => {
    const journal = new MemoryJournal();
    const loop = new TableLoop({
      rules: plainRules,
      journal,
      scheduler: new SimulatedClock(),
      log: silentLog,
      perform: (directive) => {
        if (directive.to === 'tower') throw new Error('no acknowledge');
      },
      core: coreOf((o) =>
        o.kind === 'card.out'
          ? [{ do: 'direct', directive: { to: 'tower', colour: 'red', light: 'blink' } }]
          : [],
      ),
    });
    await loop.start();
    loop.tell(card);
    loop.tell(card);
    await loop.settled();
    expect(observations(journal).filter((o) => o.kind === 'link.down')).toHaveLength(1);
  });

  it('redacts before it decides and before it writes', async () => {
    const { loop, journal } = rig({
      ...coreOf((o) => {
        if (o.kind === 'card.out' && o.rank !== undefined) throw new Error('a rank was seen');
        return [];
      }),
      redact: (_state, happening) => {
        if (happening.kind !== 'card.out') return happening;
        const { rank: _rank, suit: _suit, ...rest } = happening;
        return rest;
      },
    });
    await loop.start();
    loop.tell({ ...card, rank: '7', suit: 'h' });
    await loop.settled();
    expect(journal.rows.at(-1)?.body).not.toMatch(/rank|suit/);
  });
});
