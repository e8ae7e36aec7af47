import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fail, type Finding, ok, warn } from '../../firmware-bridge/doctor/hardware.js';
import { DeviceKey, DeviceKeyError } from '../../storage/checkpoint.js';
import { makeOwnFolder, writeDurably } from '../../surveillance/identity/files.js';

const READABLE = 0o644;
const WHAT = 'signing key';
const CURE =
  'cutcard provision signing-key --dir FOLDER, then `deviceKeyFile:` in the configuration';

/** Places of the key that signs the journal's checkpoints, beside the identity for the broker. */
export const signingKeyFiles = (
  dir: string,
): { readonly key: string; readonly public: string } => ({
  key: join(dir, 'signing.key'),
  public: join(dir, 'signing.pub'),
});

export interface SigningKey {
  /** False where it lay there already: it is kept, rows before were signed by it. */
  readonly isNew: boolean;
  readonly key: DeviceKey;
}

/**
 * Makes the Ed25519 key of this device, or keeps the one that is there, and writes its public half
 * (PEM) beside it for those who verify. @throws Error naming the file that cannot be used
 */
export const ensureSigningKey = (dir: string): SigningKey => {
  makeOwnFolder(dir);
  const files = signingKeyFiles(dir);
  const isNew = !existsSync(files.key);
  const key = isNew ? DeviceKey.create(files.key) : DeviceKey.load(files.key);
  writeDurably(files.public, key.publicPem(), READABLE);
  return { isNew, key };
};

/** What the doctor says of the key that signs checkpoints; `keyFile` null: none is configured. */
export const signingKeyFinding = (keyFile: string | null): Finding => {
  if (keyFile === null) {
    return warn(WHAT, 'none: checkpoints are not signed, the log proves itself only', CURE);
  }
  try {
    return ok(WHAT, `${keyFile}, name ${DeviceKey.load(keyFile).name.slice(0, 16)}`);
  } catch (cause) {
    if (!(cause instanceof DeviceKeyError)) throw cause;
    return fail(WHAT, cause.what, cause.cure);
  }
};
