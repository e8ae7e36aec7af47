import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { FakeTable } from '../fakes/table-page-source.js';
import { testWith } from '../support/needs.js';
import { axeFindings, screenshot, sticksOut } from './browser.js';
import { LiveTable, people } from './live-table.js';
import { overlaps, WIDTHS } from './overlaps.js';
import { baccarat, DESK, key, login, pressStage } from './press-stage.js';
import { burning, stopped } from './table-states.js';

const { missing, stage, look } = pressStage();
const HEIGHT = 800;

/** Measures a page at each width; what is found says where. */
const atWidths = async (page: Page, name: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    await screenshot(page, `${name}-${width}`);
    const lines = [
      ...(await overlaps(page)),
      ...((await sticksOut(page)) ? ['the page scrolls sideways'] : []),
      ...(width === WIDTHS[0] ? await axeFindings(page) : []),
    ];
    found.push(...lines.map((line) => `${name} ${width}: ${line}`));
  }
  return found;
};

describe('at every width nothing is printed over anything else', () => {
  testWith(missing, 'the measure finds two texts on one spot, and a card in another', async () => {
    const { page } = await look(new FakeTable(), '/', DESK);
    expect(await overlaps(page)).toEqual([]);
    const style = (name: string, css: string): Promise<void> =>
      page.locator(name).evaluate((element, to) => {
        if (element instanceof HTMLElement) element.style.cssText = to;
      }, css);
    await style('.findings', 'margin-top: -60px');
    expect((await overlaps(page)).join()).toMatch(/lies over card/);
    await style('.findings', '');
    await style('.link', 'position: relative; left: -120px');
    expect((await overlaps(page)).join()).toMatch(/" lies over "/);
  });

  testWith(missing, 'on the pages that only show', async () => {
    const found: string[] = [];
    for (const show of [burning, stopped]) {
      const table = new FakeTable();
      show(table);
      for (const path of ['/', '/floor', '/dealer']) {
        const { page } = await look(table, path, DESK);
        await page.locator('main h1').first().waitFor();
        found.push(...(await atWidths(page, `w-${show.name}${path.replace('/', '-')}`)));
        await page.close();
      }
    }
    expect(found).toEqual([]);
  });

  testWith(missing, 'on the dealer display with its keys and pads', async () => {
    const table = baccarat();
    const { page } = await stage(table, '/dealer', DESK);
    const found = [...(await atWidths(page, 'w-dealer-open'))];
    await key(page, 'Other keys').click();
    found.push(...(await atWidths(page, 'w-dealer-more')));
    await table.tell(
      { kind: 'press', role: 'dealer', key: 'open-table' },
      { kind: 'press', role: 'dealer', key: 'cards-inspected' },
      { kind: 'press', role: 'dealer', key: 'shuffled' },
    );
    await key(page, 'Back to the step').click();
    await key(page, 'Cut by').click();
    found.push(...(await atWidths(page, 'w-dealer-seats')));
    await key(page, 'Dealer').click();
    await page.getByText('How many cards deep?').waitFor();
    found.push(...(await atWidths(page, 'w-dealer-number')));
    expect(found).toEqual([]);
  });

  testWith(missing, 'on the floor page with a finding, its keys and what they ask', async () => {
    const table = new LiveTable('pa/627a-minibaccarat');
    const { page } = await stage(table, '/floor', DESK);
    await table.tell(
      { kind: 'press', role: 'dealer', key: 'open-table' },
      { kind: 'press', role: 'dealer', key: 'cards-inspected' },
      { kind: 'shuffler.start', batch: 'red' },
      { kind: 'shuffler.done', batch: 'red', count: 415, mode: 'shuffle', lamp: 'green' },
    );
    await page.getByText('count.wrong').first().waitFor();
    const found = [...(await atWidths(page, 'w-floor-keys'))];
    await page.getByRole('button', { name: /Counted by hand/ }).click();
    found.push(...(await atWidths(page, 'w-floor-badge')));
    await key(page, 'Back').click();
    await page.getByRole('button', { name: /Order a reshuffle/ }).click();
    found.push(...(await atWidths(page, 'w-floor-sure')));
    expect(found).toEqual([]);
  });

  testWith(missing, 'on the technician page and the login', async () => {
    const { page } = await stage(baccarat(), '/technician', DESK, await people());
    await page.getByRole('heading', { name: 'Log in to this table' }).waitFor();
    const found = [...(await atWidths(page, 'w-login'))];
    await login(page, 'tech-1');
    await page.getByRole('heading', { name: 'Serial lines' }).waitFor();
    found.push(...(await atWidths(page, 'w-technician')));
    expect(found).toEqual([]);
  });
});
