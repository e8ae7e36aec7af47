import { createServer, type Server, type Socket } from 'node:net';
import { generate, type Packet, parser } from 'mqtt-packet';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MqttTransport } from '../../../surveillance/mqtt/mqtt-transport.js';
import type { Link, LinkEnd, OutMessage } from '../../../surveillance/mqtt/transport.js';

const LIMIT = { timeout: 30_000, interval: 5 };
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Takes what comes, in order; answers CONNECT, and the rest as the test wants. */
const listening = async (
  answer: (packet: Packet, socket: Socket) => void = () => undefined,
): Promise<{ port: number; packets: Packet[]; sockets: Socket[] }> => {
  const packets: Packet[] = [];
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    const read = parser({ protocolVersion: 5 });
    read.on('packet', (packet: Packet) => {
      packets.push(packet);
      if (packet.cmd === 'connect') {
        const connack: Packet = { cmd: 'connack', sessionPresent: false, reasonCode: 0 };
        socket.write(generate(connack, { protocolVersion: 5 }));
      } else answer(packet, socket);
    });
    socket.on('data', (chunk) => read.parse(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, packets, sockets };
};

const message = (payload: string, qos: 0 | 1 = 1): OutMessage => ({
  topic: 't',
  payload,
  qos,
  retain: false,
});

interface Opened {
  readonly link: Link;
  readonly closed: LinkEnd[];
  readonly heard: string[];
}

const open = (port: number, up: (link: Link) => void): Opened => {
  const [closed, heard]: [LinkEnd[], string[]] = [[], []];
  const link: Link = new MqttTransport({ host: '127.0.0.1', port, mqtt: '5', tls: null }).open(
    { clientId: 'a', will: message('gone'), keepAliveS: 12, connectTimeoutMs: 20_000 },
    {
      up: () => up(link),
      message: ({ payload }) => heard.push(Buffer.from(payload).toString()),
      room: () => undefined,
      closed: (end) => closed.push(end),
    },
  );
  ends.push(() => link.drop('the test is over'));
  return { link, closed, heard };
};

const said = (packets: readonly Packet[]): string[] =>
  packets.map((packet) =>
    packet.cmd === 'publish' ? `publish ${packet.payload.toString()}` : packet.cmd,
  );

describe('a link to a broker', () => {
  it('what the library sends and what goes past it leave in the order they were sent', async () => {
    const { port, packets } = await listening();
    open(port, (link) => {
      // The broker must know what we want to hear before it hears of us.
      link.subscribe(['x'], () => undefined);
      link.publish(message('1'), () => undefined);
      link.publish(message('2', 0), () => undefined);
      link.publish(message('3'), () => undefined);
      link.subscribe(['y'], () => undefined);
      link.publish(message('4'), () => undefined);
    });
    await vi.waitFor(() => expect(packets).toHaveLength(7), LIMIT);
    expect(said(packets)).toEqual([
      'connect',
      'subscribe',
      'publish 1',
      'publish 2',
      'publish 3',
      'subscribe',
      'publish 4',
    ]);
  });

  it('a PUBACK that is none ends the link and says why', async () => {
    const { port } = await listening((packet, socket) => {
      if (packet.cmd === 'publish') socket.write(Buffer.from([0x40, 0x01, 0x07]));
    });
    const { closed } = open(port, (link) => link.publish(message('1'), () => undefined));
    await vi.waitFor(() => expect(closed).toHaveLength(1), LIMIT);
    expect(closed[0]).toEqual({
      kind: 'lost',
      reason: 'the broker sent a PUBACK that names no message',
    });
  });

  it('a flood of messages is taken whole, in order, with PUBACKs among them', async () => {
    const count = 20_000;
    const { port } = await listening((packet, socket) => {
      if (packet.cmd !== 'publish') return;
      const flood = Array.from({ length: count }, (_, i) =>
        generate(
          { cmd: 'publish', topic: 't', payload: `${i}`, qos: 0, dup: false, retain: false },
          { protocolVersion: 5 },
        ),
      );
      const ack = generate(
        { cmd: 'puback', messageId: packet.messageId ?? 0 },
        { protocolVersion: 5 },
      );
      flood.splice(count / 2, 0, ack);
      socket.write(Buffer.concat(flood));
    });
    const refusals: (string | null)[] = [];
    const { heard } = open(port, (link) => {
      link.publish(message('1'), (refusal) => refusals.push(refusal));
    });
    await vi.waitFor(() => expect(heard).toHaveLength(count), LIMIT);
    expect(heard).toEqual(Array.from({ length: count }, (_, i) => `${i}`));
    expect(refusals).toEqual([null]);
  });

  it('a broker that is not there, or hangs up, ends the link once and says so', async () => {
    const { port, sockets } = await listening();
    const { closed } = open(port, () => sockets[0]?.destroy());
    await vi.waitFor(() => expect(closed).toHaveLength(1), LIMIT);
    expect(closed[0]?.kind).toBe('lost');
    const nobody = open(1, () => undefined);
    await vi.waitFor(() => expect(nobody.closed).toHaveLength(1), LIMIT);
    expect(nobody.closed[0]?.reason).toContain('ECONNREFUSED');
  });
});
