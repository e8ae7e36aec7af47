import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AllowedKey } from '../../../surveillance/mqtt/command-guard.js';
import {
  commandKeyOf,
  makeCommandKey,
  publicKeyOf,
} from '../../../surveillance/mqtt/command-sign.js';
import { readGiven } from '../../config/given-file.js';
import { EXIT, Refusal } from '../exit.js';

const NAME = 'demo-desk';
const OWNER_ONLY = 0o600;

/** The key that whoever watches the demo may sign orders with. */
export interface DeskKey {
  /** Where the private key lies, for its owner alone. */
  readonly file: string;
  /** What the demo's table must list. */
  readonly allowed: AllowedKey;
}

const publicOf = (file: string): string => {
  try {
    return publicKeyOf(commandKeyOf(readGiven(file)));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(EXIT.usage, `${file}: ${why}; remove it, and another is made`, cause);
  }
};

/** Makes the key in the demo's folder, or takes the one that is there. @throws Refusal */
export const deskKey = (folder: string): DeskKey => {
  const file = join(folder, 'command.key');
  if (existsSync(file)) {
    return { file, allowed: { name: NAME, publicKey: publicOf(file), role: 'floor' } };
  }
  const { pem, publicKey } = makeCommandKey();
  writeFileSync(file, pem, { mode: OWNER_ONLY, flag: 'wx' });
  return { file, allowed: { name: NAME, publicKey, role: 'floor' } };
};
