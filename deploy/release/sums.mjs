// Hashes of the files of a release, and a signature over them that openssl can check.
import { Buffer } from 'node:buffer';
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** What `sha256sum -c` reads, in the order of names. */
export const sumsOf = (folder, names) =>
  names
    .toSorted()
    .map((name) => `${sha256(join(folder, name))}  ${name}\n`)
    .join('');

const GROUP_OR_OTHERS = 0o077;

/** Ed25519 over the sums, and the public key to check it with. Throws for a key others can read. */
export const signedBy = (keyFile, sums) => {
  if ((statSync(keyFile).mode & GROUP_OR_OTHERS) !== 0) {
    throw new Error(`${keyFile} can be read by others; chmod 600 ${keyFile}`);
  }
  const key = createPrivateKey(readFileSync(keyFile));
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new Error(`${keyFile} is no Ed25519 key; openssl genpkey -algorithm ed25519 makes one`);
  }
  return {
    signature: sign(null, Buffer.from(sums), key),
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }),
  };
};
