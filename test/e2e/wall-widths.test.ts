import { describe, expect } from 'vitest';
import { testWith } from '../support/needs.js';
import { axeFindings, screenshot, sticksOut } from './browser.js';
import { overlaps, WIDTHS } from './overlaps.js';
import { WALL_PAGES } from './wall-pages.js';
import { live, wallBench } from './wall-sheet.js';

const { missing, floor, open } = wallBench();
const HEIGHT = 800;

describe('at every width nothing on the wall is printed over anything else', () => {
  for (const [name, { hash, ready }] of Object.entries(WALL_PAGES)) {
    testWith(missing, `on the page ${name}`, async () => {
      const service = await floor({ tables: 30 });
      const { page } = await open(`${service.url}/${hash}`);
      await live(page);
      const found: string[] = [];
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        await page.locator(ready).first().waitFor();
        await screenshot(page, `w-wall-${name}-${width}`);
        const lines = [
          ...(await overlaps(page)),
          ...((await sticksOut(page)) ? ['the page scrolls sideways'] : []),
          ...(width === WIDTHS[0] ? await axeFindings(page) : []),
        ];
        found.push(...lines.map((line) => `${name} ${width}: ${line}`));
      }
      expect(found).toEqual([]);
    });
  }
});
