import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { findingOf } from '../fakes/floor-tables.js';
import { FakeFloor } from '../fakes/floor-service.js';
import { testWith } from '../support/needs.js';
import { PausingLine } from './pausing-line.js';
import { firstTiles, live, logIn, tileOf, wallBench } from './wall-sheet.js';

const { missing, floor, open, closing } = wallBench();

const PATIENCE = { timeout: 60_000, interval: 200 };

const tileCount = (page: Page, count: number): Promise<void> =>
  expect.poll(() => page.locator('a.tile').count(), PATIENCE).toBe(count);

const toneCount = (page: Page, count: number): Promise<void> =>
  expect.poll(() => page.evaluate('window.tones.length'), PATIENCE).toBe(count);

describe('the wall', () => {
  testWith(missing, 'shows every table, what needs eyes first', async () => {
    const service = await floor();
    const { page, complaints } = await open(service.url);
    await live(page);
    await tileCount(page, 200);
    expect(await firstTiles(page, 4)).toEqual(['EZB-008', 'WAR-022', 'WAR-034', 'BAC-013']);
    const stop = await tileOf(page, 'EZB-008').innerText();
    for (const words of ['Stop', 'burn.over', '§ 631a.5(f)', '3 cards after', '+1', 'min']) {
      expect(stop).toContain(words);
    }
    expect(stop).toMatch(/Burn\s*· gate locked/);
    expect(await tileOf(page, 'BAC-013').innerText()).toMatch(/Hold[\s\S]*✓ mara/);
    expect(await tileOf(page, 'WAR-022').innerText()).toMatch(/Offline for \d+ min/);
    expect(await tileOf(page, 'WAR-034').innerText()).toMatch(/Silent for/);
    expect(await tileOf(page, 'HIL-091').innerText()).toMatch(/Never heard/);
    expect(await tileOf(page, 'EZB-056').innerText()).toMatch(/Degraded[\s\S]*14 rows missing/);
    // Where cards may have moved unseen, no number is guessed.
    expect(await tileOf(page, 'BAC-061').innerText()).toContain('Cards may have moved unseen');
    expect(await page.locator('.summary').innerText()).toMatch(/1\s*Stop[\s\S]*3\s*Not heard/);
    expect(complaints).toEqual([]);
  });

  testWith(missing, 'draws a changed table anew and leaves the others alone', async () => {
    const service = await floor();
    const { page } = await open(service.url);
    await live(page);
    await tileOf(page, 'BAC-001').waitFor();
    await page.evaluate(() => {
      const touched = new Set<string>();
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const element = target instanceof Element ? target : target.parentElement;
          touched.add(element?.closest<HTMLElement>('a.tile')?.dataset['key'] ?? '');
        }
      }).observe(document.querySelector('.tiles') ?? document.body, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
      Object.assign(window, { touched });
    });
    service.change(0, { phase: 'reshuffle-due', out: 300, left: 116 });
    await tileOf(page, 'BAC-001').getByText('Reshuffle due').waitFor();
    const touched = await page.evaluate(
      '[...window.touched].filter((key) => key.includes("/BAC-"))',
    );
    expect(touched).toContain('harbour/pit-1/BAC-001');
    // Quiet neighbours of the same game were not redrawn.
    expect(touched).not.toContain('harbour/pit-1/BAC-005');
  });

  testWith(
    missing,
    'filters by pit, game, text and condition, and keeps it in the address',
    async () => {
      const service = await floor();
      const { page } = await open(service.url);
      await live(page);
      await page.getByLabel('Pit').selectOption('harbour/pit-2');
      await tileCount(page, 50);
      await page.getByLabel('Game').selectOption('pa/651a-casino-war');
      await expect
        .poll(async () => (await firstTiles(page, 50)).every((name) => /^WAR/.test(name)), PATIENCE)
        .toBe(true);
      await page.getByLabel('Text').fill('war-054');
      await tileCount(page, 1);
      expect(page.url()).toContain('pit=harbour');
      await page.reload();
      await tileCount(page, 1);
      await page.getByRole('button', { name: 'Show all' }).click();
      await tileCount(page, 200);
      await page.getByRole('button', { name: /Not heard/ }).click();
      await tileCount(page, 3);
      await page.getByLabel('Text').fill('no such table');
      await page.getByText('No table passes this filter.').waitFor();
    },
  );

  testWith(missing, 'does not move a tile that is pointed at; it moves afterwards', async () => {
    const service = await floor();
    const { page } = await open(service.url);
    await live(page);
    await tileOf(page, 'EZB-008').focus();
    await page.keyboard.press('ArrowRight');
    const before = await tileOf(page, 'BAC-009').boundingBox();
    service.change(8, {
      attention: 950,
      findings: [findingOf({ id: '77.0', severity: 'stop', code: 'card.back' })],
    });
    await tileOf(page, 'BAC-009').getByText('card.back').waitFor();
    await page.locator('.chip.is-stop', { hasText: '2' }).waitFor();
    expect(await tileOf(page, 'BAC-009').boundingBox()).toEqual(before);
    await page.getByLabel('Text').focus();
    await expect.poll(() => firstTiles(page, 1), PATIENCE).toEqual(['BAC-009']);
  });

  testWith(missing, 'a pointer holds the order too', async () => {
    const service = await floor();
    const { page } = await open(service.url);
    await live(page);
    await tileOf(page, 'EZB-008').hover();
    // A hand is never quite still.
    await page.evaluate(() => {
      const grid = document.querySelector('.tiles');
      const hand = setInterval(() => grid?.dispatchEvent(new PointerEvent('pointermove')), 200);
      grid?.addEventListener('pointerleave', () => {
        clearInterval(hand);
      });
    });
    service.change(8, {
      attention: 950,
      findings: [findingOf({ id: '79.0', severity: 'stop', code: 'card.back' })],
    });
    // The counts and the order are made together.
    await page.locator('.chip.is-stop', { hasText: '2' }).waitFor();
    expect(await firstTiles(page, 1)).toEqual(['EZB-008']);
    await page.mouse.move(5, 5);
    await expect.poll(() => firstTiles(page, 1), PATIENCE).toEqual(['BAC-009']);
  });

  testWith(missing, 'walks the tiles by arrow keys and opens one by Enter', async () => {
    const service = await floor();
    const { page } = await open(service.url);
    await live(page);
    await tileOf(page, 'EZB-008').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    const key = await page.evaluate(
      'document.activeElement.querySelector(".tile-name").textContent',
    );
    expect(key).toBe('WAR-022');
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'EZB-008' }).waitFor();
    // One stop of the Tab key for 200 tiles.
    await page.goBack();
    await tileOf(page, 'EZB-008').waitFor();
    expect(await page.locator('a.tile[tabindex="0"]').count()).toBe(1);
  });
});

