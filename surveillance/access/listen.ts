import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { isIP } from 'node:net';
import type { FastifyServerFactory } from 'fastify';
import { readGiven } from '../../controller/config/given-file.js';
import { isLoopback } from '../../controller/config/loopback.js';

/** A reverse proxy that ends TLS and may vouch for people. */
export interface ProxyRule {
  /** Addresses the proxy connects from; a request from elsewhere is not believed. */
  readonly addresses: readonly string[];
  /** Header with the name of who is logged in there, lower case; null: it only ends TLS. */
  readonly userHeader: string | null;
}

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface ListenPlan {
  readonly host: string;
  readonly hasLogin: boolean;
  readonly tls: TlsFiles | null;
  readonly proxy: ProxyRule | null;
}

/** The pages cannot be served so; the message says why and what to do. */
export class ListenError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'ListenError';
  }
}

/** Why nobody may listen so; null when it is allowed. */
export const listenFault = ({ host, hasLogin, tls, proxy }: ListenPlan): string | null => {
  const wrong = proxy?.addresses.find((address) => isIP(address) === 0);
  if (wrong !== undefined) return `\`${wrong}\` is no address of a proxy: write it in numbers`;
  if (proxy?.addresses.length === 0) return 'a proxy is set without an address it connects from';
  if (proxy !== null && !hasLogin) {
    return 'a proxy is set and no list of users: set one, so that its names mean something';
  }
  if (isLoopback(host)) return null;
  if (!hasLogin) {
    return (
      `${host} is reachable from other machines and no login is set: set a list of users ` +
      '(cutcard user add), or listen on 127.0.0.1'
    );
  }
  if (tls === null && proxy === null) {
    return (
      `${host} is reachable from other machines and passwords would cross the network ` +
      'unprotected: set a certificate and its key, or the proxy that ends TLS'
    );
  }
  return null;
};

const textOf = (path: string, what: string): string => {
  try {
    return readGiven(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ListenError(`${path}: ${what} cannot be read: ${why}`, cause);
  }
};

/**
 * What Fastify listens with: TLS 1.3 where files are given, else plain HTTP.
 * @param requestMs how long a request may dawdle, ms: Fastify leaves this to the factory.
 * @throws ListenError for files that cannot be used.
 */
export const serverFactoryFor = (tls: TlsFiles | null, requestMs: number): FastifyServerFactory => {
  const options = {
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    // How often slow ones are looked for; Node's half a minute would be their limit.
    connectionsCheckingInterval: Math.ceil(requestMs / 2),
  };
  if (tls === null) return (handler) => createServer(options, handler);
  const cert = textOf(tls.certFile, 'the certificate');
  const key = textOf(tls.keyFile, 'the private key');
  return (handler) => {
    try {
      return createTlsServer({ ...options, cert, key, minVersion: 'TLSv1.3' }, handler);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const both = `${tls.certFile}, ${tls.keyFile}`;
      throw new ListenError(`${both}: certificate and key cannot be used: ${why}`, cause);
    }
  };
};
