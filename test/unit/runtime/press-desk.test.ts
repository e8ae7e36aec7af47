import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { silentLog } from '../../../controller/runtime/log-port.js';
import { TableLoop } from '../../../controller/runtime/loop.js';
import { pressDesk } from '../../../controller/runtime/press-desk.js';
import { MemoryJournal } from '../../fakes/memory-journal.js';
import { rulesOf } from '../core/table.js';

const rig = async () => {
  const journal = new MemoryJournal();
  const loop = new TableLoop({
    rules: rulesOf('pa/627a-minibaccarat'),
    journal,
    scheduler: new SimulatedClock(),
    log: silentLog,
    perform: () => undefined,
  });
  await loop.start();
  return { journal, loop, press: pressDesk(loop) };
};

const ask = (key: string, value?: unknown) => ({
  key,
  role: 'dealer' as const,
  badge: 'D-1',
  value,
});

describe('presses from pages', () => {
  it('are answered when their row is durable, and not before', async () => {
    const { journal, loop, press } = await rig();
    let release = (): void => undefined;
    journal.hold = new Promise((resolve) => (release = resolve));
    let answered = false;
    const answer = press(ask('open-table')).then((given) => {
      answered = true;
      return given;
    });
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
    expect([answered, loop.state().phase]).toEqual([false, 'closed']);
    release();
    expect(await answer).toEqual({ is: 'taken', seq: 2, found: [] });
    expect(loop.state().phase).toBe('opening');
    const row = journal.rows[1]?.body ?? '';
    expect(JSON.parse(row)).toMatchObject({
      observation: { kind: 'press', key: 'open-table', role: 'dealer', badge: 'D-1' },
    });
  });

  it('that the rules refuse stand in the journal too, and come back with the clause', async () => {
    const { journal, press } = await rig();
    const bets = await press(ask('no-more-bets'));
    expect(bets).toMatchObject({ is: 'refused', seq: 2, reason: 'not in closed' });
    expect(journal.rows).toHaveLength(2);
    const low = await press(ask('clear', 'burn.over'));
    expect(low).toMatchObject({
      is: 'refused',
      clause: 'policy:authority',
      found: [{ code: 'press.authority', severity: 'info' }],
    });
  });

  it('of no form are not written down', async () => {
    const { journal, press } = await rig();
    expect(await press(ask('dance'))).toMatchObject({ is: 'unfit' });
    expect(await press(ask('first-card', '17'))).toMatchObject({
      is: 'unfit',
      reason: '`first-card` takes a rank: A, 2-10, J, Q, K',
    });
    expect(journal.rows).toHaveLength(1);
  });

  it('are lost, and said to be, where the journal cannot take them', async () => {
    const { journal, press, loop } = await rig();
    journal.failWith = 'disk full';
    const both = await Promise.all([press(ask('open-table')), press(ask('cards-inspected'))]);
    for (const answer of both) {
      expect(answer).toMatchObject({ is: 'lost' });
      if (answer.is === 'lost') expect(answer.reason).toMatch(/disk full\. Nothing was pressed/);
    }
    expect(await press(ask('open-table'))).toMatchObject({ is: 'lost' });
    loop.abandon();
    expect(await press(ask('open-table'))).toMatchObject({ is: 'lost' });
  });

  it('that wait when the power is cut are lost', async () => {
    const { press, loop } = await rig();
    const answer = press(ask('open-table'));
    loop.abandon();
    expect(await answer).toMatchObject({ is: 'lost' });
  });
});
