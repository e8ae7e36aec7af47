import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type AuditEntry, AuditFault } from '../../../surveillance/access/audit.js';
import { hashPassword } from '../../../surveillance/access/password.js';
import { type AccessOptions, registerAccess } from '../../../surveillance/access/plugin.js';
import type { User } from '../../../surveillance/access/users-file.js';

vi.setConfig({ testTimeout: 120_000 });

const PASSWORD = 'correct horse battery';
const hash = await hashPassword(PASSWORD);
const OWN = { 'x-cutcard': '1', origin: 'http://table-7:8080', host: 'table-7:8080' };

const floor: User = {
  name: 'floor-1',
  roles: ['operator'],
  press: ['floor'],
  badge: 'F-1',
  password: hash,
};
const eye: User = { name: 'eye-1', roles: ['viewer'], press: [], badge: null, password: null };

const open: FastifyInstance[] = [];
afterEach(async () => {
  for (const app of open.splice(0)) await app.close();
});

class Service {
  readonly trail: AuditEntry[] = [];
  readonly people = new Map([floor, eye].map((user) => [user.name, user]));
  readonly app = Fastify();
  nowMs = 0;
  isTrailFull = false;

  async start(change: Partial<AccessOptions> = {}): Promise<this> {
    open.push(this.app);
    const access = await registerAccess(this.app, {
      service: 'test',
      users: { find: (name) => this.people.get(name) ?? null },
      audit: {
        record: (entry) => {
          if (this.isTrailFull) return Promise.reject(new AuditFault('no room'));
          this.trail.push(entry);
          return Promise.resolve();
        },
      },
      proxy: null,
      isSecure: false,
      limits: { idleMs: 1000, absoluteMs: 5000 },
      nowMs: () => this.nowMs,
      ...change,
    });
    const { app } = this;
    app.get('/look', { preHandler: access.requireRole('viewer') }, (request) => ({
      name: access.whoOf(request)?.name,
    }));
    app.post('/act', { preHandler: access.requireRole('operator') }, () => ({ acted: true }));
    app.get('/trail', { preHandler: access.requireRole('auditor', 'technician') }, () => ({}));
    return this;
  }

  ask(options: InjectOptions) {
    return this.app.inject({ headers: OWN, ...options });
  }

  login(name: string, password: string, more: InjectOptions = {}) {
    const payload = { name, password };
    return this.ask({ method: 'POST', url: '/api/login', payload, ...more });
  }

  async cookieOf(name = 'floor-1'): Promise<Record<string, string>> {
    const answer = await this.login(name, PASSWORD);
    return Object.fromEntries(answer.cookies.map((cookie) => [cookie.name, cookie.value]));
  }
}

describe('a login', () => {
  test('gives a cookie no script reads, and who it is', async () => {
    const service = await new Service().start();
    const answer = await service.login('Floor-1', PASSWORD);
    expect(answer.json()).toEqual({
      name: 'floor-1',
      roles: ['operator'],
      press: ['floor'],
      badge: 'F-1',
      way: 'password',
    });
    const set = String(answer.headers['set-cookie']);
    expect(set).toMatch(/^cutcard-test=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    const cookies = await service.cookieOf();
    expect((await service.ask({ url: '/look', cookies })).json()).toEqual({ name: 'floor-1' });
    expect((await service.ask({ url: '/api/me', cookies })).json()).toMatchObject({ badge: 'F-1' });
    expect(service.trail.map(({ action, who, outcome }) => [action, who, outcome])).toEqual([
      ['login', 'floor-1', 'done'],
      ['login', 'floor-1', 'done'],
    ]);
  });

  test('over TLS gives a cookie bound to this host', async () => {
    const proxy = { addresses: ['127.0.0.1'], userHeader: null };
    const service = await new Service().start({ isSecure: true, proxy });
    const set = String((await service.login('floor-1', PASSWORD)).headers['set-cookie']);
    expect(set).toMatch(/^__Host-cutcard-test=.*; Secure;/);
  });

  test('answers a wrong password, an unknown name and one without a password alike', async () => {
    const service = await new Service().start();
    const answers = await Promise.all([
      service.login('floor-1', 'not the right one'),
      service.login('hunter2hunter2', 'not the right one'),
      service.login('eye-1', 'not the right one'),
    ]);
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1);
    expect(answers[0].statusCode).toBe(401);
    // What stands on no list may be a password in the wrong field.
    expect(JSON.stringify(service.trail)).not.toContain('hunter2');
    expect(service.trail.map(({ detail }) => detail).toSorted()).toEqual([
      'as eye-1',
      'as floor-1',
      'as nobody on the list',
    ]);
  });

  test('is slow for whoever guesses, by address and by name, known or not', async () => {
    const service = await new Service().start();
    const tries = async (name: string, from: (i: number) => string): Promise<number[]> => {
      const codes: number[] = [];
      for (let i = 0; i < 12; i += 1) {
        const answer = await service.login(name, 'not the right one', { remoteAddress: from(i) });
        codes.push(answer.statusCode);
      }
      return codes;
    };
    const limited = [...new Array<number>(10).fill(401), 429, 429];
    expect(await tries('floor-1', () => '10.0.0.7')).toEqual(limited);
    expect(await tries('floor-9', (i) => `10.0.1.${i}`)).toEqual(limited);
    const answer = await service.login('floor-9', PASSWORD, { remoteAddress: '10.0.2.1' });
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '30']);
    service.nowMs += 30_000;
    const later = await service.login('floor-1', PASSWORD, { remoteAddress: '10.0.0.7' });
    expect(later.statusCode).toBe(200);
    expect(service.trail.at(-1)?.detail).toBe('3 more tries were turned away unjudged');
  });

  test('takes only a name and a password', async () => {
    const service = await new Service().start();
    for (const payload of [
      {},
      { name: 'floor-1' },
      { name: 'a', password: 'b', role: 'x' },
      '[]',
    ]) {
      const answer = await service.ask({ method: 'POST', url: '/api/login', payload });
      expect([400, 415]).toContain(answer.statusCode);
    }
  });

  test('ends with logout and when nobody uses it', async () => {
    const service = await new Service().start();
    const cookies = await service.cookieOf();
    const out = await service.ask({ method: 'POST', url: '/api/logout', cookies });
    expect(out.statusCode).toBe(204);
    expect((await service.ask({ url: '/look', cookies })).statusCode).toBe(401);
    const again = await service.cookieOf();
    service.nowMs += 1000;
    expect((await service.ask({ url: '/look', cookies: again })).statusCode).toBe(401);
    expect((await service.ask({ url: '/api/me', cookies: again })).statusCode).toBe(204);
  });
});

