import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { LiveLines, pageSource } from '../../../controller/runtime/live.js';
import { silentLog } from '../../../controller/runtime/log-port.js';
import { TableLoop } from '../../../controller/runtime/loop.js';
import { startTablePage } from '../../../surveillance/table-page/server.js';
import { MemoryJournal } from '../../fakes/memory-journal.js';
import { plainRules } from '../../fakes/rules.js';

it('journal.fault: the page and its health show what no row can say', async () => {
  const journal = new MemoryJournal();
  const scheduler = new SimulatedClock();
  const loop = new TableLoop({
    rules: plainRules,
    journal,
    scheduler,
    log: silentLog,
    perform: () => undefined,
  });
  await loop.start();
  const parts = {
    table: 't1',
    rules: plainRules,
    scheduler,
    lines: new LiveLines(),
    mayPress: true,
  };
  const source = pageSource(loop, parts);
  const page = await startTablePage({ source, host: '127.0.0.1', port: 0 });
  try {
    expect((await fetch(`${page.url}/health`)).status).toBe(200);
    journal.failWith = 'disk full';
    loop.tell({ kind: 'press', role: 'dealer', key: 'open-table' });
    await loop.settled();
    expect(source.view()).toMatchObject({
      gate: 'locked',
      tower: { colour: 'red', light: 'blink' },
      display: { line1: 'JOURNAL FAULT' },
      findings: [{ code: 'journal.fault', severity: 'stop', clause: 'policy:journal' }],
    });
    const health = await fetch(`${page.url}/health`);
    expect(health.status).toBe(503);
    expect(await health.json()).toMatchObject({ ok: false, seq: 1 });
  } finally {
    await page.stop();
  }
});
