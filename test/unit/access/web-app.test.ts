import { connect, Server, Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ListenError } from '../../../surveillance/access/listen.js';
import {
  type Listening,
  listenAt,
  newWebApp,
  shareOut,
} from '../../../surveillance/access/web-app.js';

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const Refused = z.looseObject({ error: z.string() });
const MAX = 8;
const serve = async (host: string): Promise<Listening> => {
  const app = newWebApp({
    ...{ tls: null, proxy: null, bodyBytes: 100, requestMs: 200, maxConnections: MAX },
  });
  app.get('/', () => ({ hello: true }));
  const listening = await listenAt(app, { host, port: 0, isTls: false });
  open.push(() => listening.stop());
  return listening;
};

/** What comes back for bytes that a browser would not send. */
const rawAnswer = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let heard = '';
    socket.on('data', (data) => (heard += data.toString('utf8')));
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(heard);
    });
  });

const bodyOf = (answer: string): unknown => JSON.parse(answer.split('\r\n\r\n')[1] ?? '');

test.each([
  ['bytes that are no request', 'what is this\r\n\r\n', 400, /no request that HTTP/],
  ['too many headers', `GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431, /too long/],
  [
    'an address that cannot be decoded',
    'GET /%E0%A4%A HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
    400,
    /not a valid url/,
  ],
])('%s are refused in the shape of every other answer', async (_what, bytes, status, why) => {
  const { port } = await serve('127.0.0.1');
  const answer = await rawAnswer(port, bytes);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const { error, ...more } = Refused.parse(bodyOf(answer));
  expect(error).toMatch(why);
  expect(more).toEqual({});
});

/** A connection as the server sees it, from any address. */
class FromAfar extends Socket {
  constructor(address: string) {
    super();
    Object.defineProperty(this, 'remoteAddress', { value: address });
  }
}

test('an address elsewhere holds a quarter of the connections; this machine all', async () => {
  const server = new Server();
  const proxy = { addresses: ['192.0.2.7'], userHeader: null };
  shareOut(server, { proxy, maxConnections: MAX });
  expect(server.maxConnections).toBe(MAX);
  const arrive = (address: string): Socket => {
    const socket = new FromAfar(address);
    server.emit('connection', socket);
    return socket;
  };
  const held = (address: string, count: number): readonly Socket[] =>
    Array.from({ length: count }, () => arrive(address)).filter((socket) => !socket.destroyed);

  const [first] = held('192.0.2.1', MAX);
  expect(held('::ffff:192.0.2.1', 1)).toHaveLength(0);
  expect(held('192.0.2.2', MAX)).toHaveLength(MAX / 4);
  for (const near of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '192.0.2.7']) {
    expect(held(near, MAX)).toHaveLength(MAX);
  }
  first?.destroy();
  await vi.waitFor(() => {
    expect(held('192.0.2.1', 2)).toHaveLength(1);
  });
});

test('where nobody may listen, it says which address and what to do', async () => {
  const { port } = await serve('127.0.0.1');
  const app = newWebApp({
    ...{ tls: null, proxy: null, bodyBytes: 100, requestMs: 200, maxConnections: MAX },
  });
  await expect(listenAt(app, { host: '127.0.0.1', port, isTls: false })).rejects.toThrow(
    new ListenError(
      `127.0.0.1:${port} is taken by another program. Choose another port, or 0 for any.`,
    ),
  );
});