describe('a role', () => {
  test('lets in whoever holds it; whoever holds any may look', async () => {
    const service = await new Service().start();
    const cookies = await service.cookieOf();
    const codes = [];
    for (const given of [cookies, {}]) {
      for (const [method, url] of [
        ['GET', '/look'],
        ['POST', '/act'],
        ['GET', '/trail'],
      ] as const) {
        codes.push((await service.ask({ method, url, cookies: given })).statusCode);
      }
    }
    expect(codes).toEqual([200, 200, 403, 401, 401, 401]);
    expect(service.trail.at(-1)).toMatchObject({
      who: 'floor-1',
      action: 'GET /trail',
      outcome: 'refused',
      detail: 'needs auditor or technician',
    });
  });

  test('taken away on the list is gone at once', async () => {
    const service = await new Service().start();
    const cookies = await service.cookieOf();
    service.people.set('floor-1', { ...floor, roles: ['viewer'] });
    expect((await service.ask({ method: 'POST', url: '/act', cookies })).statusCode).toBe(403);
    service.people.delete('floor-1');
    expect((await service.ask({ url: '/look', cookies })).statusCode).toBe(401);
  });

  test('without a list of users is everybody of this machine, and of no other', async () => {
    const service = await new Service().start({ users: null });
    const here = { ...OWN, host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' };
    expect((await service.ask({ url: '/trail', headers: here })).statusCode).toBe(200);
    expect((await service.ask({ url: '/trail' })).statusCode).toBe(421);
    const login = await service.login('floor-1', PASSWORD, { headers: here });
    expect(login.statusCode).toBe(404);
  });
});

describe('a request from elsewhere', () => {
  test('that changes something is refused, whoever is logged in', async () => {
    const service = await new Service().start();
    const cookies = await service.cookieOf();
    const { 'x-cutcard': own, ...without } = OWN;
    expect(own).toBe('1');
    const wrong = [
      without,
      { ...OWN, origin: 'http://evil' },
      { ...OWN, 'sec-fetch-site': 'none' },
    ];
    for (const headers of wrong) {
      const answer = await service.ask({ method: 'POST', url: '/act', cookies, headers });
      expect(answer.statusCode).toBe(403);
    }
  });

  test('carries the security headers like any other', async () => {
    const service = await new Service().start();
    const answer = await service.ask({ method: 'POST', url: '/nothing', headers: {} });
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });
});

describe('a proxy', () => {
  const proxy = { addresses: ['10.9.0.1'], userHeader: 'x-remote-user' };
  const headers = { ...OWN, 'x-remote-user': 'Eye-1' };

  test('may say who somebody is, and nobody else may', async () => {
    const service = await new Service().start({ proxy });
    const look = (remoteAddress: string) => service.ask({ url: '/api/me', headers, remoteAddress });
    expect((await look('10.9.0.1')).json()).toMatchObject({ name: 'eye-1', way: 'proxy' });
    expect((await look('::ffff:10.9.0.1')).statusCode).toBe(200);
    expect((await look('10.9.0.2')).statusCode).toBe(204);
  });

  test('vouches in vain for whoever is not on the list', async () => {
    const service = await new Service().start({ proxy });
    for (const name of ['mallory', '', 'eye-1\u0000', 'eye-1, floor-1']) {
      const answer = await service.ask({
        url: '/api/me',
        headers: { ...OWN, 'x-remote-user': name },
        remoteAddress: '10.9.0.1',
      });
      expect([answer.statusCode, answer.body]).toEqual([204, '']);
    }
  });

  test('that ends TLS cannot be gone around', async () => {
    const service = await new Service().start({ proxy, isSecure: true });
    const around = await service.ask({ url: '/api/me', remoteAddress: '10.9.0.2' });
    expect(around.statusCode).toBe(403);
  });
});

test('what cannot be written down is not done', async () => {
  const service = await new Service().start();
  const cookies = await service.cookieOf();
  service.isTrailFull = true;
  const answer = await service.login('floor-1', PASSWORD);
  expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([503, undefined]);
  const refused = await service.ask({ url: '/trail', cookies });
  expect(refused.statusCode).toBe(503);
});
