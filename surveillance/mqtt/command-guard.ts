import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { plainIssue } from '../../controller/config/plain-issue.js';
import { ROLES, type Role } from '../../controller/core/cards.js';
import { cmdSchema, type Order, orderSchema } from '../contract/messages.js';

/** Longest command taken, bytes. */
export const COMMAND_MAX_BYTES = 8192;
/** Longest life of an order, ms. */
export const ORDER_LIFE_MS = 60_000;
/** How far an issuer's clock may be ahead of ours, ms. */
export const CLOCK_SKEW_MS = 5_000;
/** Orders of one key with the same time of issue that are told apart. */
const NONCES_MAX = 1024;
const KEYS_MAX = 64;
/** DER head of an Ed25519 public key (RFC 8410): the 32 bytes of the key follow. */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const SIGNATURE_BYTES = 64;

/** What is signed begins with this, so that no signature made for another purpose fits. */
export const COMMAND_DOMAIN = 'cutcard/v1/cmd\n';

/** One line of the table's list of who may command it. */
export interface AllowedKey {
  readonly name: string;
  /** Ed25519 public key: the raw 32 bytes in base64. */
  readonly publicKey: string;
  readonly role: Role;
}

export type Verdict =
  | {
      readonly taken: true;
      readonly order: Order;
      readonly key: string;
      readonly role: Role;
    }
  | {
      readonly taken: false;
      readonly reason: string;
      readonly command: Order['cmd'] | null;
      readonly nonce: string | null;
      /** Only where the signature proved it. */
      readonly key: string | null;
      readonly role: Role | null;
    };

/** Lowest role each order takes; what a finding's own authority asks for comes on top. */
export const ORDER_ROLE: Readonly<Record<Order['cmd'], Role>> = {
  ack: 'floor',
  resend: 'floor',
  mark: 'floor',
  clear: 'floor',
};

export interface Now {
  readonly wallMs: number;
  readonly wallTrusted: boolean;
}

interface KeyEntry {
  readonly name: string;
  readonly role: Role;
  readonly key: KeyObject;
  /** Time of issue of the newest order taken: an older one is never taken again. */
  lastIssuedMs: number;
  nonces: Set<string>;
}

const no = (reason: string): Verdict => ({
  taken: false,
  reason,
  command: null,
  nonce: null,
  key: null,
  role: null,
});

/**
 * Decides whether an order over the network may be passed on. Replay is shut out without anything
 * on disk: an order is taken only if it was issued after this start and not before the newest one
 * taken from the same key; among those of the same millisecond the nonce decides. A wall clock set
 * back therefore revives nothing.
 */
export class CommandGuard {
  readonly #table: string;
  readonly #keys = new Map<string, KeyEntry>();
  #notBeforeMs = Number.POSITIVE_INFINITY;

  /**
   * `table` is `site/pit/table`.
   * @throws Error naming the key that cannot be used.
   */
  constructor(table: string, keys: readonly AllowedKey[]) {
    this.#table = table;
    if (keys.length > KEYS_MAX) {
      throw new Error(`${keys.length} command keys are listed; a table takes ${KEYS_MAX}`);
    }
    for (const { name, role, publicKey } of keys) {
      if (this.#keys.has(name)) throw new Error(`command key \`${name}\` is listed twice`);
      const entry = { name, role, key: importKey(name, publicKey), lastIssuedMs: 0 };
      this.#keys.set(name, { ...entry, nonces: new Set() });
    }
  }

  /** Orders issued before this moment (and the allowed skew) belong to an earlier run. */
  start(now: Now): void {
    this.#notBeforeMs = now.wallMs + CLOCK_SKEW_MS;
  }

  judge(payload: Uint8Array, now: Now): Verdict {
    if (payload.length > COMMAND_MAX_BYTES) {
      return no(
        `a command takes at most ${COMMAND_MAX_BYTES} bytes; this one has ${payload.length}`,
      );
    }
    const envelope = cmdSchema.safeParse(jsonOf(payload));
    if (!envelope.success) return no('not a command: {signed, key, signature} is expected');
    const { signed, key: name, signature } = envelope.data;
    const entry = this.#keys.get(name);
    if (entry === undefined) return no("the key is not on this table's list");
    if (!isSigned(entry.key, signed, signature)) return no('the signature is not that of the key');
    return this.#judgeOrder(entry, signed, now);
  }

  #judgeOrder(entry: KeyEntry, signed: string, now: Now): Verdict {
    const { name: key, role } = entry;
    const parsed = orderSchema.safeParse(jsonOf(Buffer.from(signed)));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = issue?.path.map((key) => `\`${String(key)}\` `).join('') ?? '';
      const why = issue === undefined ? 'is not taken here' : plainIssue(issue);
      const reason = `the order is not well formed: ${field}${why}`;
      return { taken: false, reason, command: null, nonce: null, key, role };
    }
    const order = parsed.data;
    const reason =
      this.#objection(entry, order) ?? timeObjection(order, now, this.#notBeforeMs) ?? null;
    if (reason !== null) {
      const { cmd: command, nonce } = order;
      return { taken: false, reason, command, nonce, key, role };
    }
    if (order.issuedMs > entry.lastIssuedMs) entry.nonces = new Set();
    entry.lastIssuedMs = order.issuedMs;
    entry.nonces.add(order.nonce);
    return { taken: true, order, key, role };
  }

  #objection(entry: KeyEntry, order: Order): string | null {
    if (order.table !== this.#table) {
      return `the order is for \`${order.table}\`; this is \`${this.#table}\``;
    }
    const needed = ORDER_ROLE[order.cmd];
    if (ROLES.indexOf(entry.role) < ROLES.indexOf(needed)) {
      return `\`${order.cmd}\` takes the role ${needed}; the key has ${entry.role}`;
    }
    if (order.issuedMs < entry.lastIssuedMs) {
      return 'a later order of this key was taken already: out of turn or replayed';
    }
    if (order.issuedMs === entry.lastIssuedMs) {
      if (entry.nonces.has(order.nonce)) return 'this order was taken already: replayed';
      if (entry.nonces.size >= NONCES_MAX) return 'too many orders in one millisecond';
    }
    return null;
  }
}

const timeObjection = (order: Order, now: Now, notBeforeMs: number): string | null => {
  if (!now.wallTrusted) {
    return (
      "the table's clock is not known to be right, so an order's age cannot be told; " +
      "use the table's own keys"
    );
  }
  const { issuedMs, expiresMs } = order;
  if (expiresMs <= issuedMs || expiresMs - issuedMs > ORDER_LIFE_MS) {
    return `an order lives at most ${ORDER_LIFE_MS / 1000} s after its issue`;
  }
  if (issuedMs > now.wallMs + CLOCK_SKEW_MS) {
    return "the order comes from the future: compare the issuer's clock with the table's";
  }
  if (now.wallMs > expiresMs) return 'the order has expired; issue it again';
  if (issuedMs < notBeforeMs)
    return 'the order was issued before this table started; issue it again';
  return null;
};

const jsonOf = (payload: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(payload).toString('utf8'));
  } catch {
    return null;
  }
};

const importKey = (name: string, publicKey: string): KeyObject => {
  const raw = Buffer.from(publicKey, 'base64');
  if (raw.length !== 32) {
    throw new Error(
      `command key \`${name}\`: an Ed25519 public key is 32 bytes in base64, not ${raw.length}`,
    );
  }
  return createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' });
};

const isSigned = (key: KeyObject, signed: string, signature: string): boolean => {
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.length !== SIGNATURE_BYTES) return false;
  return verify(null, Buffer.from(COMMAND_DOMAIN + signed), key, bytes);
};
