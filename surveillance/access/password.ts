import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/**
 * Cost of a new hash: 2^15 blocks of 8, three lanes; 32 MiB and some 0.2 s of one core.
 * Source: OWASP, Password Storage Cheat Sheet, scrypt.
 */
const COST = { ln: 15, r: 8, p: 3 } as const;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** What a hash from a file may cost at most: a made-up one is not to take all the memory. */
const LIMITS = { ln: 17, r: 16, p: 8 } as const;
const MAX_MEMORY_BYTES = 320 * 1024 * 1024;

/** Shortest and longest password taken, characters. Source: NIST SP 800-63B, 5.1.1.2. */
export const PASSWORD_MIN = 12;
const PASSWORD_MAX = 128;

/** Hashes worked on at a time and waiting: each takes memory and a core. */
const AT_A_TIME = 1;
const WAITING_MAX = 16;

/** Too many passwords wait to be checked: ask again later. */
export class PasswordsBusy extends Error {
  /** For whoever answers requests. */
  readonly statusCode = 503;

  constructor() {
    super('Too many logins at once. Try again in a few seconds.');
    this.name = 'PasswordsBusy';
  }
}

interface Cost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

interface Hash extends Cost {
  readonly salt: Buffer;
  readonly key: Buffer;
}

let working = 0;
const waiting: (() => void)[] = [];

/** One place at the work bench, in order of arrival. */
const enter = async (): Promise<void> => {
  if (working >= AT_A_TIME) {
    if (waiting.length >= WAITING_MAX) throw new PasswordsBusy();
    // Whoever leaves hands the place over, so `working` stays as it is.
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else working += 1;
};

const leave = (): void => {
  const next = waiting.shift();
  if (next === undefined) working -= 1;
  else next();
};

/** One key from OpenSSL's scrypt, on a thread of the pool. */
const derive = async (password: string, salt: Buffer, cost: Cost): Promise<Buffer> => {
  await enter();
  try {
    return await new Promise((resolve, reject) => {
      const { ln, r, p } = cost;
      const options = { N: 2 ** ln, r, p, maxmem: MAX_MEMORY_BYTES };
      // The same letters typed on another keyboard are the same password.
      scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) => {
        if (error === null) resolve(key);
        else reject(error);
      });
    });
  } finally {
    leave();
  }
};

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Why a password is not taken; null when it is. */
export const passwordFault = (password: string, name: string): string | null => {
  const length = Array.from(password).length;
  if (length < PASSWORD_MIN) return `a password has at least ${PASSWORD_MIN} characters`;
  if (length > PASSWORD_MAX) return `a password has at most ${PASSWORD_MAX} characters`;
  if (new Set(password).size < 5) return 'this password repeats too few characters';
  if (password.toLowerCase().includes(name)) return 'a password must not contain the name';
  return null;
};

/** `$scrypt$ln=15,r=8,p=3$salt$key`, the form password hashes are passed on in. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, COST);
  const { ln, r, p } = COST;
  return `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(key)}`;
};

const FORM =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/** A hash taken apart; null where it is none or costs more than is allowed. */
const readHash = (text: string): Hash | null => {
  const match = FORM.exec(text);
  if (match === null) return null;
  const [ln, r, p] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (ln < 10 || ln > LIMITS.ln || r < 1 || r > LIMITS.r || p < 1 || p > LIMITS.p) return null;
  const [salt, key] = [
    Buffer.from(match[4] ?? '', 'base64'),
    Buffer.from(match[5] ?? '', 'base64'),
  ];
  return { ln, r, p, salt, key };
};

export const isPasswordHash = (text: string): boolean => readHash(text) !== null;

/** Nobody's: it costs as much to compare with as anybody's. */
const NOBODY: Hash = { ...COST, salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES) };

/**
 * Whether a password fits; a null hash (no such person, or none without single sign-on) takes as
 * long and never fits.
 * @throws PasswordsBusy
 */
export const fitsPassword = async (password: string, hash: string | null): Promise<boolean> => {
  const known = hash === null ? null : readHash(hash);
  const { salt, key, ...cost } = known ?? NOBODY;
  const given = Array.from(password).length > PASSWORD_MAX ? '' : password;
  const same = timingSafeEqual(await derive(given, salt, cost), key);
  return same && known !== null;
};
