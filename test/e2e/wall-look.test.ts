import { describe, expect } from 'vitest';
import { testWith } from '../support/needs.js';
import { axeFindings, screenshot, sticksOut } from './browser.js';
import { WALL_PAGES } from './wall-pages.js';
import { live, SIZES, wallBench } from './wall-sheet.js';

const { missing, floor, open } = wallBench();

describe('how the wall looks', () => {
  testWith(missing, 'axe finds nothing on any page, dark or light', async () => {
    const service = await floor({ tables: 100 });
    const { page } = await open(service.url);
    await live(page);
    const found: string[] = [];
    for (const [name, { hash, ready }] of Object.entries(WALL_PAGES)) {
      await page.evaluate((to) => window.location.assign(to), hash);
      await page.locator(ready).first().waitFor();
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        const lines = await axeFindings(page);
        found.push(...lines.map((line) => `${name} ${colorScheme}: ${line}`));
      }
    }
    expect(found).toEqual([]);
  });

  testWith(missing, 'axe finds nothing at the login, on a lost line, in the dialogue', async () => {
    const service = await floor({ hasLogin: true, tables: 30 });
    const { page: login } = await open(service.url);
    await login.getByRole('button', { name: 'Log in' }).waitFor();
    const found = (await axeFindings(login)).map((line) => `login: ${line}`);
    await screenshot(login, 'floor-login');
    const other = await floor({ tables: 100 });
    const { page } = await open(`${other.url}/#/alerts`);
    await live(page);
    await page.getByRole('button', { name: /Acknowledge burn.over/ }).click();
    await page.getByRole('dialog').waitFor();
    found.push(...(await axeFindings(page)).map((line) => `dialogue: ${line}`));
    await screenshot(page, 'floor-acknowledge');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Wall', exact: true }).click();
    await page.locator('a.tile').first().waitFor();
    await other.stop();
    await page
      .getByRole('alert')
      .getByText(/Not live since/)
      .waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      found.push(...(await axeFindings(page)).map((line) => `lost ${colorScheme}: ${line}`));
    }
    await screenshot(page, 'floor-wall-lost');
    expect(found).toEqual([]);
  });

  testWith(missing, 'fits a wall, a desk and a small display', async () => {
    const service = await floor();
    const { page } = await open(service.url);
    await live(page);
    const wide: string[] = [];
    for (const [name, { hash, ready }] of Object.entries(WALL_PAGES)) {
      await page.evaluate((to) => window.location.assign(to), hash);
      await page.locator(ready).first().waitFor();
      for (const [size, viewport] of Object.entries(SIZES)) {
        await page.setViewportSize(viewport);
        await page.locator(ready).first().waitFor();
        await screenshot(page, `floor-${name}-${size}`);
        if (await sticksOut(page)) wide.push(`${name} ${size}`);
      }
    }
    expect(wide).toEqual([]);
  });

  testWith(missing, 'every condition differs by shape and word, not by colour alone', async () => {
    const service = await floor();
    const { page } = await open(service.url);
    await live(page);
    await page.locator('a.tile').first().waitFor();
    const chips = await page
      .locator('.summary .shape')
      .evaluateAll((shapes) => shapes.map((shape) => shape.innerHTML));
    const words = await page.locator('.summary button').allInnerTexts();
    const pairs = chips.map((shape, i) => `${shape} ${(words[i] ?? '').replaceAll(/\d/g, '')}`);
    expect(new Set(pairs).size).toBe(7);
    expect(new Set(chips).size).toBeGreaterThanOrEqual(6);
  });

  testWith(
    missing,
    'is worked by keyboard alone, from the login to an acknowledgement',
    async () => {
      const service = await floor({ hasLogin: true, tables: 60 });
      const { page } = await open(service.url);
      await page.getByRole('button', { name: 'Log in' }).waitFor();
      await page.keyboard.type('mara');
      await page.keyboard.press('Tab');
      await page.keyboard.type('aram');
      await page.keyboard.press('Enter');
      await live(page);
      const press = async (key: string, name: RegExp): Promise<void> => {
        for (let i = 0; i < 60; i += 1) {
          const text = await page.evaluate('document.activeElement?.textContent ?? ""');
          if (typeof text === 'string' && name.test(text)) {
            await page.keyboard.press(key);
            return;
          }
          await page.keyboard.press('Tab');
        }
        throw new Error(`the Tab key does not lead to ${name.source}`);
      };
      await press('Enter', /^Alerts$/);
      await page.getByRole('row', { name: /burn.over/ }).waitFor();
      await press('Enter', /^Acknowledge burn\.over/);
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('seen');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page
        .getByRole('row', { name: /burn.over/ })
        .getByText('✓ mara')
        .waitFor();
    },
  );
});
