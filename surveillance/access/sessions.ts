import { createHash, randomBytes } from 'node:crypto';
import type { User } from './users-file.js';

const TOKEN_BYTES = 32;
/** Sessions of all people, and of one. */
const SESSIONS_MAX = 512;
const SESSIONS_EACH = 8;
/** A session nobody uses ends, ms. */
export const IDLE_MS = 30 * 60_000;
/** A session ends in any case, ms: a shift with its overtime. */
export const ABSOLUTE_MS = 14 * 3_600_000;

export interface SessionLimits {
  readonly idleMs: number;
  readonly absoluteMs: number;
}

interface Session {
  readonly name: string;
  /** The password hash at login: a changed password ends what was opened with the old one. */
  readonly password: string | null;
  readonly openedMs: number;
  usedMs: number;
}

const digest = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Who is logged in. Kept in memory only: a restart ends every session. */
export class Sessions {
  readonly #limits: SessionLimits;
  readonly #nowMs: () => number;
  /** By the hash of the token: what lies in memory opens no door. Oldest first. */
  readonly #sessions = new Map<string, Session>();

  constructor(limits: SessionLimits, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** @returns the token for the cookie. The person's oldest session ends where there are many. */
  open({ name, password }: User): string {
    this.#sweep();
    const own = [...this.#sessions].filter(([, session]) => session.name === name);
    const many = Math.max(0, own.length - SESSIONS_EACH + 1);
    for (const [key] of own.slice(0, many)) this.#sessions.delete(key);
    if (this.#sessions.size >= SESSIONS_MAX) {
      const [oldest] = this.#sessions.keys();
      if (oldest !== undefined) this.#sessions.delete(oldest);
    }
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const nowMs = this.#nowMs();
    this.#sessions.set(digest(token), { name, password, openedMs: nowMs, usedMs: nowMs });
    return token;
  }

  /**
   * The person of a token as the list has them now; null where the session is over, or they are
   * off the list or have another password since.
   * @param isUse false where a page only keeps its line open.
   */
  find(token: string, find: (name: string) => User | null, isUse = true): User | null {
    const key = digest(token);
    const session = this.#sessions.get(key);
    if (session === undefined) return null;
    const user = find(session.name);
    if (user === null || user.password !== session.password || this.#isOver(session)) {
      this.#sessions.delete(key);
      return null;
    }
    if (isUse) session.usedMs = this.#nowMs();
    return user;
  }

  close(token: string): void {
    this.#sessions.delete(digest(token));
  }

  #isOver({ openedMs, usedMs }: Session): boolean {
    const nowMs = this.#nowMs();
    const { idleMs, absoluteMs } = this.#limits;
    return nowMs - usedMs >= idleMs || nowMs - openedMs >= absoluteMs;
  }

  #sweep(): void {
    for (const [key, session] of this.#sessions) {
      if (this.#isOver(session)) this.#sessions.delete(key);
    }
  }
}
