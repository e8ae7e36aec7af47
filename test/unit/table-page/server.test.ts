import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { startTablePage, type TablePage } from '../../../surveillance/table-page/server.js';
import { MAX_WATCHERS } from '../../../surveillance/table-page/stream.js';
import { FakeTable } from '../../fakes/table-page-source.js';
import { StreamReader } from '../../support/event-stream.js';

const Sent = z.object({
  view: z.object({ seq: z.number(), out: z.number() }),
  lines: z.array(z.object({ seq: z.number(), text: z.string() })),
  linesMissed: z.boolean(),
});

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const serve = async (source: FakeTable): Promise<TablePage> => {
  const page = await startTablePage({ source, port: 0 });
  open.push(() => page.stop());
  return page;
};

const watch = async (page: TablePage, lastEventId?: string): Promise<StreamReader> => {
  const reader = await StreamReader.open(`${page.url}/api/stream`, lastEventId);
  open.push(() => {
    reader.cut();
  });
  return reader;
};

const tables = (reader: StreamReader) =>
  reader.events.filter(({ event }) => event === 'table').map(({ data }) => Sent.parse(data));

/** Status of a request with the headers given, past what `fetch` allows. */
const statusOf = (url: string, method: string, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const call = request(url, { method, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on('error', reject).end();
  });

describe('the table page server', () => {
  test('tells the table as JSON, with headers that let nothing else in', async () => {
    const table = new FakeTable();
    table.step({ phase: 'ready', loaded: 416, out: 11, left: 405 }, 'burn done');
    const page = await serve(table);
    const answer = await fetch(`${page.url}/api/table`);
    expect(answer.status).toBe(200);
    const body = Sent.parse(await answer.json());
    expect(body).toMatchObject({ view: { seq: 1, out: 11 }, lines: [{ text: 'burn done' }] });
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('passes on no field it does not know', async () => {
    const table = new FakeTable();
    table.step(Object.assign({ out: 3 }, { faces: ['Kd'], secret: 'Kd' }));
    const page = await serve(table);
    const text = await (await fetch(`${page.url}/api/table`)).text();
    expect(text).not.toContain('Kd');
  });

  test('streams each change, and what a page missed when it comes back', async () => {
    const table = new FakeTable();
    table.step({ out: 1 }, 'first');
    const page = await serve(table);
    const before = await watch(page);
    await vi.waitFor(() => {
      expect(tables(before)).toHaveLength(1);
    });
    table.step({ out: 2 }, 'second');
    await vi.waitFor(() => {
      expect(tables(before).at(-1)).toMatchObject({ view: { out: 2 }, lines: [{ seq: 2 }] });
    });
    const { id } = before.events.at(-1) ?? { id: null };
    expect(id).toBe('2');
    before.cut();
    table.step({ out: 3 }, 'third');
    table.step({ out: 4 }, 'fourth');
    const after = await watch(page, '2');
    await vi.waitFor(() => {
      expect(tables(after)[0]?.lines.map(({ text }) => text)).toEqual(['third', 'fourth']);
    });
    expect(tables(after)[0]?.linesMissed).toBe(false);
  });

  test('says so when the lines between are no longer kept', async () => {
    const table = new FakeTable();
    for (let i = 1; i <= 300; i += 1) table.step({ out: i });
    const page = await serve(table);
    const reader = await watch(page, '5');
    await vi.waitFor(() => {
      expect(tables(reader)[0]).toMatchObject({ linesMissed: true, view: { out: 300 } });
    });
    expect(tables(reader)[0]?.lines).toHaveLength(200);
  });

  test('sends everything to a page that looked at another journal', async () => {
    const table = new FakeTable();
    table.step({}, 'only');
    const page = await serve(table);
    const reader = await watch(page, '9000');
    await vi.waitFor(() => {
      expect(tables(reader)[0]).toMatchObject({ lines: [{ text: 'only' }], linesMissed: false });
    });
  });

  test('joins a burst of steps into few messages and loses no line', async () => {
    const table = new FakeTable();
    const page = await serve(table);
    const reader = await watch(page);
    await vi.waitFor(() => {
      expect(tables(reader)).toHaveLength(1);
    });
    for (let i = 1; i <= 100; i += 1) table.step({ out: i });
    await vi.waitFor(() => {
      expect(tables(reader).at(-1)?.view.out).toBe(100);
    });
    expect(tables(reader).length).toBeLessThan(5);
    expect(tables(reader).flatMap(({ lines }) => lines)).toHaveLength(100);
  });

  test('beats while nothing changes', async () => {
    const page = await serve(new FakeTable());
    const reader = await watch(page);
    await vi.waitFor(
      () => {
        expect(reader.events.some(({ event }) => event === 'beat')).toBe(true);
      },
      { timeout: 5000 },
    );
  });

  test('a page that reads slowly gets the newest state, and holds little memory here', async () => {
    const table = new FakeTable();
    const page = await serve(table);
    const slow = await watch(page);
    await vi.waitFor(() => {
      expect(tables(slow)).toHaveLength(1);
    });
    slow.pause();
    const long = 'x'.repeat(4000);
    // About 0.8 MB a message: sockets fill after a few.
    for (let round = 0; round < 20; round += 1) {
      for (let i = 0; i < 200; i += 1) table.step({ out: round * 200 + i + 1 }, long);
      await new Promise((resolve) => setTimeout(resolve, 110));
    }
    slow.resume();
    await vi.waitFor(
      () => {
        expect(tables(slow).at(-1)?.view.out).toBe(4000);
      },
      { timeout: 5000 },
    );
    expect(tables(slow).length).toBeLessThan(20);
  });

  test('takes on a bounded number of pages and lets go of those that leave', async () => {
    const table = new FakeTable();
    const page = await serve(table);
    const readers = [];
    for (let i = 0; i < MAX_WATCHERS; i += 1) readers.push(await watch(page));
    const refused = await watch(page);
    expect(refused.status).toBe(503);
    expect(refused.header('retry-after')).toBe('10');
    readers[0]?.cut();
    await vi.waitFor(() => {
      expect(page.watchers()).toBe(MAX_WATCHERS - 1);
    });
    expect((await watch(page)).status).toBe(200);
  });

  test('answers a flood of requests with a limit', async () => {
    const page = await serve(new FakeTable());
    const statuses = new Map<number, number>();
    for (let i = 0; i < 620; i += 1) {
      const { status } = await fetch(`${page.url}/health`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(statuses.get(200)).toBe(600);
    expect(statuses.get(429)).toBe(20);
  });

  test('ends its streams and its subscription when it stops, twice over', async () => {
    const table = new FakeTable();
    const page = await serve(table);
    const reader = await watch(page);
    expect(table.listeners).toBe(1);
    await page.stop();
    await page.stop();
    await vi.waitFor(() => {
      expect(reader.closed).toBe(true);
    });
    expect(table.listeners).toBe(0);
  });

  test('answers only to its own name and only to readers', async () => {
    const page = await serve(new FakeTable());
    const url = `${page.url}/api/table`;
    expect(await statusOf(url, 'GET', 'localhost:8080')).toBe(200);
    expect(await statusOf(url, 'GET', '[::1]:8080')).toBe(200);
    expect(await statusOf(url, 'GET', 'table.example')).toBe(421);
    expect(await statusOf(url, 'GET', '127.0.0.1.example')).toBe(421);
    expect(await statusOf(url, 'POST', 'localhost')).toBe(403);
    expect((await fetch(`${page.url}/nothing`)).status).toBe(404);
    expect((await fetch(`${page.url}/..%2f..%2fpackage.json`)).status).toBe(404);
  });

  test('refuses to listen where others could reach it', async () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.10', 'table.example']) {
      await expect(startTablePage({ source: new FakeTable(), host, port: 0 })).rejects.toThrow(
        /no login is set: set a list of users.*listen on 127\.0\.0\.1/,
      );
    }
  });

  test('names a port that is taken, and the cure', async () => {
    const page = await serve(new FakeTable());
    await expect(startTablePage({ source: new FakeTable(), port: page.port })).rejects.toThrow(
      /taken by another program. Choose another port/,
    );
  });

  test('serves pages that an update put in the place of those it began with', async () => {
    const pages = mkdtempSync(join(tmpdir(), 'pages-'));
    open.push(() => rmSync(pages, { recursive: true }));
    const put = (name: string): void => {
      rmSync(join(pages, 'assets'), { recursive: true, force: true });
      mkdirSync(join(pages, 'assets'));
      writeFileSync(join(pages, 'assets', name), `// ${name}`);
      writeFileSync(join(pages, 'index.html'), `<script src="/assets/${name}"></script>`);
    };
    put('old.js');
    const page = await startTablePage({ source: new FakeTable(), port: 0, pages });
    open.push(() => page.stop());
    expect(await (await fetch(`${page.url}/assets/old.js`)).text()).toBe('// old.js');
    put('new.js');
    expect(await (await fetch(`${page.url}/dealer`)).text()).toContain('/assets/new.js');
    expect(await (await fetch(`${page.url}/assets/new.js`)).text()).toBe('// new.js');
    expect((await fetch(`${page.url}/`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${page.url}/assets/old.js`)).status).toBe(404);
    expect((await fetch(`${page.url}/assets/`)).status).toBe(403);
    expect((await fetch(`${page.url}/api/nothing`)).status).toBe(404);
  });

  test('says what to do when the pages were not built', async () => {
    const page = await startTablePage({ source: new FakeTable(), port: 0, pages: '/nowhere' });
    open.push(() => page.stop());
    const answer = await fetch(`${page.url}/`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('npm run build');
  });
});
