import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileWords, readGiven } from '../controller/config/given-file.js';
import { canonicalJson } from './canonical.js';
import { JournalFault } from './fault.js';
import type { SignedCheckpoint } from './store.js';

/**
 * What the device swears to: everything up to row `seq` was so at that time. The MQTT topic
 * `checkpoint` carries the same fields without `type`, and the signature.
 */
export interface Checkpoint {
  /** Keeps the signature from meaning anything else. */
  readonly type: typeof CHECKPOINT_TYPE;
  readonly seq: number;
  /** Hash of row `seq`, hex. */
  readonly hash: string;
  readonly boot: number;
  /** SHA-256 of the procedure and of the table's configuration in force, hex. */
  readonly procedure: string | null;
  readonly table: string | null;
  readonly wallMs: number;
  readonly wallTrusted: boolean;
  /** SHA-256 of the 32 bytes of the public key, hex. */
  readonly key: string;
}

export const CHECKPOINT_TYPE = 'cutcard-checkpoint-1';
const KEY_BYTES = 32;
/** What stands before the 32 bytes of an Ed25519 public key in SubjectPublicKeyInfo (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** A key file that cannot be used: its message says what is wrong, and the cure behind it. */
export class DeviceKeyError extends Error {
  override readonly name = 'DeviceKeyError';
  /** What is wrong, without the cure. */
  readonly what: string;
  readonly cure: string;

  constructor(what: string, cure: string, cause?: unknown) {
    super(`${what}; ${cure}`, cause === undefined ? {} : { cause });
    this.what = what;
    this.cure = cure;
  }
}

/** A key that is none is never replaced by itself: it may be the only one, damaged. */
const anotherKey = (path: string): string =>
  `put back a copy of the key; where there is none, move ${path} away and run ` +
  `\`cutcard provision signing-key --dir ${dirname(path)}\` for a new one (what the old one ` +
  'signed is still proved by its public half)';

const modeOf = (path: string): number => {
  try {
    return statSync(path).mode;
  } catch (cause) {
    const cure = `run \`cutcard provision signing-key --dir ${dirname(path)}\`, or name its file`;
    throw new DeviceKeyError(`device key ${path}: ${fileWords(cause)}`, cure, cause);
  }
};

const readPrivateKey = (path: string): KeyObject => {
  let text: string;
  try {
    text = readGiven(path);
  } catch (cause) {
    const cure = 'look at its owner and permissions: the service’s user has to read it';
    throw new DeviceKeyError(`device key ${path}: ${fileWords(cause)}`, cure, cause);
  }
  try {
    return createPrivateKey(text);
  } catch (cause) {
    // What the library says of a key may not be shown: it could hold a part of it.
    const what = `device key ${path} is no private key (PEM, PKCS#8)`;
    throw new DeviceKeyError(what, anotherKey(path), cause);
  }
};

/** Signs for one device. The private key never leaves it and is never printed. */
export class DeviceKey {
  readonly #private: KeyObject;
  /** 32 bytes, base64. */
  readonly publicKey: string;
  /** SHA-256 of those bytes, hex. */
  readonly name: string;

  private constructor(key: KeyObject) {
    this.#private = key;
    const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
    this.publicKey = spki.subarray(-KEY_BYTES).toString('base64');
    this.name = keyName(this.publicKey);
  }

  /** A key of its own, kept nowhere: for runs in memory and tests. */
  static generate(): DeviceKey {
    return new DeviceKey(generateKeyPairSync('ed25519').privateKey);
  }

  /** Makes a new key file, readable by its owner only. @throws when the file is there already */
  static create(path: string): DeviceKey {
    const { privateKey } = generateKeyPairSync('ed25519');
    const file = openSync(path, 'wx', OWNER_ONLY);
    try {
      writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
      fsyncSync(file);
    } catch (cause) {
      // Half a key would be kept for ever, and never taken.
      rmSync(path, { force: true });
      throw cause;
    } finally {
      closeSync(file);
    }
    return new DeviceKey(privateKey);
  }

