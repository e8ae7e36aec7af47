import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { z } from 'zod';
import { type Missing, needsFile } from '../support/needs.js';

const CHROMIUM = '/usr/bin/chromium';
/** Where screenshots lie, from the project's root. */
const SCREENS = 'reports/screens';

/** Longest wait for anything on a page. */
const PATIENCE_MS = 60_000;

/** Nothing is looked up, updated or synchronised: the tests' machine has no outside. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const needsBrowser = (): Missing =>
  needsFile(CHROMIUM, 'the pages were not tested in a browser (npm run setup installs chromium)') ??
  needsFile('dist/pages/index.html', 'the pages are not built (npm run build)');

export interface Sheet {
  readonly page: Page;
  /** Errors of the page, blocked loads and requests to anywhere but this machine. */
  readonly complaints: string[];
}

/** A browser of its own for one test file. */
class TestBrowser {
  #context: BrowserContext | null = null;
  #folder = '';

  async start(): Promise<void> {
    this.#folder = mkdtempSync(join(tmpdir(), 'cutcard-browser-'));
    this.#context = await chromium.launchPersistentContext(this.#folder, {
      executablePath: CHROMIUM,
      args: FLAGS,
      colorScheme: 'dark',
      reducedMotion: 'reduce',
    });
  }

  async stop(): Promise<void> {
    await this.#context?.close();
    if (this.#folder !== '') rmSync(this.#folder, { recursive: true, force: true });
  }

  async open(url: string, size: { width: number; height: number }): Promise<Sheet> {
    if (this.#context === null) throw new Error('the browser was not started');
    const page = await this.#context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      // A cut line is logged by the browser itself; the tests of cut lines look at the page.
      const isNetwork = /net::ERR|Failed to load resource/.test(message.text());
      if (message.type() === 'error' && !isNetwork) complaints.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith('http://127.0.0.1:')) complaints.push(request.url());
    });
    await page.setViewportSize(size);
    await page.goto(url);
    return { page, complaints };
  }
}

export interface BrowserStage {
  readonly browser: TestBrowser;
  /** What is to be closed after the test, the last first. */
  readonly closing: (close: () => Promise<unknown>) => void;
}

/** The browser of a test file, from before its first test to after its last. */
export const browserStage = (missing: Missing): BrowserStage => {
  const browser = new TestBrowser();
  const closers: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    if (missing === null) await browser.start();
  });
  afterAll(() => browser.stop());
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  const closing = (close: () => Promise<unknown>): void => {
    closers.push(close);
  };
  return { browser, closing };
};

const Violations = z.array(
  z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }),
);

/** What axe finds wrong with a page as it is shown, one line each. */
export const axeFindings = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe.source);
  const found: unknown = await page.evaluate('axe.run().then((result) => result.violations)');
  return Violations.parse(found).flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
  );
};

export const screenshot = async (page: Page, name: string): Promise<void> => {
  mkdirSync(SCREENS, { recursive: true });
  await page.screenshot({ path: `${SCREENS}/${name}.png` });
};

/** Whether something sticks out of the window sideways. */
export const sticksOut = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
