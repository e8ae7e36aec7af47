import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cancel, Scheduler } from '../../controller/core/ports.js';
import type { HealthMessage } from '../contract/messages.js';
import {
  deviceFiles,
  hasAsked,
  identityStatus,
  type IdentityStatus,
  installCertificate,
  makeNextKey,
  recoverInstall,
  requestArgs,
} from './device.js';
import { readText, writeDurably } from './files.js';

/** Between two looks at the certificate, ms: it lives for weeks, a new one is taken within this. */
const LOOK_MS = 30_000;
const OPENSSL_MS = 20_000;
const NS_PER_MS = 1e6;
const READABLE = 0o644;
/** What the house's authority signed is laid here, beside the certificate in use. */
const ISSUED = 'issued.crt';

export type CertificateHealth = NonNullable<HealthMessage['certificate']>;

export interface RenewalParts {
  /** Folder of `device.key` and `device.crt`. */
  readonly dir: string;
  /** Certificate of the authority that must have signed the next one. */
  readonly caFile: string;
  readonly scheduler: Scheduler;
  /** Said once for each new thing that is due or wrong. */
  readonly report: (text: string) => void;
  /** A new certificate is in use: time to connect with it. */
  readonly renewed: () => void;
  readonly lookMs?: number;
}

/**
 * Keeps a table's certificate from running out. When two thirds of its life are over it makes the
 * next key and a request on the device, and says so; a certificate laid into the folder as
 * `issued.crt` is checked and taken into use. An installation that a power cut left half done is
 * finished at the first look. Nothing here throws or holds up the table.
 */
export class Renewal {
  readonly #parts: RenewalParts;
  #cancel: Cancel | null = null;
  #said = '';
  #isAsking = false;
  #running = false;

  constructor(parts: RenewalParts) {
    this.#parts = parts;
  }

  /** Looks at once, so that the first link already has what a cut-off installation left. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#look();
  }

  stop(): void {
    this.#running = false;
    this.#cancel?.();
  }

  health(): CertificateHealth {
    const { dir, scheduler } = this.#parts;
    const asked = hasAsked(dir);
    try {
      const { standing, daysLeft } = identityStatus(dir, scheduler.wallMs());
      return { standing, daysLeft, asked };
    } catch {
      return { standing: 'unreadable', daysLeft: null, asked };
    }
  }

  #look(): void {
    const { scheduler, lookMs = LOOK_MS } = this.#parts;
    try {
      this.#tend();
    } catch (cause) {
      this.#say(cause instanceof Error ? cause.message : String(cause));
    }
    this.#cancel = scheduler.at(scheduler.nowNs() + lookMs * NS_PER_MS, () => this.#look());
  }

  #tend(): void {
    const { dir, renewed, scheduler } = this.#parts;
    if (recoverInstall(dir)) renewed();
    if (this.#takeIssued()) renewed();
    const status = identityStatus(dir, scheduler.wallMs());
    if (status.standing === 'valid') return;
    if (status.standing !== 'not-yet') void this.#ask(status);
    this.#say(dueText(status, deviceFiles(dir).nextRequest));
  }

  /** @throws IdentityError when it is not for the key that waits here, or not valid now. */
  #takeIssued(): boolean {
    const { dir, caFile, scheduler } = this.#parts;
    const issued = join(dir, ISSUED);
    if (!existsSync(issued)) return false;
    const authority = readText(caFile, "the authority's certificate");
    installCertificate(dir, readText(issued, 'the certificate'), authority, scheduler.wallMs());
    rmSync(issued);
    this.#said = '';
    return true;
  }

  /** The request is made by openssl, beside the table's loop and not in it. */
  async #ask({ name }: IdentityStatus): Promise<void> {
    const { dir } = this.#parts;
    const { nextRequest } = deviceFiles(dir);
    if (this.#isAsking || hasAsked(dir)) return;
    this.#isAsking = true;
    try {
      const key = makeNextKey(dir);
      const made = await promisify(execFile)('openssl', [...requestArgs(key, name)], {
        timeout: OPENSSL_MS,
      });
      writeDurably(nextRequest, made.stdout, READABLE);
    } catch (cause) {
      this.#say(`no request could be made: ${cause instanceof Error ? cause.message : ''}`);
    }
    this.#isAsking = false;
  }

  #say(text: string): void {
    if (text === this.#said) return;
    this.#said = text;
    this.#parts.report(text);
  }
}

const dueText = ({ standing, daysLeft }: IdentityStatus, request: string): string => {
  if (standing === 'not-yet') return 'the certificate is not valid yet: compare the clocks';
  const left = standing === 'expired' ? 'it is no longer taken' : `${daysLeft} days are left`;
  return (
    `the certificate is due for renewal, ${left}: have ${request} signed and lay the result ` +
    `beside it as ${ISSUED}`
  );
};