  /** @throws DeviceKeyError naming a file that is missing, open to others or no Ed25519 key */
  static load(path: string): DeviceKey {
    const mode = modeOf(path);
    if ((mode & OTHERS) !== 0) {
      const what = `device key ${path} can be read by others`;
      throw new DeviceKeyError(what, `run \`chmod 600 ${path}\``);
    }
    const key = readPrivateKey(path);
    if (key.asymmetricKeyType !== 'ed25519') {
      const what = `device key ${path} is of type ${key.asymmetricKeyType}, not ed25519`;
      throw new DeviceKeyError(what, anotherKey(path));
    }
    return new DeviceKey(key);
  }

  /** The public half as PEM (SubjectPublicKeyInfo), for those who verify. */
  publicPem(): string {
    return createPublicKey(this.#private).export({ type: 'spki', format: 'pem' }).toString();
  }

  /** Ed25519 over the bytes. */
  sign(bytes: Buffer): Buffer {
    return sign(null, bytes, this.#private);
  }

  /** The text that is signed, and its signature. */
  checkpoint(of: Omit<Checkpoint, 'type' | 'key'>): SignedCheckpoint {
    const body = canonicalJson({ ...of, type: CHECKPOINT_TYPE, key: this.name });
    return { seq: of.seq, body, signature: this.sign(Buffer.from(body)).toString('base64') };
  }
}

type Fields = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isCheckpoint = (value: unknown): value is Checkpoint =>
  isMap(value) &&
  value['type'] === CHECKPOINT_TYPE &&
  ['seq', 'boot', 'wallMs'].every((field) => typeof value[field] === 'number') &&
  ['hash', 'key'].every((field) => typeof value[field] === 'string') &&
  typeof value['wallTrusted'] === 'boolean' &&
  [value['procedure'], value['table']].every((hash) => hash === null || typeof hash === 'string');

/** What a checkpoint says; null where the text is none. */
export const readCheckpoint = (body: string): Checkpoint | null => {
  try {
    const value: unknown = JSON.parse(body);
    return isCheckpoint(value) ? value : null;
  } catch {
    return null;
  }
};

/** Bytes of a text in base64; null where they have another spelling (spare bits, line breaks). */
const bytesOf = (base64: string): Buffer | null => {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes : null;
};

/** Whether the signature is that of the key (32 bytes, base64) over the text. */
export const isSigned = (text: string, signature: string, publicKey: string): boolean => {
  const [raw, signed] = [bytesOf(publicKey), bytesOf(signature)];
  if (raw?.length !== KEY_BYTES || signed === null) return false;
  const spki = Buffer.concat([SPKI_HEAD, raw]);
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), key, signed);
};

/** Name of a public key (32 bytes, base64): SHA-256 of its bytes, hex; '' where it is none. */
export const keyName = (publicKey: string): string => {
  const bytes = bytesOf(publicKey);
  return bytes === null ? '' : createHash('sha256').update(bytes).digest('hex');
};

/** The key in SubjectPublicKeyInfo; null where it is none, or of another kind. */
const spkiOf = (pem: string): Buffer | null => {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key.export({ type: 'spki', format: 'der' }) : null;
  } catch {
    return null;
  }
};

/**
 * Reads a public key: a PEM file's text, or the 32 bytes in base64. @throws JournalFault
 */
export const readPublicKey = (text: string, path: string): string => {
  if (text.includes('PRIVATE KEY')) {
    throw new JournalFault(
      'asked',
      `${path} holds a private key: give the public key only (\`signing.pub\`)`,
    );
  }
  if (text.includes('BEGIN PUBLIC KEY')) {
    const spki = spkiOf(text);
    if (spki !== null) return spki.subarray(-KEY_BYTES).toString('base64');
  }
  const bare = text.trim();
  if (bytesOf(bare)?.length === KEY_BYTES) return bare;
  throw new JournalFault('asked', `${path} holds no Ed25519 public key`);
};
