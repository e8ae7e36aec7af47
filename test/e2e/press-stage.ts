import type { Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { startTablePage, type TablePage } from '../../surveillance/table-page/server.js';
import type { FakeTable } from '../fakes/table-page-source.js';
import type { Missing } from '../support/needs.js';
import { needsBrowser, browserStage } from './browser.js';
import { LiveTable, PASSWORD } from './live-table.js';

export const SMALL = { width: 800, height: 480 };
export const DESK = { width: 1280, height: 800 };
/** A browser on a busy machine takes its time; nothing here waits for a clock this long. */
const PATIENCE = { timeout: 60_000, interval: 50 };

export interface Stage {
  readonly page: Page;
  readonly url: string;
  readonly complaints: readonly string[];
}

type Users = Parameters<LiveTable['serve']>[0];

/** Opens pages of tables in a browser of the test file's own, and closes both after each test. */
export const pressStage = (): {
  readonly missing: Missing;
  readonly stage: (
    table: LiveTable,
    path: string,
    size?: typeof SMALL,
    users?: Users,
  ) => Promise<Stage>;
  /** A table that only shows. */
  readonly look: (table: FakeTable, path: string, size?: typeof SMALL) => Promise<Stage>;
} => {
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });
  const missing = needsBrowser();
  const { browser, closing } = browserStage(missing);
  const open = async (served: TablePage, path: string, size: typeof SMALL): Promise<Stage> => {
    closing(() => served.stop());
    const { page, complaints } = await browser.open(`${served.url}${path}`, size);
    closing(() => page.close());
    return { page, url: served.url, complaints };
  };
  return {
    missing,
    stage: async (table, path, size = SMALL, users = null) =>
      open(await table.serve(users), path, size),
    look: async (table, path, size = SMALL) =>
      open(await startTablePage({ source: table, port: 0 }), path, size),
  };
};

export const login = async (page: Page, name: string, password = PASSWORD): Promise<void> => {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
};

export const key = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', { name }).first();

export const reached = (table: LiveTable, phase: string): Promise<void> =>
  vi.waitFor(() => {
    expect(table.phase).toBe(phase);
  }, PATIENCE);

/** Baccarat whose cards are shuffled by one dealer's hands, so that every step is a key. */
export const baccarat = (): LiveTable =>
  new LiveTable('pa/631a-baccarat', { shuffler: 'none', crew: 1, seats: 7 });
