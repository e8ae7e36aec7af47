import { describe, expect, it } from 'vitest';
import type { Happening } from '../../../controller/core/observation.js';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { trustFromChrony } from '../../../controller/runtime/clock-trust.js';
import { ClockWatch, WATCH_MS } from '../../../controller/runtime/clock-watch.js';
import { drivePaced } from '../../../controller/runtime/paced-drive.js';
import { RealScheduler } from '../../../controller/runtime/real-scheduler.js';

describe('the real scheduler', () => {
  it('never runs a task before it is due, and not at all when cancelled', async () => {
    const scheduler = new RealScheduler();
    let cancelled = true;
    const cancel = scheduler.at(scheduler.nowNs() + 2e6, () => (cancelled = false));
    cancel();
    const early = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const dueNs = scheduler.nowNs() + i * 0.37e6;
        return new Promise<number>((resolve) => {
          scheduler.at(dueNs, () => resolve(scheduler.nowNs() - dueNs));
        });
      }),
    );
    expect(early.every((lateNs) => lateNs >= 0)).toBe(true);
    expect(cancelled).toBe(true);
  });

  it('runs nothing more once it is closed', async () => {
    const scheduler = new RealScheduler();
    let ran = 0;
    scheduler.at(scheduler.nowNs() + 1e6, () => (ran += 1));
    scheduler.close();
    scheduler.at(scheduler.nowNs(), () => (ran += 1));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(ran).toBe(0);
  });

  it('trusts the wall clock only when told to', () => {
    const scheduler = new RealScheduler();
    expect(scheduler.wallTrusted()).toBe(false);
    scheduler.trust(true);
    expect(scheduler.wallTrusted()).toBe(true);
  });

  it('of the broker trusts it as the table does: else every order over MQTT is refused', () => {
    const table = new RealScheduler();
    const broker = new RealScheduler(table);
    expect(broker.wallTrusted()).toBe(false);
    table.trust(true);
    expect(broker.wallTrusted()).toBe(true);
  });
});

describe('trust in the wall clock', () => {
  it('takes chrony at its word only when it is synchronised', () => {
    const line = 'A1B2C3D4,192.0.2.1,3,1764447000.1,0.00001,0.00002,0.0001,1.2,0.1,0.2,0.03,1,64';
    expect(trustFromChrony(`${line},Normal\n`)).toBe(true);
    expect(trustFromChrony(`${line},Not synchronised\n`)).toBe(false);
    expect(trustFromChrony('')).toBe(false);
  });

  it('tells steps and changes of trust, and nothing while nothing changes', async () => {
    const clock = new SimulatedClock();
    const told: Happening[] = [];
    let answer: boolean | null = true;
    let trusted = false;
    const watch = new ClockWatch({
      scheduler: clock,
      tell: (happening) => told.push(happening),
      askTrust: () => Promise.resolve(answer),
      setTrust: (now) => (trusted = now),
    });
    const later = async (): Promise<void> => {
      clock.runUntil(clock.nowNs() + WATCH_MS * 1e6);
      await Promise.resolve();
      await Promise.resolve();
    };
    await watch.start();
    expect(trusted).toBe(true);
    expect(told).toEqual([{ kind: 'clock.trust', trusted: true }]);
    for (let i = 0; i < 5; i += 1) await later();
    expect(told).toHaveLength(1);
    clock.stepWall(-3_600_000, true);
    await later();
    answer = null;
    await later();
    watch.stop();
    await later();
    expect(told.slice(1)).toEqual([
      { kind: 'clock.step', stepMs: -3_600_000 },
      { kind: 'clock.trust', trusted: false },
    ]);
    expect(trusted).toBe(false);
  });
});

describe('the paced drive', () => {
  it('runs a simulated clock at the chosen speed and settles each instant', async () => {
    const clock = new SimulatedClock();
    const stop = new AbortController();
    const seen: number[] = [];
    for (let i = 1; i <= 50; i += 1) clock.at(i * 1e9, () => seen.push(clock.nowNs()));
    clock.at(50e9, () => stop.abort());
    let settled = 0;
    const from = performance.now();
    await drivePaced({
      clock,
      speed: 500,
      settled: () => {
        settled += 1;
        return Promise.resolve();
      },
      signal: stop.signal,
    });
    const tookMs = performance.now() - from;
    expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => (i + 1) * 1e9));
    expect(settled).toBe(51);
    expect(tookMs).toBeGreaterThan(60);
  });

  it('ends by itself at unlimited speed when nothing is left to do', async () => {
    const clock = new SimulatedClock();
    let ran = 0;
    for (let i = 1; i <= 100; i += 1) clock.at(i * 3600e9, () => (ran += 1));
    const { signal } = new AbortController();
    await drivePaced({ clock, speed: Infinity, settled: () => Promise.resolve(), signal });
    expect(ran).toBe(100);
  });
});
