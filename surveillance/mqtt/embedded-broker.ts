import { createServer, type Server, type Socket } from 'node:net';
import { Aedes } from 'aedes';

/** Only this machine may reach it: it asks nobody for a name. */
const HOST = '127.0.0.1';
const MAX_CLIENTS = 64;

/**
 * A broker inside the demo's own process: plain TCP on loopback, MQTT 3.1.1, nothing on disk. A
 * real table talks to a broker of the house (docs/CONTRACT.md, "Broker").
 */
export class EmbeddedBroker {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #aedes: Aedes | null = null;
  #port = 0;

  constructor() {
    this.#server = createServer((socket) => {
      if (this.#aedes === null || this.#sockets.size >= MAX_CLIENTS) {
        socket.destroy();
        return;
      }
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => socket.destroy());
      this.#aedes.handle(socket);
    });
  }

  /** Port it listens on; 0 while it does not. */
  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `mqtt://${HOST}:${this.#port}`;
  }

  /**
   * `port` 0 takes any free one.
   * @throws Error when the port cannot be had, naming it.
   */
  async start(port = 0): Promise<void> {
    if (this.#aedes !== null) return;
    const aedes = new Aedes();
    await aedes.listen();
    // Without listeners a bad client would end the process.
    aedes.on('clientError', (client) => client.close());
    aedes.on('connectionError', (client) => client.close());
    this.#aedes = aedes;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) => {
        this.#aedes = null;
        reject(
          new Error(
            `the demo's broker cannot listen on ${HOST}:${port}: stop what does or give another`,
            { cause },
          ),
        );
      });
      this.#server.listen(port, HOST, () => resolve());
    });
    const address = this.#server.address();
    this.#port = typeof address === 'object' && address !== null ? address.port : 0;
  }

  async stop(): Promise<void> {
    const aedes = this.#aedes;
    if (aedes === null) return;
    this.#aedes = null;
    this.#port = 0;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await new Promise<void>((resolve) => aedes.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
