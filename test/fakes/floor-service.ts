import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { SECURITY_HEADERS } from '../../surveillance/access/headers.js';
import type { AccessRole } from '../../surveillance/access/roles.js';
import { foreignRequest } from '../../surveillance/access/same-origin.js';
import { BEAT_MS, type ServiceState, type Tile } from '../../surveillance/floor/api.js';
import { FloorRecords } from './floor-records.js';
import { cardLater, FLOOR_START_MS, floorTiles } from './floor-tables.js';

const EVENTS_KEPT = 500;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Who may log in at the fake: the password is the name, backwards. */
const PEOPLE: Readonly<Record<string, readonly AccessRole[]>> = {
  mara: ['operator'],
  victor: ['viewer'],
  ada: ['auditor'],
};

interface FloorOptions {
  readonly tables?: number;
  /** Without a login everybody at this machine may do everything. */
  readonly hasLogin?: boolean;
  readonly port?: number;
}

interface Sent {
  readonly id: number;
  readonly text: string;
}

/** A floor service that plays tables a test moves; it speaks surveillance/floor/api.ts. */
export class FakeFloor {
  readonly tiles: Tile[];
  /** `METHOD address` of every request, for tests to look at. */
  readonly asked: string[] = [];
  readonly records: FloorRecords;
  readonly #options: FloorOptions;
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();
  readonly #sent: Sent[] = [];
  #service: ServiceState = {
    broker: { up: true, sinceMs: null },
    store: 'sqlite',
    storeFault: null,
    queued: 0,
    version: '0.1.0',
    instance: 'floor-1',
  };
  #id = 0;
  /** Another run of the service has other ids: a page that comes back to it gets everything. */
  readonly #run = Math.random().toString(36).slice(2, 8);
  #beat: NodeJS.Timeout | undefined;
  #passedMs = 0;
  #sessions = new Map<string, string>();

  constructor(options: FloorOptions = {}) {
    this.#options = options;
    this.tiles = floorTiles(options.tables ?? 200);
    this.records = new FloorRecords(this.tiles, () => this.nowMs);
    this.#server = createServer((request, response) => {
      void this.#answer(request, response);
    });
  }

  get nowMs(): number {
    return FLOOR_START_MS + this.#passedMs;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get watchers(): number {
    return this.#streams.size;
  }

  start(): Promise<void> {
    this.#beat = setInterval(() => {
      this.#passedMs += BEAT_MS;
      this.#sayToAll('beat', { atMs: this.nowMs, service: this.#service }, false);
    }, BEAT_MS);
    return new Promise((resolve) => {
      this.#server.listen(this.#options.port ?? 0, '127.0.0.1', () => {
        resolve();
      });
    });
  }

  stop(): Promise<void> {
    clearInterval(this.#beat);
    this.#server.closeAllConnections();
    return new Promise((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
  }

  /** Changes one table and tells whoever watches. */
  change(n: number, change: Partial<Tile>): Tile {
    const before = this.tiles[n];
    if (before === undefined) throw new Error(`there is no table ${n}`);
    const tile = { ...before, ...change, changedMs: this.nowMs };
    this.tiles[n] = tile;
    this.#sayToAll('tile', tile, true);
    return tile;
  }

  /** A card at every `each`th table, from table `from`. */
  deal(from = 0, each = 1): void {
    for (let n = from; n < this.tiles.length; n += each) {
      const tile = this.tiles[n];
      if (tile !== undefined) this.change(n, cardLater(tile, this.nowMs));
    }
  }

  loseBroker(): void {
    this.#service = { ...this.#service, broker: { up: false, sinceMs: this.nowMs } };
    this.#sayToAll('beat', { atMs: this.nowMs, service: this.#service }, false);
  }

  endSessions(): void {
    this.#sessions = new Map();
    for (const stream of this.#streams) stream.end();
  }

  #sayToAll(event: string, data: unknown, isKept: boolean): void {
    if (isKept) this.#id += 1;
    const id = isKept ? `id: ${this.#run}.${this.#id}\n` : '';
    const text = `${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    if (isKept) {
      this.#sent.push({ id: this.#id, text });
      if (this.#sent.length > EVENTS_KEPT) this.#sent.shift();
    }
    for (const stream of this.#streams) stream.write(text);
  }

  #stream(response: ServerResponse, query: URLSearchParams): void {
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    const [run, last] = (query.get('after') ?? '').split('.');
    const after = run === this.#run ? Number(last) : -1;
    const oldest = this.#sent[0]?.id ?? Number.POSITIVE_INFINITY;
    if (after >= oldest - 1 && after <= this.#id) {
      for (const { id, text } of this.#sent) if (id > after) response.write(text);
      const beat = { atMs: this.nowMs, service: this.#service };
      response.write(`event: beat\ndata: ${JSON.stringify(beat)}\n\n`);
    } else {
      const wall = { tables: this.tiles, atMs: this.nowMs, service: this.#service };
      response.write(
        `id: ${this.#run}.${this.#id}\nevent: wall\ndata: ${JSON.stringify(wall)}\n\n`,
      );
    }
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    this.asked.push(`${request.method ?? ''} ${url.pathname}${url.search}`);
    const send = (code: number, body: unknown, more: Record<string, string> = {}): void => {
      const head = { ...SECURITY_HEADERS, 'content-type': 'application/json', ...more };
      response.writeHead(code, head).end(body === null ? '' : JSON.stringify(body));
    };
    if (request.method !== 'GET') {
      const why = foreignRequest(request.headers, request.headers.host ?? '');
      if (why !== null) {
        send(403, { error: why });
        return;
      }
    }
    if (!url.pathname.startsWith('/api/') && !url.pathname.startsWith('/reports')) {
      this.#file(url.pathname, response);
      return;
    }
    const body = await bodyOf(request);
    if (url.pathname === '/api/login') {
      this.#login(body, send);
      return;
    }
    const who = this.#who(request);
    if (who === null && url.pathname === '/api/me') {
      send(204, null);
      return;
    }
    if (who === null) {
      send(401, { error: 'Log in first.' });
      return;
    }
    if (url.pathname === '/api/me') {
      send(200, this.#me(who));
      return;
    }
    if (url.pathname === '/api/logout') {
      this.#sessions = new Map();
      {
        send(204, null);
        return;
      }
    }
    if (url.pathname === '/api/wall/stream') {
      this.#stream(response, url.searchParams);
      return;
    }
    const roles = this.#me(who).roles;
    const { code, value, type } = this.records.answer(
      { method: request.method ?? '', url, body, who },
      roles,
    );
    if (type === undefined) send(code, value);
    else response.writeHead(code, { ...SECURITY_HEADERS, ...type }).end(String(value));
  }

  #login(
    body: Readonly<Record<string, unknown>>,
    send: (code: number, body: unknown, more?: Record<string, string>) => void,
  ): void {
    const name = String(body['name']);
    if (PEOPLE[name] === undefined || body['password'] !== name.split('').reverse().join('')) {
      send(401, { error: 'This name and password do not belong together.' });
      return;
    }
    const token = `${name}-${this.#sessions.size}`;
    this.#sessions.set(token, name);
    const cookie = `cutcard-floor=${token}; Path=/; HttpOnly; SameSite=Strict`;
    send(200, this.#me(name), { 'set-cookie': cookie });
  }

  #who(request: IncomingMessage): string | null {
    if (this.#options.hasLogin !== true) return 'anybody at this machine';
    const token = /cutcard-floor=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    return this.#sessions.get(token) ?? null;
  }

  #me(name: string): { name: string; roles: readonly AccessRole[] } & Record<string, unknown> {
    const isOpen = this.#options.hasLogin !== true;
    const roles: readonly AccessRole[] = isOpen
      ? ['viewer', 'operator', 'auditor', 'technician']
      : (PEOPLE[name] ?? []);
    return { name, roles, press: [], badge: null, way: isOpen ? 'open' : 'password' };
  }

  #file(path: string, response: ServerResponse): void {
    const name = path === '/' ? '/wall.html' : path;
    try {
      const bytes = readFileSync(`dist/pages${name}`);
      const type = TYPES[extname(name)] ?? 'application/octet-stream';
      response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': type }).end(bytes);
    } catch {
      response.writeHead(404, SECURITY_HEADERS).end();
    }
  }
}

const bodyOf = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const value: unknown = text === '' ? {} : JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
};
