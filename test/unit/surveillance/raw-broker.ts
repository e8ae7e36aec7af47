import { createServer, type Server, type Socket } from 'node:net';
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet';

type Publish = Extract<Packet, { cmd: 'publish' }>;

export interface RawRules {
  /** Properties of CONNACK (MQTT 5). */
  readonly receiveMaximum?: number;
  readonly maximumPacketSize?: number;
  /** `silent`: no CONNACK; a number: refused with it; `throw-out`: closed right after CONNACK. */
  readonly connack?: 'silent' | 'throw-out' | number;
  /** What to do with the n-th QoS 1 publish of this connection (from 1). */
  readonly onPublish?: (n: number, packet: Publish, answer: Answer) => void;
}

export interface Answer {
  /** Acknowledges the packet, with an MQTT 5 reason where one is given. */
  ack(reasonCode?: number): void;
  drop(): void;
  raw(bytes: Buffer): void;
}

/** A broker of a few lines that does exactly what a test tells it, wrong things too. */
export class RawBroker {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly connects: IConnectPacket[] = [];
  /** QoS 1 publishes of all connections, in order of arrival. */
  readonly publishes: Publish[] = [];
  /** Most QoS 1 publishes that were unacknowledged at once. */
  mostOpen = 0;
  rules: RawRules = {};
  port = 0;

  constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()));
    const address = this.#server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
    return this;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  dropAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const connection = { version: 5, n: 0, open: new Set<number>() };
    const read = parser({ protocolVersion: 5 });
    read.on('packet', (packet: Packet) => this.#packet(socket, connection, packet));
    read.on('error', () => socket.destroy());
    socket.on('data', (chunk) => read.parse(chunk));
  }

  #packet(
    socket: Socket,
    connection: { version: number; n: number; readonly open: Set<number> },
    packet: Packet,
  ): void {
    const send = (answer: Packet): void => {
      if (!socket.destroyed) {
        socket.write(generate(answer, { protocolVersion: connection.version }));
      }
    };
    if (packet.cmd === 'connect') {
      connection.version = packet.protocolVersion ?? 4;
      this.#connect(socket, packet, send);
    } else if (packet.cmd === 'pingreq') send({ cmd: 'pingresp' });
    else if (packet.cmd === 'subscribe') {
      const { messageId = 0 } = packet;
      send({ cmd: 'suback', messageId, granted: packet.subscriptions.map(() => 1) });
    } else if (packet.cmd === 'disconnect') socket.end();
    else if (packet.cmd === 'publish' && packet.qos === 1) {
      this.#publish(socket, connection, packet, send);
    }
  }

  #connect(socket: Socket, packet: IConnectPacket, send: (answer: Packet) => void): void {
    this.connects.push(packet);
    const { connack, receiveMaximum, maximumPacketSize } = this.rules;
    if (connack === 'silent') return;
    const reasonCode = typeof connack === 'number' ? connack : 0;
    send({
      cmd: 'connack',
      sessionPresent: false,
      reasonCode,
      returnCode: reasonCode,
      properties: {
        ...(receiveMaximum === undefined ? {} : { receiveMaximum }),
        ...(maximumPacketSize === undefined ? {} : { maximumPacketSize }),
      },
    });
    if (connack === 'throw-out') socket.end();
  }

  #publish(
    socket: Socket,
    connection: { n: number; readonly open: Set<number> },
    packet: Publish,
    send: (answer: Packet) => void,
  ): void {
    const { messageId = 0 } = packet;
    connection.n += 1;
    connection.open.add(messageId);
    this.mostOpen = Math.max(this.mostOpen, connection.open.size);
    this.publishes.push(packet);
    const answer: Answer = {
      ack: (reasonCode = 0) => {
        connection.open.delete(messageId);
        send({ cmd: 'puback', messageId, reasonCode });
      },
      drop: () => {
        socket.destroy();
      },
      raw: (bytes) => {
        socket.write(bytes);
      },
    };
    if (this.rules.onPublish === undefined) answer.ack();
    else this.rules.onPublish(connection.n, packet, answer);
  }

  /** Sequence numbers of the events it got, in order of arrival, repeats included. */
  get eventSeqs(): number[] {
    return this.publishes
      .filter(({ topic }) => topic.endsWith('/event'))
      .map(({ payload }) => Number(/^\{"seq":(\d+),/.exec(payload.toString())?.[1]));
  }
}
