import type { Page } from 'playwright-core';
import { describe, expect, vi } from 'vitest';
import { startTablePage, type TablePage } from '../../surveillance/table-page/server.js';
import { FakeTable } from '../fakes/table-page-source.js';
import { testWith } from '../support/needs.js';
import { axeFindings, needsBrowser, screenshot, sticksOut, browserStage } from './browser.js';
import { PausingLine } from './pausing-line.js';
import { burning, stopped } from './table-states.js';

const SMALL = { width: 800, height: 480 };
const DESK = { width: 1280, height: 800 };
const WALL = { width: 1920, height: 1080 };
const PHONE = { width: 390, height: 844 };

/** A browser on a busy machine takes its time; nothing here waits for a clock this long. */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const missing = needsBrowser();
const { browser, closing } = browserStage(missing);

const serve = async (source: FakeTable, port = 0): Promise<TablePage> => {
  const served = await startTablePage({ source, port });
  closing(() => served.stop());
  return served;
};

const open = async (url: string, size = DESK): Promise<{ page: Page; complaints: string[] }> => {
  const sheet = await browser.open(url, size);
  closing(() => sheet.page.close());
  await sheet.page.getByRole('status').getByText('Live').waitFor();
  return sheet;
};

/** Waits until a text shows. @throws when it does not within the browser's own limit. */
const shows = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor();

