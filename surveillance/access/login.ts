import { Buckets, neighbourhood } from './buckets.js';
import { fitsPassword } from './password.js';
import type { User } from './users-file.js';
import type { Users } from './users-book.js';

/** Tries of one address, and at one name; then one more in a while. */
const PER_ADDRESS = { burst: 10, refillMs: 6000 } as const;
const PER_NAME = { burst: 10, refillMs: 30_000 } as const;

export type LoginResult =
  | { readonly is: 'in'; readonly user: User }
  | { readonly is: 'wrong'; readonly known: boolean }
  | { readonly is: 'wait'; readonly waitMs: number };

/** Judges names and passwords, slowly for whoever guesses. */
export class LoginDesk {
  readonly #users: Users;
  readonly #byAddress: Buckets;
  readonly #byName: Buckets;
  #turnedAway = 0;

  constructor(users: Users, nowMs: () => number) {
    this.#users = users;
    this.#byAddress = new Buckets(PER_ADDRESS, nowMs);
    this.#byName = new Buckets(PER_NAME, nowMs);
  }

  /**
   * A name nobody has takes as long and is answered the same, limits included: the answer does
   * not tell which names there are.
   * @throws PasswordsBusy
   */
  async judge(name: string, password: string, address: string): Promise<LoginResult> {
    const waitMs = Math.max(this.#byAddress.take(neighbourhood(address)), this.#byName.take(name));
    if (waitMs > 0) {
      this.#turnedAway += 1;
      return { is: 'wait', waitMs };
    }
    const user = this.#users.find(name);
    const fits = await fitsPassword(password, user?.password ?? null);
    return fits && user !== null ? { is: 'in', user } : { is: 'wrong', known: user !== null };
  }

  /** Tries not judged since the last call: a flood is counted, not written line by line. */
  takeTurnedAway(): number {
    const n = this.#turnedAway;
    this.#turnedAway = 0;
    return n;
  }
}
