import type { Page } from 'playwright-core';
import { describe, expect, vi } from 'vitest';
import { testWith } from '../support/needs.js';
import { needsBrowser, browserStage } from './browser.js';
import { LiveTable } from './live-table.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });

const missing = needsBrowser();
const { browser, closing } = browserStage(missing);

const stage = async (): Promise<{ readonly table: LiveTable; readonly page: Page }> => {
  const table = new LiveTable('pa/631a-baccarat', { shuffler: 'none', crew: 1, seats: 7 });
  const served = await table.serve(null);
  closing(() => served.stop());
  const { page } = await browser.open(`${served.url}/dealer`, { width: 800, height: 480 });
  closing(() => page.close());
  return { table, page };
};

describe('a dealer faster than the picture', () => {
  testWith(missing, 'takes no second Enter for the step whose picture is late', async () => {
    const { table, page } = await stage();
    await page.locator('.key-next[aria-disabled="false"]').waitFor();
    table.hold();
    await page.keyboard.press('Enter');
    await page.getByText('Open the table: taken').waitFor();
    // The page still shows the step before: the same key would be pressed once more.
    await page.locator('.key-next[aria-disabled="true"]').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('1');
    table.release();
    await page.locator('.key-next[aria-disabled="false"]', { hasText: 'inspected' }).waitFor();
    expect(table.presses).toEqual(['open-table dealer -']);
    await page.keyboard.press('Enter');
    await page.getByText('Cards inspected: taken').waitFor();
    expect(table.phase).toBe('shuffle-due');
  });

  testWith(missing, 'loses no digit of a hand that is as fast as the picture', async () => {
    const { table, page } = await stage();
    await table.tell(
      { kind: 'press', role: 'dealer', key: 'open-table' },
      { kind: 'press', role: 'dealer', key: 'cards-inspected' },
      { kind: 'press', role: 'dealer', key: 'washed' },
      { kind: 'press', role: 'dealer', key: 'shuffled' },
    );
    await page.locator('.key-next[aria-disabled="false"]', { hasText: 'Cut by' }).waitFor();
    // Typed in the very moment at which the pad stands there.
    await page.evaluate(() => {
      new MutationObserver((_changes, observer) => {
        if (document.querySelector('.pad-number') === null) return;
        observer.disconnect();
        for (const key of ['6', '0']) {
          document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        }
      }).observe(document.body, { childList: true, subtree: true });
    });
    await page.getByRole('button', { name: 'Cut by' }).click();
    await page.getByRole('button', { name: 'Dealer', exact: true }).click();
    await page.locator('.pad-number output', { hasText: /^60$/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Cut by: taken').waitFor();
    expect(table.loop.state().findings).toEqual([]);
    expect(table.phase).toBe('marker-due');
  });
});
