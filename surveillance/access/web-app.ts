import { isIP, type Server, type Socket } from 'node:net';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { isLoopback } from '../../controller/config/loopback.js';
import { ListenError, type ProxyRule, serverFactoryFor, type TlsFiles } from './listen.js';

export interface WebAppPlan {
  readonly tls: TlsFiles | null;
  readonly proxy: ProxyRule | null;
  /** Largest body of a request, bytes. */
  readonly bodyBytes: number;
  /** How long a request may dawdle, ms. */
  readonly requestMs: number;
  readonly maxConnections: number;
}

/** One machine elsewhere takes at most this share of the connections; the rest is for others. */
const SHARE_OF_ONE = 1 / 4;

/** An address that the server and its neighbours may hold: IPv4 written as IPv6 is IPv4. */
const plainAddress = (socket: Socket): string =>
  (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');

/**
 * Ends connections of an address that has its share open already. This machine's own pages and the
 * proxy's, behind which many people stand, are bounded by the whole alone.
 */
export const shareOut = (
  server: Server,
  { proxy, maxConnections }: Pick<WebAppPlan, 'proxy' | 'maxConnections'>,
): void => {
  server.maxConnections = maxConnections;
  const most = Math.floor(maxConnections * SHARE_OF_ONE);
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket);
    const isKnown = isIP(address) === 0 || isLoopback(address);
    if (isKnown || proxy?.addresses.includes(address) === true) return;
    const before = open.get(address) ?? 0;
    if (before >= most) {
      socket.destroy();
      return;
    }
    open.set(address, before + 1);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
};

const UNREADABLE: Readonly<Record<string, readonly [status: string, why: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too long.'],
};
const NO_HTTP = ['400 Bad Request', 'This is no request that HTTP/1.1 knows.'] as const;

/** What HTTP itself refuses, in the shape of every other answer. */
const refuseUnreadable = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, why] = UNREADABLE[error.code ?? ''] ?? NO_HTTP;
  const body = JSON.stringify({ error: why });
  const lines = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...['cache-control: no-store', 'x-content-type-options: nosniff', 'connection: close'],
  ];
  if (socket.writable) socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
};

/**
 * An HTTP server with what all of ours have: limits, TLS or a proxy, refusals as `{error}`.
 * @throws ListenError for files of TLS that cannot be used.
 */
export const newWebApp = (plan: WebAppPlan): FastifyInstance => {
  const { tls, proxy, bodyBytes, requestMs } = plan;
  const app = Fastify({
    logger: false,
    bodyLimit: bodyBytes,
    connectionTimeout: 0,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    trustProxy: proxy === null ? false : [...proxy.addresses],
    serverFactory: serverFactoryFor(tls, requestMs),
    clientErrorHandler: refuseUnreadable,
    // An address that cannot be decoded, before any route is known.
    frameworkErrors: (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
      void reply.code(error.statusCode ?? 400).send({ error: error.message });
    },
  });
  shareOut(app.server, plan);
  return app;
};

const whyNot = (cause: unknown, host: string, port: number): string => {
  const code = cause instanceof Error && 'code' in cause ? cause.code : '';
  if (code === 'EADDRINUSE') {
    return `${host}:${port} is taken by another program. Choose another port, or 0 for any.`;
  }
  if (code === 'EACCES') return `${host}:${port} needs more rights. Choose a port above 1023.`;
  return `${host}:${port}: ${cause instanceof Error ? cause.message : String(cause)}`;
};

export interface Listening {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly port: number;
  /** Safe twice. */
  stop(): Promise<void>;
}

/**
 * @param port 0: any free one
 * @throws ListenError where it cannot listen there; the app is closed then.
 */
export const listenAt = async (
  app: FastifyInstance,
  { host, port, isTls }: { readonly host: string; readonly port: number; readonly isTls: boolean },
): Promise<Listening> => {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    await app.close();
    throw new ListenError(whyNot(cause, host, port), cause);
  }
  const address = app.server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  let stopped: Promise<void> | null = null;
  return {
    url: `${isTls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    port: taken,
    stop: () => {
      stopped ??= app.close();
      return stopped;
    },
  };
};
