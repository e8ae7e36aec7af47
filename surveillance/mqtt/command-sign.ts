import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { type KeyObject, sign } from 'node:crypto';
import type { CmdMessage, Order } from '../contract/messages.js';
import { COMMAND_DOMAIN } from './command-guard.js';

/** Bytes of an Ed25519 public key, the last of its DER form (RFC 8410). */
const KEY_BYTES = 32;

/** The message for a table's `cmd` topic. `key`: the name on the table's list. */
export const signOrder = (order: Order, key: string, privateKey: KeyObject): string => {
  const signed = JSON.stringify(order);
  const signature = sign(null, Buffer.from(COMMAND_DOMAIN + signed), privateKey);
  const message: CmdMessage = { signed, key, signature: signature.toString('base64') };
  return JSON.stringify(message);
};

/**
 * A private key from its PEM text.
 * @throws Error when it is none, or not Ed25519; the text itself is never in the message.
 */
export const commandKeyOf = (pem: string): KeyObject => {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new Error('the file holds no private key in PEM form');
  }
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new Error(`a command key is Ed25519; this one is ${key.asymmetricKeyType ?? 'unknown'}`);
  }
  return key;
};

/** The public half of a command key: raw 32 bytes, base64, as the tables' lists have it. */
export const publicKeyOf = (key: KeyObject): string => {
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return der.subarray(der.length - KEY_BYTES).toString('base64');
};

/** A new command key: `publicKey` is what goes on the tables' lists (raw 32 bytes, base64). */
export const makeCommandKey = (): { readonly pem: string; readonly publicKey: string } => {
  const { privateKey } = generateKeyPairSync('ed25519');
  return {
    pem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    publicKey: publicKeyOf(privateKey),
  };
};
