import { Buckets, neighbourhood } from './buckets.js';
import { fitsPassword } from './password.js';
import type { User } from './users-file.js';
import type { Users } from './users-book.js';

/** Tries of one address, and at one name; then one more in a while. */
const PER_ADDRESS = { burst: 10, refillMs: 6000 } as const;
const PER_NAME = { burst: 10, refillMs: 30_000 } as const;
/** People and places remembered together after a login. */
const KNOWN_MAX = 1024;

export type LoginResult =
  | { readonly is: 'in'; readonly user: User }
  | { readonly is: 'wrong'; readonly known: boolean }
  | { readonly is: 'wait'; readonly waitMs: number };

/** Judges names and passwords, slowly for whoever guesses. */
export class LoginDesk {
  readonly #users: Users;
  readonly #byAddress: Buckets;
  readonly #byName: Buckets;
  readonly #byKnownPlace: Buckets;
  /** `address name` of logins that were right, the newest last. */
  readonly #known = new Set<string>();
  #turnedAway = 0;

  constructor(users: Users, nowMs: () => number) {
    this.#users = users;
    this.#byAddress = new Buckets(PER_ADDRESS, nowMs);
    this.#byName = new Buckets(PER_NAME, nowMs);
    this.#byKnownPlace = new Buckets(PER_NAME, nowMs);
  }

  /**
   * A name nobody has takes as long and is answered the same, limits included: the answer does
   * not tell which names there are.
   * @throws PasswordsBusy
   */
  async judge(name: string, password: string, address: string): Promise<LoginResult> {
    const place = neighbourhood(address);
    const waitMs = this.#waitMs(name, place);
    if (waitMs > 0) {
      this.#turnedAway += 1;
      return { is: 'wait', waitMs };
    }
    const user = this.#users.find(name);
    const fits = await fitsPassword(password, user?.password ?? null);
    if (!fits || user === null) return { is: 'wrong', known: user !== null };
    this.#remember(`${place} ${name}`);
    return { is: 'in', user };
  }

  /**
   * A try that its address is refused takes nothing from the name, and whoever was let in from a
   * place before has a limit of their own there: strangers cannot keep people out by their name.
   */
  #waitMs(name: string, place: string): number {
    const waitMs = this.#byAddress.take(place);
    if (waitMs > 0) return waitMs;
    const both = `${place} ${name}`;
    return this.#known.has(both) ? this.#byKnownPlace.take(both) : this.#byName.take(name);
  }

  #remember(both: string): void {
    this.#known.delete(both);
    this.#known.add(both);
    if (this.#known.size <= KNOWN_MAX) return;
    const [oldest] = this.#known;
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  /** Tries not judged since the last call: a flood is counted, not written line by line. */
  takeTurnedAway(): number {
    const n = this.#turnedAway;
    this.#turnedAway = 0;
    return n;
  }
}