describe('the wall on a bad line', () => {
  testWith(missing, 'says since when it is not live, and comes back where it was', async () => {
    const service = await floor();
    const { page } = await open(service.url);
    await live(page);
    service.change(0, { phase: 'ready' });
    await tileOf(page, 'BAC-001').getByText('Ready').waitFor();
    const { port } = service;
    await service.stop();
    await page
      .getByRole('alert')
      .getByText(/Not live since 14:0\d:\d\d/)
      .waitFor();
    await page.getByRole('status').getByText('Not live').waitFor();
    expect(await page.locator('main').evaluate((main) => getComputedStyle(main).filter)).toBe(
      'grayscale(1)',
    );
    const again = new FakeFloor({ port });
    await again.start();
    closing(() => again.stop());
    again.change(0, { phase: 'dispute' });
    await tileOf(page, 'BAC-001').getByText('Dispute').waitFor();
    await live(page);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  testWith(missing, 'goes on from the last event after a cut', async () => {
    const service = await floor();
    const line = await PausingLine.open(service.port);
    closing(() => line.stop());
    const { page } = await open(line.url);
    await live(page);
    service.change(0, { phase: 'ready' });
    await tileOf(page, 'BAC-001').getByText('Ready').waitFor();
    service.change(3, { phase: 'dispute' });
    line.cut();
    service.change(4, { phase: 'stub-due' });
    await tileOf(page, 'BAC-005').getByText('Stub due').waitFor();
    await tileOf(page, 'EZB-004').getByText('Dispute').waitFor();
    await live(page);
    expect(service.asked.some((line) => /stream\?after=\w+\.\d+/.test(line))).toBe(true);
  });

  testWith(missing, 'a stream that is open but silent is not live', async () => {
    const service = await floor();
    const line = await PausingLine.open(service.port);
    closing(() => line.stop());
    const { page } = await open(line.url);
    await live(page);
    line.silence();
    await page
      .getByRole('alert')
      .getByText(/Not live since/)
      .waitFor();
    line.speak();
    service.change(0, { phase: 'dispute' });
    await tileOf(page, 'BAC-001').getByText('Dispute').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  testWith(missing, 'a slow stream shows the newest state of every table', async () => {
    const service = await floor();
    const line = await PausingLine.open(service.port);
    closing(() => line.stop());
    const { page, complaints } = await open(line.url);
    await live(page);
    for (let i = 0; i < 5; i += 1) {
      line.silence();
      for (let n = 0; n < 5; n += 1) service.deal();
      await page.waitForTimeout(200);
      line.speak();
    }
    service.change(0, { phase: 'dispute' });
    await tileOf(page, 'BAC-001').getByText('Dispute').waitFor();
    const { left } = service.tiles[4] ?? { left: 0 };
    await tileOf(page, 'BAC-005')
      .getByText(`≤ ${(left ?? 0) - 14} to cover card`)
      .waitFor();
    expect(complaints).toEqual([]);
  });

  testWith(missing, 'says that no table is heard when the service lost the broker', async () => {
    const service = await floor();
    const { page } = await open(service.url);
    await live(page);
    service.loseBroker();
    await page.getByRole('alert').getByText('No tables are heard').waitFor();
  });
});

describe('who looks', () => {
  testWith(missing, 'logs in, sees the role, logs out', async () => {
    const service = await floor({ hasLogin: true });
    const { page, complaints } = await open(service.url);
    await page.getByLabel('Name').fill('mara');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('do not belong together').waitFor();
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    await logIn(page, 'mara');
    expect(await page.locator('.me').innerText()).toMatch(/mara\s+Operator/);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('You are logged out.').waitFor();
    expect(await page.locator('a.tile').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  testWith(missing, 'a session that ends asks again, and goes on where it was', async () => {
    const service = await floor({ hasLogin: true });
    const { page } = await open(`${service.url}/#/alerts`);
    await logIn(page, 'victor');
    await page.getByRole('heading', { name: 'Alerts' }).waitFor();
    service.endSessions();
    await page.getByText('The session is over').waitFor();
    await logIn(page, 'victor');
    await page.getByRole('heading', { name: 'Alerts' }).waitFor();
  });
});

describe('sound', () => {
  testWith(missing, 'is off at first, sounds on request and is remembered', async () => {
    const service = await floor();
    const { page } = await open(service.url);
    await live(page);
    const off = page.getByRole('button', { name: 'Sound off' });
    expect(await off.getAttribute('aria-pressed')).toBe('false');
    await page.evaluate(`
      window.tones = [];
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (...when) {
        window.tones.push(this.frequency.value);
        return start.apply(this, when);
      };
    `);
    await off.click();
    await page.getByRole('button', { name: 'Sound on' }).waitFor();
    // The switch itself lets hear what a hold sounds like.
    await toneCount(page, 2);
    service.change(8, {
      findings: [findingOf({ id: '78.0', severity: 'stop', code: 'card.back' })],
    });
    await toneCount(page, 5);
    await page.reload();
    await page.getByRole('button', { name: /Sound (on|waits)/ }).waitFor();
  });
});
