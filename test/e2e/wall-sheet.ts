import type { Page } from 'playwright-core';
import { vi } from 'vitest';
import { FakeFloor } from '../fakes/floor-service.js';
import { type Missing, needsFile } from '../support/needs.js';
import { needsBrowser, type Sheet, browserStage } from './browser.js';

export const SIZES = {
  big: { width: 1920, height: 1080 },
  desk: { width: 1366, height: 768 },
  small: { width: 800, height: 480 },
} as const;

/** A browser on a busy machine takes its time; nothing here waits for a clock this long. */
const LONG_MS = 240_000;

export const needsWall = (): Missing =>
  needsBrowser() ?? needsFile('dist/pages/wall.html', 'the wall is not built (npm run build)');

/** A floor service and a browser for the tests of one file. */
export const wallBench = () => {
  vi.setConfig({ testTimeout: LONG_MS, hookTimeout: LONG_MS });
  const missing = needsWall();
  const { browser, closing } = browserStage(missing);
  return {
    missing,
    closing,
    floor: async (options: ConstructorParameters<typeof FakeFloor>[0] = {}): Promise<FakeFloor> => {
      const floor = new FakeFloor(options);
      await floor.start();
      closing(() => floor.stop());
      return floor;
    },
    /** Opens a page of the wall and waits until it is live. */
    open: async (
      url: string,
      size: { width: number; height: number } = SIZES.desk,
    ): Promise<Sheet> => {
      const sheet = await browser.open(url, size);
      closing(() => sheet.page.close());
      return sheet;
    },
  };
};

export const live = (page: Page): Promise<void> =>
  page.getByRole('status').getByText('Live', { exact: true }).waitFor();

/** Logs in at the fake: the password is the name, backwards. */
export const logIn = async (page: Page, name: string): Promise<void> => {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(name.split('').reverse().join(''));
  await page.getByRole('button', { name: 'Log in' }).click();
  await live(page);
};

export const tileOf = (page: Page, table: string) => page.locator(`a.tile[data-key$="/${table}"]`);

/** Names of the first tables on the wall, in order. */
export const firstTiles = async (page: Page, count: number): Promise<readonly string[]> => {
  const names = await page.locator('.tile-name').allInnerTexts();
  return names.slice(0, count);
};
