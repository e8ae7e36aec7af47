import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP line to a server that a test can silence without closing, or cut. */
export class PausingLine {
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #server: Server;
  #isSilent = false;

  private constructor(target: number) {
    this.#server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      const pair = [near, far] as const;
      this.#pairs.add(pair);
      const end = (): void => {
        near.destroy();
        far.destroy();
        this.#pairs.delete(pair);
      };
      near.on('error', end).on('close', end);
      far.on('error', end).on('close', end);
      near.on('data', (bytes) => far.write(bytes));
      far.on('data', (bytes) => near.write(bytes));
      if (this.#isSilent) far.pause();
    });
  }

  static open(target: number): Promise<PausingLine> {
    const line = new PausingLine(target);
    return new Promise((resolve) => {
      line.#server.listen(0, '127.0.0.1', () => {
        resolve(line);
      });
    });
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('not listening');
    return `http://127.0.0.1:${address.port}`;
  }

  silence(): void {
    this.#isSilent = true;
    for (const [, far] of this.#pairs) far.pause();
  }

  speak(): void {
    this.#isSilent = false;
    for (const [, far] of this.#pairs) far.resume();
  }

  cut(): void {
    for (const [near] of this.#pairs) near.destroy();
  }

  stop(): Promise<void> {
    this.cut();
    return new Promise((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
  }
}
