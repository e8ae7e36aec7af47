import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { FloorService } from '../../../surveillance/floor/service.js';

it('says since when there is no broker, not since when it was last tried', async () => {
  let tries = 0;
  const server = createServer((socket) => {
    tries += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const said: string[] = [];
  const write = (_fields: object, text: string) => void said.push(text);
  const service = await FloorService.start({
    store: ':memory:',
    broker: () => ({ host: '127.0.0.1', port, tls: null, mqtt: '5' }),
    consumer: 'historian',
    site: null,
    isShared: false,
    commandKey: null,
    expected: [],
    retentionYears: 1,
    version: '0.0.0-test',
    log: { debug: write, info: write, warn: write, error: write },
  });
  try {
    const sinceMs = () => service.state().broker.sinceMs;
    await expect.poll(sinceMs, { timeout: 30_000 }).not.toBeNull();
    const first = sinceMs();
    const before = tries;
    await expect.poll(() => tries, { timeout: 60_000 }).toBeGreaterThan(before + 3);
    expect(service.state().broker).toEqual({ up: false, sinceMs: first });
    expect(said.filter((text) => text === 'no link to the broker')).toHaveLength(1);
  } finally {
    await service.stop();
    server.close();
  }
}, 120_000);
