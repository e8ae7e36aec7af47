/** Keys counted at a time; the one that was quiet longest is forgotten first. */
const KEYS_MAX = 4096;

export interface BucketRule {
  /** What may be done at once. */
  readonly burst: number;
  /** How long one more takes to come back, ms. */
  readonly refillMs: number;
}

interface Bucket {
  left: number;
  atMs: number;
}

/** How often each key may do something: so many at once, then one in a while. */
export class Buckets {
  readonly #rule: BucketRule;
  readonly #nowMs: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rule: BucketRule, nowMs: () => number) {
    this.#rule = rule;
    this.#nowMs = nowMs;
  }

  /** Takes one. @returns 0, or how long to wait, ms: then nothing was taken. */
  take(key: string): number {
    const { burst, refillMs } = this.#rule;
    const nowMs = this.#nowMs();
    const known = this.#buckets.get(key);
    const left =
      known === undefined ? burst : Math.min(burst, known.left + (nowMs - known.atMs) / refillMs);
    this.#buckets.delete(key);
    if (this.#buckets.size >= KEYS_MAX) {
      const [quietest] = this.#buckets.keys();
      if (quietest !== undefined) this.#buckets.delete(quietest);
    }
    const isFree = left >= 1;
    this.#buckets.set(key, { left: isFree ? left - 1 : left, atMs: nowMs });
    return isFree ? 0 : Math.ceil((1 - left) * refillMs);
  }
}

/** Who shares a limit: an IPv4 address; of IPv6 the /64 one customer has. */
export const neighbourhood = (address: string): string => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase();
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...new Array<string>(zeros).fill('0'), ...right].slice(0, 4).join(':');
};
