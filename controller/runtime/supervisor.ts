import type { Cancel, Scheduler } from '../core/ports.js';
import type { Health, HealthProbe } from './health.js';
import type { Log } from './log-port.js';

/** Between two looks, ms. */
export const LOOK_MS = 10_000;
/** Free room below this is a warning long before the journal is in danger, bytes. */
const DISK_MIN_BYTES = 200_000_000;
const RSS_MAX_BYTES = 250_000_000;
/** A delay like this costs a dealer's keypress its feel. */
const DELAY_P99_MAX_MS = 100;
const QUEUED_MAX = 1000;
const TEMPERATURE_MAX_C = 80;

/** What is out of bounds, by name, in plain words. */
export const troubles = (health: Health): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  const { diskFreeBytes, rssBytes, delayP99Ms, queued, temperatureC } = health;
  if (diskFreeBytes !== null && diskFreeBytes < DISK_MIN_BYTES) {
    found.set('disk', `${Math.round(diskFreeBytes / 1e6)} MB free where the journal is`);
  }
  if (rssBytes > RSS_MAX_BYTES) found.set('memory', `${Math.round(rssBytes / 1e6)} MB in use`);
  if (delayP99Ms > DELAY_P99_MAX_MS) found.set('delay', `event loop late by ${delayP99Ms} ms`);
  if (queued > QUEUED_MAX) found.set('inbox', `${queued} happenings wait`);
  if (temperatureC !== null && temperatureC > TEMPERATURE_MAX_C) {
    found.set('temperature', `${temperatureC} degrees`);
  }
  return found;
};

/** Looks at the process and the machine now and then; says when a limit is passed, and back. */
export class Supervisor {
  readonly #probe: HealthProbe;
  readonly #scheduler: Scheduler;
  readonly #log: Log;
  readonly #listeners = new Set<(health: Health) => void>();
  #open: ReadonlyMap<string, string> = new Map();
  #cancel: Cancel = () => undefined;
  #running = false;

  constructor(probe: HealthProbe, scheduler: Scheduler, log: Log) {
    this.#probe = probe;
    this.#scheduler = scheduler;
    this.#log = log;
  }

  onLook(listener: (health: Health) => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#probe.start();
    this.#later();
  }

  stop(): void {
    this.#running = false;
    this.#cancel();
    this.#probe.stop();
  }

  /** One look, now. */
  async look(): Promise<Health> {
    const health = await this.#probe.look();
    const found = troubles(health);
    for (const [name, text] of found) {
      if (!this.#open.has(name)) this.#log.warn({ limit: name }, text);
    }
    for (const name of this.#open.keys()) {
      if (!found.has(name)) this.#log.info({ limit: name }, 'within its limit again');
    }
    this.#open = found;
    for (const listener of this.#listeners) listener(health);
    return health;
  }

  #later(): void {
    this.#cancel = this.#scheduler.at(this.#scheduler.nowNs() + LOOK_MS * 1e6, () => {
      void this.look().then(() => {
        if (this.#running) this.#later();
      });
    });
  }
}