describe('the table page in a browser', () => {
  testWith(missing, 'shows each change as it happens', async () => {
    const table = new FakeTable();
    const { url } = await serve(table);
    const { page, complaints } = await open(url);
    await page.getByRole('heading', { level: 1, name: 'Closed' }).waitFor();
    burning(table);
    await page.getByRole('heading', { level: 1, name: 'BURN 7 more, 4 to go' }).waitFor();
    expect(await page.locator('.step').innerText()).toContain('§ 631a.5(f)');
    expect(await page.locator('.count', { hasText: 'Burn due' }).innerText()).toContain('4');
    expect(await page.locator('.count', { hasText: 'Left' }).innerText()).toContain('412');
    expect(await page.locator('.steps li').first().innerText()).toContain('dealer: first-card');
    stopped(table);
    await shows(page, 'burn.over');
    const findings = page.locator('.finding');
    expect(await findings.count()).toBe(3);
    const first = await findings.first().innerText();
    for (const words of [
      'Stop',
      'burn.over',
      '§ 631a.5(f)',
      'Call the floor.',
      '9 cards out before the first round',
      'The floor clears it',
      '3 cards out after the warning, the last after 2 s',
      'Found 2 times',
      'Acknowledged by floor',
    ]) {
      expect(first).toContain(words);
    }
    // The number of cards left is in doubt: it is not guessed.
    expect(await page.locator('.count', { hasText: 'Left' }).innerText()).toMatch(/\?/);
    expect(await page.locator('.outputs').innerText()).toMatch(/Stop\s+Gate locked/);
    expect(await page.locator('.count.wide').innerText()).toContain(
      'Out, 9 cards behind it. Last hand',
    );
    const duties = await page.locator('.duties').innerText();
    expect(duties).toMatch(/Marker[\s\S]*Done\s+attested/);
    expect(duties).toMatch(/Shuffle[\s\S]*Done\s+sensed/);
    expect(duties).toMatch(/Cover card aside[\s\S]*to the side[\s\S]*Not watched\s+unseen/);
    expect(complaints).toEqual([]);
  });

  testWith(missing, 'counts the age of a finding on while nothing is said', async () => {
    const table = new FakeTable();
    stopped(table);
    const { url } = await serve(table);
    const { page } = await open(url);
    const age = page.locator('.finding', { hasText: 'burn.over' }).locator('.age');
    expect(await age.innerText()).toMatch(/^4[0-2] s$/);
    table.pass(60);
    await page.waitForFunction(() =>
      /^1 min 4\d s$/.test(document.querySelector('.age')?.textContent ?? ''),
    );
  });

  testWith(missing, 'axe is at work: it finds a fault that is put in', async () => {
    const { url } = await serve(new FakeTable());
    const { page } = await open(url);
    await page.evaluate(() => {
      document.querySelector('main')?.append(document.createElement('button'));
    });
    expect((await axeFindings(page)).join()).toContain('button-name');
  });

  testWith(missing, 'axe finds nothing on any page, dark or light, live or lost', async () => {
    const found: string[] = [];
    const look = async (page: Page, state: string): Promise<void> => {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        const lines = await axeFindings(page);
        found.push(...lines.map((line) => `${state} ${colorScheme}: ${line}`));
      }
    };
    for (const show of [burning, stopped]) {
      const table = new FakeTable();
      show(table);
      const served = await serve(table);
      for (const path of ['/floor', '/dealer']) {
        const { page } = await open(`${served.url}${path}`);
        await look(page, `${show.name} ${path}`);
        await page.close();
      }
      const { page } = await open(served.url);
      await look(page, `${show.name} table`);
      await served.stop();
      await page.getByRole('alert').waitFor();
      await look(page, `${show.name} lost`);
    }
    expect(found).toEqual([]);
  });

  testWith(missing, 'fits a table display, a desk and a wall', async () => {
    const table = new FakeTable();
    stopped(table);
    const { url } = await serve(table);
    const sizes = { small: SMALL, desk: DESK, wall: WALL, phone: PHONE };
    for (const path of ['table', 'floor', 'dealer']) {
      const { page } = await open(`${url}/${path === 'table' ? '' : path}`);
      for (const [name, size] of Object.entries(sizes)) {
        await page.setViewportSize(size);
        await screenshot(page, `${path}-${name}`);
        expect(await sticksOut(page), `${path} ${name}`).toBe(false);
        const step = await page.locator(path === 'floor' ? '.floor-now' : '.step').boundingBox();
        expect(step === null || step.y + step.height > size.height, `${path} ${name}`).toBe(false);
      }
    }
  });

  testWith(missing, 'a broken line is unmistakable, and the page comes back', async () => {
    const table = new FakeTable();
    burning(table);
    const served = await serve(table);
    const { page } = await open(served.url, SMALL);
    await served.stop();
    await page.getByRole('alert').getByText('No connection to the table').waitFor();
    expect(await page.locator('main').evaluate((main) => getComputedStyle(main).filter)).toBe(
      'grayscale(1)',
    );
    await page.getByRole('status').getByText('No connection').waitFor();
    await screenshot(page, 'table-small-lost');
    table.step({ out: 5, left: 411, due: 3 }, 'told while away');
    await serve(table, served.port);
    await page.getByRole('status').getByText('Live').waitFor();
    await shows(page, 'told while away');
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.locator('.count', { hasText: 'Left' }).innerText()).toContain('411');
    // Lines from before the break are still there, once.
    expect(await page.locator('.steps li', { hasText: 'dealer: open-table' }).count()).toBe(1);
  });

  testWith(missing, 'a line that is open but silent counts as lost', async () => {
    const table = new FakeTable();
    burning(table);
    const { port } = await serve(table);
    const line = await PausingLine.open(port);
    closing(() => line.stop());
    const { page } = await open(line.url);
    line.silence();
    await page.getByRole('alert').getByText('No connection to the table').waitFor();
    line.speak();
    table.step({ out: 6 }, 'told after the silence');
    await shows(page, 'told after the silence');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  testWith(missing, 'a line that is slow shows the newest state and no half one', async () => {
    const table = new FakeTable();
    burning(table);
    const { port } = await serve(table);
    const line = await PausingLine.open(port);
    closing(() => line.stop());
    const { page, complaints } = await open(line.url);
    for (let i = 0; i < 8; i += 1) {
      line.silence();
      for (let n = 0; n < 50; n += 1) table.step({ out: i * 50 + n }, `step ${i * 50 + n}`);
      await page.waitForTimeout(150);
      line.speak();
    }
    await page.locator('.count', { hasText: /^Out/ }).getByText('399', { exact: true }).waitFor();
    await shows(page, 'step 399');
    expect(complaints).toEqual([]);
  });

  testWith(missing, 'works by keyboard alone', async () => {
    const table = new FakeTable();
    stopped(table);
    const { url } = await serve(table);
    const { page } = await open(url);
    const reached: string[] = [];
    for (let i = 0; i < 9; i += 1) {
      await page.keyboard.press('Tab');
      reached.push(
        await page.evaluate(() => {
          const it = document.activeElement;
          return it?.getAttribute('aria-labelledby') ?? it?.textContent ?? '';
        }),
      );
    }
    expect(reached.slice(0, 8)).toEqual([
      'To the table',
      'Table',
      'Floor',
      'Dealer',
      'Technician',
      'findings-title',
      'duties-title',
      'steps-title',
    ]);
    await page.locator('a', { hasText: 'Floor' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/floor');
    await shows(page, 'Dealer is shown');
  });

  testWith(missing, 'the longest instruction shows whole on the dealer display', async () => {
    const table = new FakeTable();
    burning(table);
    const line1 = 'STOP. The stack was loaded without a shuffle after the last one was spent';
    const line2 =
      'Take the cards out of the shoe, call the floor, shuffle them again in the machine, ' +
      'offer the cut to the players and load the shoe again';
    table.step({
      tower: { to: 'tower', colour: 'red', light: 'blink' },
      display: { to: 'display', line1, line2, clause: '631a.5(a)', step: 'stop' },
    });
    const { url } = await serve(table);
    const { page } = await open(`${url}/dealer`, SMALL);
    await screenshot(page, 'dealer-small-long');
    const isCut = await page
      .locator('.lines')
      .evaluate((lines) => lines.scrollHeight > lines.clientHeight + 1);
    expect(isCut).toBe(false);
    const counts = await page.locator('.dealer-counts').boundingBox();
    expect(counts !== null && counts.y + counts.height <= SMALL.height).toBe(true);
  });

  testWith(missing, 'the dealer display says nothing a player could use', async () => {
    const table = new FakeTable();
    burning(table);
    table.step({ out: 300, left: 116, behind: 57, coverSeen: true, loaded: 416 });
    const { url } = await serve(table);
    const { page } = await open(`${url}/dealer`, SMALL);
    await page.getByRole('heading', { level: 1, name: 'BURN 7 more, 4 to go' }).waitFor();
    const text = await page.locator('main').innerText();
    for (const hidden of ['300', '116', '57', '416']) expect(text).not.toContain(hidden);
  });
});
