import { statSync } from 'node:fs';
import { loadUsers, markOf, type User } from './users-file.js';

/** How often the file is looked at, ms: a person taken off the list is out this soon. */
const LOOK_MS = 1000;

export interface UsersBookOptions {
  /** Told in plain words when a changed file could not be taken. */
  readonly notice: (text: string) => void;
  /** A clock that only goes forward, ms. */
  readonly nowMs?: () => number;
}

/** Where people are looked up; the floor service may keep its own. */
export interface Users {
  find(name: string): User | null;
}

/**
 * The users of a file that may change while it is in use. A change that cannot be read changes
 * nothing: the list as it was goes on, and a notice tells why.
 */
export class UsersBook implements Users {
  readonly #path: string;
  readonly #notice: (text: string) => void;
  readonly #nowMs: () => number;
  #people: ReadonlyMap<string, User> = new Map();
  #mark = '';
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(path: string, options: UsersBookOptions) {
    this.#path = path;
    this.#notice = options.notice;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** @throws UsersError where the list cannot be used. */
  load(): void {
    const { people, mark } = loadUsers(this.#path);
    this.#people = new Map(people.map((user) => [user.name, user]));
    this.#mark = mark;
  }

  /** People on the list. */
  get size(): number {
    return this.#people.size;
  }

  find(name: string): User | null {
    this.#look();
    return this.#people.get(name) ?? null;
  }

  #look(): void {
    if (this.#nowMs() - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = this.#nowMs();
    let mark = 'gone';
    try {
      mark = markOf(statSync(this.#path));
      if (mark !== this.#mark) this.load();
    } catch (cause) {
      // Said once for each state of the file, not once a second.
      if (mark === this.#mark) return;
      this.#mark = mark;
      const why = cause instanceof Error ? cause.message : String(cause);
      this.#notice(`the list of users goes on as it was: ${why}`);
    }
  }
}
