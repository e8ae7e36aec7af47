import { describe, expect } from 'vitest';
import { testWith } from '../support/needs.js';
import { live, logIn, wallBench } from './wall-sheet.js';

const { missing, floor, open } = wallBench();

const PAST = '#/table/harbour/pit-1/EZB-008?shoe=2&seq=15';

describe('one table', () => {
  testWith(missing, 'shows the shoe as a strip, the one in play and those before', async () => {
    const service = await floor();
    const { page, complaints } = await open(`${service.url}/#/wall`);
    await live(page);
    await page.locator('a.tile[data-key$="/EZB-008"]').click();
    const strip = page.getByRole('slider');
    await strip.waitFor();
    expect(await strip.getAttribute('aria-label')).toMatch(/^Shoe 3: 416 cards loaded/);
    await page.getByLabel('Which shoe').selectOption('2');
    await page.getByRole('slider', { name: /^Shoe 2:/ }).waitFor();
    expect(await strip.getAttribute('aria-label')).toMatch(
      /402 came out, 8 of them burnt, \d+ rounds, cover card after \d+ cards, 1 findings/,
    );
    // One tick a card: a path that moves to each of them.
    const ticks = await page
      .locator('.strip .ticks')
      .evaluateAll((paths) =>
        paths.map((path) => (path.getAttribute('d') ?? '').split('M').length - 1),
      );
    expect(ticks).toEqual([402 - 8 - 4, 8, 4]);
    expect(await page.locator('.strip .cover-mark').count()).toBe(1);
    expect(await page.locator('.strip .flag').count()).toBe(1);
    expect(await page.locator('.strip .round').count()).toBeGreaterThan(50);
    expect(complaints).toEqual([]);
  });

  testWith(
    missing,
    'steps through an incident by buttons and keys, as each role saw it',
    async () => {
      const service = await floor();
      const { page } = await open(`${service.url}/${PAST}`);
      await live(page);
      const dealer = page.getByLabel("The dealer's display");
      const floorSaw = page.getByLabel("The floor's page");
      const told = page.getByLabel('What surveillance was told');
      await dealer.getByText('DEAL', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Forward' }).click();
      await dealer.getByText('STOP', { exact: true }).waitFor();
      expect(await dealer.innerText()).toMatch(/Call the floor[\s\S]*Gate locked/);
      expect(await floorSaw.innerText()).toMatch(/1 open finding[\s\S]*burn\.over/);
      expect(await told.innerText()).toContain('raised burn.over (stop)');
      await page.keyboard.press('ArrowRight');
      await floorSaw.getByText('1 card after the warning').waitFor();
      expect(await told.innerText()).toContain('This row told it nothing new');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      await dealer.getByText('DEAL', { exact: true }).waitFor();
      await page.keyboard.press('Shift+ArrowRight');
      await page.getByText(/^Row 16/).waitFor();
      // The address says where one is: it can be sent to somebody else.
      await page.waitForURL(/seq=16/);
      await page.getByLabel('Rows around it').getByText('floor pressed "clear"').click();
      await page.getByText(/^Row 20/).waitFor();
      await page.getByRole('slider').focus();
      await page.keyboard.press('ArrowLeft');
      await page.getByText(/^Row 19/).waitFor();
    },
  );

  testWith(missing, 'gives evidence bundles and lists voided rounds', async () => {
    const service = await floor();
    const { page } = await open(`${service.url}/${PAST}`);
    await live(page);
    const findings = page.getByRole('region', { name: /Open findings/ });
    const downloading = page.waitForEvent('download');
    await findings.getByRole('link', { name: 'Evidence of burn.over' }).click();
    expect((await downloading).suggestedFilename()).toBe('evidence.html');
    expect(service.asked).toContain('GET /api/tables/harbour/pit-1/EZB-008/evidence?finding=16.0');
    const voids = page.getByRole('region', { name: 'Voided rounds' });
    expect(await voids.innerText()).toMatch(/Shoe 2, round 9 · 5 cards · floor 41/);
    await voids.getByRole('button', { name: /Step through/ }).click();
    await page.getByText(/^Row 88/).waitFor();
    const rows = page.getByRole('region', { name: 'Evidence bundle' });
    await rows.getByLabel('Rows').fill('10');
    await rows.getByLabel('to').fill('20');
    expect(await rows.getByRole('link').getAttribute('href')).toMatch(/evidence\?from=10&to=20$/);
    expect(await rows.getByText(/signed/).count()).toBe(0);
    // Behind the newest signature: said before anybody fetches it.
    await rows.getByLabel('to').fill('5000');
    await rows.getByText(/Rows from 1008 on are not signed yet/).waitFor();
  });
});

describe('alerts', () => {
  testWith(missing, 'an operator acknowledges with a note; it is in the audit trail', async () => {
    const service = await floor();
    const { page, complaints } = await open(`${service.url}/#/alerts`);
    await live(page);
    await page.getByText('4 findings shown').waitFor();
    await page.getByRole('button', { name: /Acknowledge burn.over/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Note').fill('Pit called, cards counted');
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    const row = page.getByRole('row', { name: /burn.over/ });
    await row.getByText('Pit called, cards counted').waitFor();
    expect(await row.innerText()).toMatch(/✓ anybody at this machine/);
    await page.getByRole('link', { name: 'Audit trail' }).click();
    await page.getByRole('cell', { name: 'harbour/pit-1/EZB-008 16.0' }).waitFor();
    expect(complaints).toEqual([]);
  });

  testWith(missing, 'a viewer is told why not, and an auditor alone reads the trail', async () => {
    const service = await floor({ hasLogin: true });
    const { page } = await open(`${service.url}/#/alerts`);
    await logIn(page, 'victor');
    const row = page.getByRole('row', { name: /burn.over/ });
    await row.getByText('Acknowledging takes the role operator.').waitFor();
    expect(await page.getByRole('button', { name: /^Acknowledge/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Audit trail' }).click();
    await page.getByRole('alert').getByText('It takes the role auditor.').waitFor();
  });

  testWith(missing, 'filters, saves the search, and shows it again', async () => {
    const service = await floor();
    const { page } = await open(`${service.url}/#/alerts`);
    await live(page);
    await page.getByLabel('State').selectOption('');
    await page.getByText('16 findings shown').waitFor();
    await page.getByLabel('Severity').selectOption('stop');
    await page.getByText('1 findings shown').waitFor();
    await page.getByLabel('Title of this search').fill('All stops');
    await page.getByRole('button', { name: 'Save search' }).click();
    const saved = page.getByRole('button', { name: 'All stops', exact: true });
    await saved.waitFor();
    await page.getByLabel('Severity').selectOption('hold');
    await page.getByText('2 findings shown').waitFor();
    await saved.click();
    await page.getByText('1 findings shown').waitFor();
    expect(await saved.getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Delete the search All stops' }).click();
    await saved.waitFor({ state: 'detached' });
  });

  testWith(missing, 'the hand-over lists what is open and takes notes', async () => {
    const service = await floor();
    const { page } = await open(`${service.url}/#/handover`);
    await live(page);
    const notHeard = page.getByRole('region', { name: 'Tables not heard' });
    expect(await notHeard.innerText()).toMatch(/WAR-022[\s\S]*WAR-034[\s\S]*HIL-091/);
    await page.getByLabel('Note for the next shift').fill('Shuffler at BAC-041 is slow');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByRole('region', { name: /Notes/ }).getByText('BAC-041 is slow').waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
    expect(await page.getByRole('heading', { name: 'Shift hand-over' }).isVisible()).toBe(true);
  });
});

describe('reports and trends', () => {
  testWith(missing, 'a report opens to be printed and comes as CSV', async () => {
    const service = await floor();
    const { page } = await open(`${service.url}/#/reports`);
    await live(page);
    const shoe = page.getByRole('region', { name: 'One shoe' });
    expect(await shoe.getByRole('link').count()).toBe(0);
    await shoe.getByLabel('Table').fill('harbour/pit-1/BAC-001');
    await shoe.getByLabel('Shoe', { exact: true }).fill('2');
    const downloading = page.waitForEvent('download');
    await shoe.getByRole('link', { name: /CSV/ }).click();
    await downloading;
    expect(service.asked.at(-1)).toBe(
      'GET /reports/shoe?table=harbour%2Fpit-1%2FBAC-001&shoe=2&format=csv',
    );
    expect(await shoe.getByRole('link', { name: /Open to print/ }).getAttribute('target')).toBe(
      '_blank',
    );
  });

  testWith(missing, 'trends are charts, and the same figures as a table', async () => {
    const service = await floor();
    const { page, complaints } = await open(`${service.url}/#/trends`);
    await live(page);
    const burns = page.getByRole('region', { name: 'Missed burns' });
    await burns.locator('canvas').waitFor();
    expect(await page.locator('canvas').count()).toBe(6);
    await burns.getByRole('button', { name: /As a table/ }).click();
    expect(await burns.getByRole('row').count()).toBe(31);
    const stops = page.getByRole('region', { name: 'Time to stop' });
    await stops.getByRole('button', { name: /As a table/ }).click();
    // A day without a stop has no time to stop: not a zero.
    expect(await stops.getByRole('row').nth(1).innerText()).toMatch(/none\s+none/);
    expect(complaints).toEqual([]);
  });
});
