import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { type Health, HealthProbe } from '../../../controller/runtime/health.js';
import { silentLog } from '../../../controller/runtime/log-port.js';
import { LOOK_MS, Supervisor, troubles } from '../../../controller/runtime/supervisor.js';

const well: Health = {
  uptimeS: 5,
  rssBytes: 80_000_000,
  diskFreeBytes: 5e9,
  diskWrittenBytes: null,
  diskLifeUsedPercent: null,
  temperatureC: 45,
  delayP50Ms: 0,
  delayP99Ms: 1,
  delayMaxMs: 3,
  queued: 0,
};

describe('the supervisor', () => {
  it('names what is out of bounds in plain words, and nothing else', () => {
    expect([...troubles(well)]).toEqual([]);
    expect([...troubles({ ...well, diskFreeBytes: null, temperatureC: null })]).toEqual([]);
    const ill = { ...well, diskFreeBytes: 1e6, rssBytes: 1e9, delayP99Ms: 400, queued: 4000 };
    expect([...troubles({ ...ill, temperatureC: 90 }).entries()]).toEqual([
      ['disk', '1 MB free where the journal is'],
      ['memory', '1000 MB in use'],
      ['delay', 'event loop late by 400 ms'],
      ['inbox', '4000 happenings wait'],
      ['temperature', '90 degrees'],
    ]);
  });

  it('looks every ten seconds, warns once and says when it is over', async () => {
    const clock = new SimulatedClock();
    let queued = 0;
    const said: string[] = [];
    const probe = new HealthProbe({ journalFolder: '/', queued: () => queued });
    const log = {
      ...silentLog,
      warn: (_fields: object, text: string) => said.push(text),
      info: (_fields: object, text: string) => said.push(text),
    };
    const supervisor = new Supervisor(probe, clock, log);
    const looks: Health[] = [];
    supervisor.onLook((health) => looks.push(health));
    supervisor.start();
    const next = async (): Promise<void> => {
      const before = looks.length;
      clock.runUntil(clock.nowNs() + LOOK_MS * 1e6);
      while (looks.length === before) await new Promise((resolve) => setTimeout(resolve, 1));
      await new Promise((resolve) => setTimeout(resolve, 1));
    };
    await next();
    queued = 2000;
    await next();
    await next();
    queued = 0;
    await next();
    supervisor.stop();
    clock.runUntil(clock.nowNs() + 10 * LOOK_MS * 1e6);
    const about = said.filter((text) => !/memory|MB in use|late by/.test(text));
    expect(about.filter((text) => text === '2000 happenings wait')).toHaveLength(1);
    expect(about).toContain('within its limit again');
    expect(looks).toHaveLength(4);
    expect(looks[0]?.rssBytes).toBeGreaterThan(1e6);
    expect(looks[0]?.diskFreeBytes).toBeGreaterThan(0);
  });
});
