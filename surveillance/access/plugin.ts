import fastifyCookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AuditEntry, AuditSink } from './audit.js';
import { isLocalHostHeader, SECURITY_HEADERS } from './headers.js';
import type { ProxyRule } from './listen.js';
import { LoginDesk } from './login.js';
import { type AccessRole, anybodyHere, holds, type Who } from './roles.js';
import { foreignRequest } from './same-origin.js';
import { ABSOLUTE_MS, IDLE_MS, type SessionLimits, Sessions } from './sessions.js';
import type { Users } from './users-book.js';
import { isUserName, type User } from './users-file.js';
import { whoView } from './who-view.js';

export interface AccessOptions {
  /** Part of the cookie's name: services on one machine share its cookies. `table`, `floor`. */
  readonly service: string;
  /** Who may log in; null: whoever reaches the service is let in (loopback only). */
  readonly users: Users | null;
  /** Who everybody is where there is no list; left out: all roles, all presses. */
  readonly anybody?: Who;
  readonly audit: AuditSink;
  readonly proxy: ProxyRule | null;
  /** Browsers reach the service by TLS, its own or the proxy's. */
  readonly isSecure: boolean;
  readonly limits?: SessionLimits;
  /** A clock that only goes forward, ms. */
  readonly nowMs?: () => number;
}

type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** What routes ask about who is there. */
export interface Access {
  /** A `preHandler` that lets in whoever holds one of the roles; `viewer`: whoever is known. */
  requireRole(...roles: readonly AccessRole[]): Guard;
  whoOf(request: FastifyRequest): Who | null;
  /** Whether the session behind a long answer still stands; asking does not prolong it. */
  stillIn(request: FastifyRequest): boolean;
  /** Writes what was done or refused; resolves when it is durable. @throws AuditFault */
  record(
    request: FastifyRequest,
    what: Pick<AuditEntry, 'action' | 'outcome' | 'detail'>,
  ): Promise<void>;
}

const NO_STORE = { 'cache-control': 'no-store' } as const;
const credentials = z.strictObject({
  name: z.string().min(1).max(64),
  password: z.string().min(1).max(512),
});

const whoOfUser = ({ name, roles, press, badge }: User, way: Who['way']): Who => ({
  name,
  roles,
  press,
  // Somebody without a badge is still somebody: the journal has to say who pressed.
  badge: badge ?? name,
  way,
});

/** One service's login: cookies, sessions, roles and the trail of what was done. */
class AccessDesk implements Access {
  readonly cookie: string;
  readonly desk: LoginDesk | null;
  readonly #options: AccessOptions;
  readonly #sessions: Sessions;
  readonly #known = new WeakMap<FastifyRequest, Who>();

