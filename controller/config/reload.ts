import type { SiteConfig } from './schema.js';

/** Fields that a running table takes over; every other one waits for a restart. */
export const LIVE_FIELDS = ['keepDays', 'log'] as const satisfies readonly (keyof SiteConfig)[];

export const isLive = (field: string): boolean => LIVE_FIELDS.some((live) => live === field);

/** The running configuration with the live fields of a newer one. */
export const withLive = (running: SiteConfig, { keepDays, log }: SiteConfig): SiteConfig => ({
  ...running,
  keepDays,
  log,
});

/** Top-level fields in which two configurations differ. */
export interface ConfigChanges {
  readonly live: readonly string[];
  readonly restart: readonly string[];
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Both were read by the same schema, so their keys stand in the same order. */
export const changesBetween = (before: SiteConfig, after: SiteConfig): ConfigChanges => {
  const values = (config: SiteConfig): ReadonlyMap<string, unknown> =>
    new Map(Object.entries(config));
  const [old, now] = [values(before), values(after)];
  const fields = [...new Set([...old.keys(), ...now.keys()])];
  const changed = fields.filter((field) => !isSame(old.get(field), now.get(field)));
  return {
    live: changed.filter(isLive),
    restart: changed.filter((field) => !isLive(field)),
  };
};
