import { describe, expect } from 'vitest';
import { testWith } from '../support/needs.js';
import { axeFindings, screenshot, sticksOut } from './browser.js';
import { LiveTable, people } from './live-table.js';
import { baccarat, DESK, key, login, pressStage, reached, SMALL } from './press-stage.js';

const { missing, stage } = pressStage();

describe('the dealer display', () => {
  testWith(missing, 'presses through an opening by touch, and shows no rank after', async () => {
    const table = baccarat();
    const { page, complaints } = await stage(table, '/dealer');
    await page.getByText('Demo, nobody logged in: pressing as dealer').waitFor();
    for (const name of ['Open the table', 'Cards inspected', 'Washed', 'Shuffled by hand']) {
      await key(page, name).click();
      await page.getByText(`${name}: taken`).waitFor();
    }
    expect(table.phase).toBe('cut-due');
    await screenshot(page, 'dealer-keys-cut');
    await key(page, 'Cut by').click();
    // Only those whose turn it is are offered.
    const seats = page.locator('.pad button');
    expect(await seats.allInnerTexts()).toEqual(['Seat 7', 'Dealer']);
    await key(page, 'Seat 7').click();
    await page.getByText('How many cards deep?').waitFor();
    await screenshot(page, 'dealer-keys-number');
    expect(await page.locator('.pad').evaluate((pad) => pad.scrollHeight > pad.clientHeight)).toBe(
      false,
    );
    for (const digit of ['6', '0', 'Enter']) {
      await page.getByRole('button', { name: digit, exact: true }).click();
    }
    await page.getByText('Cut by: taken').waitFor();
    await key(page, 'Cover card placed').click();
    await key(page, 'Shoe loaded').click();
    await page.getByText('Shoe loaded: taken').waitFor();
    await table.cards(1);
    await key(page, 'First card').click();
    await screenshot(page, 'dealer-keys-rank');
    await page.getByRole('button', { name: 'Q', exact: true }).click();
    await page.getByText('First card: taken').waitFor();
    await page.getByRole('heading', { level: 1, name: /BURN 10 more/ }).waitFor();
    const text = await page.locator('body').innerText();
    expect(text).not.toMatch(/\bQ\b|queen/i);
    // Nor does what is left out of the pad tell which it was.
    await key(page, 'First card').click();
    expect(await page.locator('.pad button').count()).toBe(13);
    await page.keyboard.press('Escape');
    await table.cards(10);
    await key(page, 'No more bets').click();
    await reached(table, 'round');
    expect(table.presses.every((press) => / dealer -$/.test(press))).toBe(true);
    expect(complaints).toEqual([]);
  });

  testWith(missing, 'presses through an opening by keyboard alone', async () => {
    const table = baccarat();
    const { page } = await stage(table, '/dealer');
    const enter = async (phase: string): Promise<void> => {
      await page.locator('.key-next[aria-disabled="false"]').waitFor();
      await page.keyboard.press('Enter');
      await reached(table, phase);
    };
    await enter('opening');
    await page.getByText('Open the table: taken').waitFor();
    await enter('shuffle-due');
    await page.getByText('Cards inspected: taken').waitFor();
    await enter('shuffling');
    await page.getByText('Washed: taken').waitFor();
    await enter('cut-due');
    await page.getByText('Shuffled by hand: taken').waitFor();
    await page.locator('.key-next[aria-disabled="false"]').waitFor();
    await page.keyboard.press('1');
    await page.getByText('Who cut?').waitFor();
    // Enter pressed once more gives no answer that nobody chose.
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('How many cards deep?').waitFor();
    await page.keyboard.type('9990');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await page.getByText('Cut by: taken').waitFor();
    await enter('load-due');
    await page.getByText('Cover card placed: taken').waitFor();
    await enter('burn');
    await table.cards(1);
    await page.locator('.key-next[aria-disabled="false"]', { hasText: 'First card' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Rank of the first card').waitFor();
    await page.keyboard.press('5');
    await page.getByText('First card: taken').waitFor();
    await table.cards(5);
    await page.locator('.key-next', { hasText: 'No more bets' }).waitFor();
    await enter('round');
    await page.getByText('Cards this round').waitFor();
  });

  testWith(
    missing,
    'says a refusal with its clause, and a departure before and after',
    async () => {
      const table = baccarat();
      const { page } = await stage(table, '/dealer');
      await key(page, 'Open the table').waitFor();
      // Somebody at the keypad is faster: what this page still offers is not taken any more.
      await page.route('**/api/press', async (route) => {
        await table.tell({ kind: 'press', role: 'dealer', key: 'open-table' });
        await route.continue();
      });
      await key(page, 'Open the table').click();
      const alert = page.getByRole('alert');
      await alert.getByText('refused, the table is open already').waitFor();
      expect(await alert.innerText()).toContain('House policy: opening');
      await page.unroute('**/api/press');
      await table.tell(
        { kind: 'press', role: 'dealer', key: 'cards-inspected' },
        { kind: 'press', role: 'dealer', key: 'washed' },
        { kind: 'press', role: 'dealer', key: 'shuffled' },
      );
      await key(page, 'Other keys').click();
      await page.getByRole('button', { name: /Shoe loaded.*found as cut\.missing/ }).click();
      await alert.getByText(/taken, and found: OFFER THE CUT \(§ 631a\.5\(b\)\)/).waitFor();
      await screenshot(page, 'dealer-keys-departure');
    },
  );

  testWith(missing, 'fits 800 by 480 in each state, and axe finds nothing', async () => {
    const table = baccarat();
    const { page } = await stage(table, '/dealer');
    const found: string[] = [];
    const look = async (state: string): Promise<void> => {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        const lines = await axeFindings(page);
        found.push(...lines.map((line) => `${state} ${colorScheme}: ${line}`));
      }
      expect(await sticksOut(page), state).toBe(false);
      const foot = await page.locator('.pressing-as').boundingBox();
      expect(foot !== null && foot.y + foot.height <= SMALL.height, state).toBe(true);
      for (const button of await page.locator('.key').all()) {
        const box = await button.boundingBox();
        expect(box === null ? 0 : Math.min(box.width, box.height), state).toBeGreaterThan(38);
      }
    };
    await key(page, 'Open the table').waitFor();
    await look('closed');
    await key(page, 'Other keys').click();
    await look('other keys');
    await key(page, 'Replace a card').click();
    await page.getByText('Your badge').waitFor();
    await look('text');
    await key(page, 'Back').click();
    await table.tell(
      { kind: 'press', role: 'dealer', key: 'open-table' },
      { kind: 'press', role: 'dealer', key: 'cards-inspected' },
      { kind: 'press', role: 'dealer', key: 'shuffled' },
    );
    await key(page, 'Back to the step').click();
    await key(page, 'Cut by').click();
    await look('choice');
    await key(page, 'Dealer').click();
    await page.getByText('How many cards deep?').waitFor();
    await look('number');
    expect(found).toEqual([]);
  });
});

describe('a long instruction', () => {
  testWith(missing, 'shows whole beside the keys', async () => {
    const table = new LiveTable('pa/627a-minibaccarat');
    const { page } = await stage(table, '/dealer');
    await table.tell(
      { kind: 'press', role: 'dealer', key: 'open-table' },
      { kind: 'press', role: 'dealer', key: 'cards-inspected' },
      { kind: 'shuffler.start', batch: 'red' },
      { kind: 'shuffler.done', batch: 'red', count: 415, mode: 'shuffle', lamp: 'green' },
      { kind: 'press', role: 'dealer', key: 'loaded' },
    );
    await page.getByRole('heading', { level: 1, name: /STOP/ }).waitFor();
    await screenshot(page, 'dealer-keys-stop');
    const isCut = await page
      .locator('.lines')
      .evaluate((lines) => lines.scrollHeight > lines.clientHeight + 1);
    expect(isCut).toBe(false);
    expect(await axeFindings(page)).toEqual([]);
  });
});

describe('Enter on the dealer display', () => {
  testWith(missing, 'presses nothing while no key is the step', async () => {
    const table = baccarat();
    const { page } = await stage(table, '/dealer');
    await key(page, 'Open the table').waitFor();
    await key(page, 'Other keys').click();
    await page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
    await page.keyboard.press('Enter');
    await key(page, 'Back to the step').click();
    await table.tell(
      { kind: 'press', role: 'dealer', key: 'open-table' },
      { kind: 'press', role: 'dealer', key: 'cards-inspected' },
      { kind: 'press', role: 'dealer', key: 'washed' },
      { kind: 'press', role: 'dealer', key: 'loaded' },
    );
    // A stop is shown: its way out is no key of the dealer's.
    await page.getByRole('heading', { level: 1, name: /^STOP/ }).waitFor();
    expect(await page.locator('.key-next').count()).toBe(0);
    const before = table.presses.length;
    await page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
    await page.keyboard.press('Enter');
    await key(page, 'Other keys').click();
    await key(page, 'Cards dropped').click();
    await page.getByText(/Cards dropped: taken/).waitFor();
    expect(table.presses.slice(before)).toEqual(['spill dealer -']);
  });
});

describe('a login', () => {
  testWith(missing, 'lets in, says what was wrong, and out again', async () => {
    const table = baccarat();
    const { page } = await stage(table, '/dealer', SMALL, await people());
    await page.getByRole('heading', { name: 'Log in to this table' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await screenshot(page, 'login-small');
    // Before somebody types nothing is asked that would be refused.
    const refused: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() >= 400) refused.push(answer.url());
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Log in to this table' }).waitFor();
    expect(refused).toEqual([]);
    await login(page, 'dealer-1', 'not the right one');
    await page.getByRole('alert').getByText('do not belong together').waitFor();
    await login(page, 'dealer-1');
    await page.getByText('Pressing as dealer: dealer-1, badge D-1').waitFor();
    await key(page, 'Open the table').click();
    await page.getByText('Open the table: taken').waitFor();
    expect(table.presses).toEqual(['open-table dealer D-1']);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in to this table' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Log in to this table' }).waitFor();
  });

  testWith(missing, 'of a role that does not press here only looks', async () => {
    const table = baccarat();
    const { page, url } = await stage(table, '/floor', DESK, await people());
    await login(page, 'dealer-1');
    await page.getByText('dealer-1 presses nothing here').waitFor();
    expect(await page.locator('.keys').count()).toBe(0);
    // Past the page as well.
    const status = await page.evaluate(async () => {
      const answer = await fetch('/api/press', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-cutcard': '1' },
        body: JSON.stringify({ key: 'reshuffle', role: 'floor' }),
      });
      return answer.status;
    });
    expect(status).toBe(403);
    expect(table.presses).toEqual([]);
    await page.goto(`${url}/technician`);
    await page
      .getByRole('alert')
      .getByText(/takes the role technician/)
      .waitFor();
    expect(await page.getByText('Asking the table').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Technician' }).count()).toBe(0);
  });
});

describe('the technician page', () => {
  testWith(missing, 'shows lines, bytes and links with their ages, and no secret', async () => {
    const table = baccarat();
    const { page, complaints } = await stage(table, '/technician', DESK, await people());
    await login(page, 'tech-1');
    await page.getByRole('heading', { name: 'Serial lines' }).waitFor();
    const text = await page.locator('main').innerText();
    for (const words of [
      'beams 10 mm apart, card 63.5 mm',
      '02 43 4e 54 20 34 31 36 03',
      'not shown: ranks or badges',
      'silent for 10 s',
      'the line is taken by another program',
      'not synchronised',
      'set up chrony',
      '1 s ago',
    ]) {
      expect(text).toContain(words);
    }
    expect(await axeFindings(page)).toEqual([]);
    for (const [name, size] of Object.entries({ small: SMALL, desk: DESK })) {
      await page.setViewportSize(size);
      await screenshot(page, `technician-${name}`);
      expect(await sticksOut(page)).toBe(false);
    }
    expect(complaints).toEqual([]);
  });
});