  constructor(options: AccessOptions) {
    const { users, isSecure, service } = options;
    const nowMs = options.nowMs ?? (() => performance.now());
    this.#options = options;
    this.#sessions = new Sessions(
      options.limits ?? { idleMs: IDLE_MS, absoluteMs: ABSOLUTE_MS },
      nowMs,
    );
    this.desk = users === null ? null : new LoginDesk(users, nowMs);
    // The prefix makes browsers insist on TLS, this host and no other, and the whole path.
    this.cookie = `${isSecure ? '__Host-' : ''}cutcard-${service}`;
  }

  /** Who a request is from; null: nobody known. */
  identify(request: FastifyRequest, isUse: boolean): Who | null {
    const { users, proxy } = this.#options;
    if (users === null) return this.#options.anybody ?? anybodyHere;
    const vouched = this.#vouchedFor(request, users, proxy);
    if (vouched !== null) return vouched;
    const token = request.cookies[this.cookie];
    if (token === undefined) return null;
    const user = this.#sessions.find(token, (name) => users.find(name), isUse);
    return user === null ? null : whoOfUser(user, 'password');
  }

  remember(request: FastifyRequest, who: Who): void {
    this.#known.set(request, who);
  }

  whoOf(request: FastifyRequest): Who | null {
    return this.#known.get(request) ?? null;
  }

  stillIn(request: FastifyRequest): boolean {
    return this.identify(request, false) !== null;
  }

  requireRole(...roles: readonly AccessRole[]): Guard {
    return async (request, reply) => {
      const who = this.whoOf(request);
      if (who === null) {
        await reply.code(401).headers(NO_STORE).send({ error: 'Log in first.' });
      } else if (!holds(who, roles)) {
        await this.record(request, {
          action: `${request.method} ${request.routeOptions.url ?? ''}`,
          outcome: 'refused',
          detail: `needs ${roles.join(' or ')}`,
        });
        const error = `${who.name} may not do this: it takes the role ${roles.join(' or ')}.`;
        await reply.code(403).headers(NO_STORE).send({ error });
      }
    };
  }

  record(
    request: FastifyRequest,
    what: Pick<AuditEntry, 'action' | 'outcome' | 'detail'>,
    who: Who | null = this.whoOf(request),
  ): Promise<void> {
    return this.#options.audit.record({
      wallMs: Date.now(),
      who: who?.name ?? null,
      way: who?.way ?? null,
      address: request.ip,
      ...what,
    });
  }

  async login(request: FastifyRequest, reply: FastifyReply, desk: LoginDesk): Promise<void> {
    const given = credentials.safeParse(request.body);
    if (!given.success) {
      await reply.code(400).send({ error: 'A login takes a name and a password.' });
      return;
    }
    const { name, password } = given.data;
    const result = await desk.judge(name.toLowerCase(), password, request.ip);
    if (result.is === 'wait') {
      const seconds = Math.ceil(result.waitMs / 1000);
      const error = `Too many tries. Try again in ${seconds} s.`;
      await reply.code(429).header('retry-after', seconds).send({ error });
      return;
    }
    await this.#record(request, desk, name, result);
    if (result.is === 'wrong') {
      await reply.code(401).send({ error: 'This name and password do not belong together.' });
      return;
    }
    const who = whoOfUser(result.user, 'password');
    await reply
      .setCookie(this.cookie, this.#sessions.open(result.user), {
        path: '/',
        httpOnly: true,
        sameSite: 'strict',
        secure: this.#options.isSecure,
      })
      .send(whoView(who));
  }

  async logout(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = request.cookies[this.cookie];
    if (token !== undefined) this.#sessions.close(token);
    if (this.whoOf(request) !== null) {
      await this.record(request, { action: 'logout', outcome: 'done' });
    }
    const secure = this.#options.isSecure;
    await reply
      .clearCookie(this.cookie, { path: '/', httpOnly: true, sameSite: 'strict', secure })
      .code(204)
      .send();
  }

  /** A name that stands on no list is not written down: somebody may have typed a password. */
  #record(
    request: FastifyRequest,
    desk: LoginDesk,
    name: string,
    result: Awaited<ReturnType<LoginDesk['judge']>>,
  ): Promise<void> {
    const away = desk.takeTurnedAway();
    const more = away === 0 ? [] : [`${away} more tries were turned away unjudged`];
    if (result.is === 'in') {
      const detail = more.length === 0 ? {} : { detail: more.join('; ') };
      const who = whoOfUser(result.user, 'password');
      return this.record(request, { action: 'login', outcome: 'done', ...detail }, who);
    }
    const isKnown = result.is === 'wrong' && result.known;
    const tried = isKnown ? `as ${name.toLowerCase()}` : 'as nobody on the list';
    const detail = [tried, ...more].join('; ');
    return this.record(request, { action: 'login', outcome: 'refused', detail }, null);
  }

  /** Single sign-on: the proxy, and nobody else, may say who it is; the list says what they may. */
  #vouchedFor(request: FastifyRequest, users: Users, proxy: ProxyRule | null): Who | null {
    if (proxy?.userHeader == null || !fromProxy(request, proxy)) return null;
    const given = request.headers[proxy.userHeader];
    if (typeof given !== 'string') return null;
    const name = given.trim().toLowerCase();
    const user = isUserName(name) ? users.find(name) : null;
    return user === null ? null : whoOfUser(user, 'proxy');
  }
}

const plainAddress = (address: string | undefined): string =>
  (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '');

const fromProxy = ({ raw }: FastifyRequest, { addresses }: ProxyRule): boolean =>
  addresses.includes(plainAddress(raw.socket.remoteAddress));

/** Why a request is not even looked at: status and reason; null when it is. */
const turnedAway = (
  request: FastifyRequest,
  { users, proxy, isSecure }: AccessOptions,
): { readonly code: number; readonly error: string } | null => {
  if (users === null && !isLocalHostHeader(request.headers.host)) {
    return { code: 421, error: 'This page answers to its own address only.' };
  }
  // Behind a proxy that ends TLS, a way around it would be a way without TLS.
  const isPlain = request.protocol !== 'https' && isSecure;
  if (isPlain && proxy !== null && !fromProxy(request, proxy)) {
    return { code: 403, error: 'This service is reached through its proxy only.' };
  }
  if (request.method === 'GET' || request.method === 'HEAD') return null;
  const why = foreignRequest(request.headers, request.host);
  return why === null ? null : { code: 403, error: `This request is not taken: ${why}.` };
};

/**
 * Adds to a Fastify service: security headers on every answer, refusal of requests from other
 * sites, who is there, `POST /api/login`, `POST /api/logout` and `GET /api/me` (204: nobody is).
 * Call it before the routes, on the instance that has them. Routes guard themselves with
 * `requireRole`. What cannot be answered now (AuditFault, PasswordsBusy) is thrown with
 * `statusCode` 503.
 */
export const registerAccess = async (
  app: FastifyInstance,
  options: AccessOptions,
): Promise<Access> => {
  const access = new AccessDesk(options);
  await app.register(fastifyCookie);
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(SECURITY_HEADERS);
    const away = turnedAway(request, options);
    if (away !== null) {
      await reply.code(away.code).headers(NO_STORE).send({ error: away.error });
      return;
    }
    const who = access.identify(request, true);
    if (who !== null) access.remember(request, who);
  });
  app.get('/api/me', async (request, reply) => {
    const who = access.whoOf(request);
    void reply.headers(NO_STORE);
    // Nobody is an answer, and no error that a browser would put on its console.
    if (who === null) await reply.code(204).send();
    else await reply.send(whoView(who));
  });
  app.post('/api/login', async (request, reply) => {
    void reply.headers(NO_STORE);
    const { desk } = access;
    if (desk === null) await reply.code(404).send({ error: 'This service has no login.' });
    else await access.login(request, reply, desk);
  });
  app.post('/api/logout', async (request, reply) => {
    await access.logout(request, reply.headers(NO_STORE));
  });
  return access;
};
