import { get, type ClientRequest, type IncomingMessage } from 'node:http';

export interface StreamEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: unknown;
}

const parse = (block: string): StreamEvent | null => {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return null;
  const value: unknown = JSON.parse(data);
  return { event: fields.get('event') ?? 'message', id: fields.get('id') ?? null, data: value };
};

/** A reader of server-sent events that a test can pause, resume and cut. */
export class StreamReader {
  readonly events: StreamEvent[] = [];
  closed = false;
  #rest = '';
  readonly #response: IncomingMessage;
  readonly #request: ClientRequest;

  private constructor(request: ClientRequest, response: IncomingMessage) {
    this.#request = request;
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      const blocks = (this.#rest + text).split('\n\n');
      this.#rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parse(block);
        if (event !== null) this.events.push(event);
      }
    });
    response.on('close', () => (this.closed = true));
    response.on('error', () => (this.closed = true));
  }

  get status(): number {
    return this.#response.statusCode ?? 0;
  }

  header(name: string): string | readonly string[] | undefined {
    return this.#response.headers[name];
  }

  static open(url: string, lastEventId?: string): Promise<StreamReader> {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    return new Promise((resolve, reject) => {
      const request = get(url, { headers, agent: false }, (response) => {
        resolve(new StreamReader(request, response));
      });
      request.on('error', reject);
    });
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  cut(): void {
    this.#request.destroy();
  }
}
