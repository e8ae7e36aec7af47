import { describe, expect } from 'vitest';
import { testWith } from '../support/needs.js';
import { axeFindings, screenshot } from './browser.js';
import { LiveTable, people } from './live-table.js';
import { DESK, key, login, pressStage, SMALL } from './press-stage.js';

const { missing, stage } = pressStage();

/** A new shoe: its first card, a two, and so many behind it. */
const burn = async (table: LiveTable, cards: number): Promise<void> => {
  await table.tell(
    { kind: 'press', role: 'dealer', key: 'open-table' },
    { kind: 'press', role: 'dealer', key: 'cards-inspected' },
    { kind: 'shuffler.start', batch: 'red' },
    { kind: 'shuffler.done', batch: 'red', count: 416, mode: 'shuffle', lamp: 'green' },
    { kind: 'press', role: 'dealer', key: 'cut', by: 'dealer' },
    { kind: 'press', role: 'dealer', key: 'marker-placed' },
    { kind: 'press', role: 'dealer', key: 'loaded' },
  );
  await table.cards(1);
  await table.tell({ kind: 'press', role: 'dealer', key: 'first-card', rank: '2' });
  await table.cards(cards);
};

describe('the floor page', () => {
  testWith(missing, 'clears a finding with its remedy, by keyboard', async () => {
    const table = new LiveTable('pa/627a-minibaccarat');
    const users = await people();
    const { page, complaints } = await stage(table, '/floor', DESK, users);
    await login(page, 'floor-1');
    await page.getByText('Pressing as floor: floor-1, badge F-1').waitFor();
    await burn(table, 4);
    await page.getByText('burn.over').first().waitFor();
    await screenshot(page, 'floor-keys-stop');
    const clear = page.getByRole('button', { name: 'Clear burn.over' });
    await clear.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Clear a finding: taken').waitFor();
    await page.getByText('None. The table follows its procedure.').waitFor();
    expect(table.presses.at(-1)).toBe('clear floor F-1');
    expect(table.loop.state().findings).toEqual([]);
    expect(table.trail.map(({ action, who }) => `${action} ${who ?? ''}`)).toEqual([
      'login floor-1',
      'press floor-1',
    ]);
    expect(complaints).toEqual([]);
  });

  testWith(missing, 'takes a hand count of two people, and the number keyed', async () => {
    const table = new LiveTable('pa/627a-minibaccarat');
    const { page } = await stage(table, '/floor', SMALL, await people());
    await login(page, 'floor-1');
    await key(page, 'Counted by hand').click();
    await key(page, 'Red').click();
    await page.keyboard.type('416');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Badge of the second person' }).fill('F-1');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/refused, a hand count takes two people/)
      .waitFor();
    await key(page, 'Counted by hand').click();
    await key(page, 'Red').click();
    for (const digit of ['4', '1', '6', 'Enter']) {
      await page.getByRole('button', { name: digit, exact: true }).click();
    }
    await page.getByRole('textbox', { name: 'Badge of the second person' }).fill('F-2');
    await page.keyboard.press('Enter');
    await page.getByText('Counted by hand: taken').waitFor();
    expect(table.loop.state().batches['red']).toMatchObject({ lastCount: 416, countedBy: 'hand' });
  });
});

describe('an order of the floor', () => {
  const deal = async (table: LiveTable): Promise<void> => {
    await burn(table, 2);
    await table.tell({ kind: 'press', role: 'dealer', key: 'no-more-bets' });
    expect(table.phase).toBe('round');
  };

  testWith(missing, 'is given by no key of the keyboard in passing', async () => {
    const table = new LiveTable('pa/627a-minibaccarat');
    const { page } = await stage(table, '/floor', DESK);
    await deal(table);
    await key(page, 'Order a reshuffle').waitFor();
    const before = table.loop.state().seq;
    const keys = ['Enter', 'Space', 'NumpadEnter', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
    const pressAll = async (): Promise<void> => {
      for (const name of keys) await page.keyboard.press(name);
    };
    await pressAll();
    // The focus has run past the last control: the document has it.
    const controls = await page.locator('a, button, [tabindex="0"]').count();
    for (let i = 0; i <= controls; i += 1) await page.keyboard.press('Tab');
    await page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
    await pressAll();
    await table.tell({ kind: 'card.back' });
    await page.getByRole('button', { name: 'Clear card.back' }).waitFor();
    await pressAll();
    // What was pressed would stand in the journal before this.
    await page.getByRole('button', { name: 'Seen card.back' }).click();
    await page.getByText('Seen: taken').waitFor();
    expect(table.presses.slice(-2)).toEqual(['no-more-bets dealer -', 'acknowledge floor -']);
    expect(table.loop.state().seq).toBe(before + 2);
    expect(table.phase).toBe('round');
  });

  testWith(
    missing,
    'that ends the shoe is asked once more, and Enter does not say yes',
    async () => {
      const table = new LiveTable('pa/627a-minibaccarat');
      const { page } = await stage(table, '/floor', DESK);
      await deal(table);
      const order = key(page, 'Order a reshuffle');
      const shoe = table.loop.state().shoe.no;
      await order.focus();
      await page.keyboard.press('Enter');
      await page.getByText('The shoe ends here').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await screenshot(page, 'floor-keys-sure');
      for (const name of ['Enter', '1', 'y', 'Enter']) await page.keyboard.press(name);
      await page.getByText('The shoe ends here').waitFor();
      await key(page, 'No').click();
      await order.click();
      await page.keyboard.press('Escape');
      await order.waitFor();
      expect([table.phase, table.loop.state().shoe.no]).toEqual(['round', shoe]);
      await order.click();
      await key(page, 'Yes: Order a reshuffle').click();
      await page.getByText('Order a reshuffle: taken').waitFor();
      expect(table.presses.filter((press) => press.startsWith('reshuffle'))).toHaveLength(1);
      expect(table.phase).toBe('shuffle-due');
    },
  );

  testWith(missing, 'stands at its finding, by the name its task says', async () => {
    const table = new LiveTable('pa/627a-minibaccarat');
    const { page } = await stage(table, '/floor', DESK);
    await deal(table);
    await table.tell({ kind: 'power.boot', boot: 2, unclean: true });
    const finding = page.locator('.finding', { hasText: 'gap.unwatched' });
    await finding.getByText(/Say how many cards left the shoe \(“Cards left unseen”\)/).waitFor();
    await screenshot(page, 'floor-keys-gap');
    expect(await axeFindings(page)).toEqual([]);
    // At the finding, and nowhere beside it.
    expect(await page.getByRole('button', { name: /Cards left unseen/ }).count()).toBe(1);
    await finding.getByRole('button', { name: /Order a reshuffle/ }).waitFor();
    await finding.getByRole('button', { name: /Cards left unseen/ }).click();
    await finding.getByText('Cards that left the shoe unseen').waitFor();
    await page.keyboard.type('2');
    await page.keyboard.press('Enter');
    await page.getByText('Cards left unseen: taken').waitFor();
    expect(table.loop.state().findings).toEqual([]);
    expect(table.loop.state().shoe.out).toBe(5);
  });
});
