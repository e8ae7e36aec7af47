import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  X509Certificate,
} from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { IdentityError, makeOwnFolder, moveDurably, readText, writeDurably } from './files.js';
import { openssl } from './openssl.js';

/**
 * A device's identity in a folder of its own:
 *
 *     device.key  device.crt     in use
 *     next.key    next.csr       made for a renewal, until its certificate is installed
 *     previous.key previous.crt  what was in use before the last renewal
 *     ca.crt                     of the authority that signed, kept from the first installation on
 *
 * The key is made here and never leaves; only the request does.
 */
export interface DeviceFiles {
  readonly key: string;
  readonly certificate: string;
  readonly authority: string;
  readonly nextKey: string;
  readonly nextRequest: string;
  readonly previousKey: string;
  readonly previousCertificate: string;
}

const OWNER_ONLY = 0o600;
const READABLE = 0o644;
const DAY_MS = 86_400_000;
/** Part of its life after which a certificate is to be renewed. */
const RENEW_AT = 2 / 3;

export const deviceFiles = (dir: string): DeviceFiles => ({
  key: join(dir, 'device.key'),
  certificate: join(dir, 'device.crt'),
  authority: join(dir, 'ca.crt'),
  nextKey: join(dir, 'next.key'),
  nextRequest: join(dir, 'next.csr'),
  previousKey: join(dir, 'previous.key'),
  previousCertificate: join(dir, 'previous.crt'),
});

/**
 * Makes a new key on this device and the request for its certificate; asked again, it keeps the
 * key that waits. `name`: what the certificate is to say (the table's client id).
 * @returns path of the request. @throws IdentityError
 */
export const makeRequest = (dir: string, name: string): string => {
  const { nextRequest } = deviceFiles(dir);
  writeDurably(nextRequest, openssl(requestArgs(makeNextKey(dir), name)), READABLE);
  return nextRequest;
};

/** A key waits here and the request for its certificate is made. */
export const hasAsked = (dir: string): boolean => {
  const { nextKey, nextRequest } = deviceFiles(dir);
  return existsSync(nextKey) && existsSync(nextRequest);
};

/** Makes the key that waits for a certificate, or keeps the one that waits. @returns its path. */
export const makeNextKey = (dir: string): string => {
  makeOwnFolder(dir);
  const { nextKey } = deviceFiles(dir);
  if (!existsSync(nextKey)) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    writeDurably(nextKey, pem, OWNER_ONLY);
  }
  return nextKey;
};

/** What openssl is asked for a request in the name `name` by the key in a file. */
export const requestArgs = (keyFile: string, name: string): readonly string[] => [
  ...['req', '-new', '-key', keyFile, '-subj', `/CN=${name}`],
];

/**
 * Takes the signed certificate into use: only if it belongs to the key that waits here, carries
 * the expected name, was signed by `caPem` and is valid now. What was in use is kept beside it.
 * The authority's certificate is kept beside it, unless one is there: by that one the broker is
 * judged until a person puts another in its place.
 * A power cut in between leaves either the old pair or the new one to `recoverInstall`.
 * @throws IdentityError saying which of these does not hold.
 */
export const installCertificate = (
  dir: string,
  certificatePem: string,
  caPem: string,
  nowMs: number,
): Installed => {
  const files = deviceFiles(dir);
  const certificate = parse(certificatePem, 'the certificate');
  const key = createPrivateKey(readText(files.nextKey, 'the key that waits for a certificate'));
  if (!certificate.checkPrivateKey(key)) {
    throw new IdentityError('the certificate is for another key than the one that waits here');
  }
  const fault = certificateFault(certificate, parse(caPem, "the authority's certificate"), nowMs);
  if (fault !== null) throw new IdentityError(fault);
  if (existsSync(files.certificate)) {
    const present = nameIn(parse(readText(files.certificate, 'the certificate in use'), 'it'));
    if (present !== nameIn(certificate)) {
      throw new IdentityError(
        `the certificate is for \`${nameIn(certificate)}\`; this device is \`${present}\``,
      );
    }
    const pem = readText(files.certificate, 'the certificate in use');
    writeDurably(files.previousCertificate, pem, READABLE);
    writeDurably(files.previousKey, readText(files.key, 'the key in use'), OWNER_ONLY);
  }
  if (!existsSync(files.authority)) writeDurably(files.authority, caPem, READABLE);
  // The certificate first: a key without it is recognised at the next start, see `recoverInstall`.
  writeDurably(files.certificate, certificatePem, READABLE);
  moveDurably(files.nextKey, files.key);
  rmSync(files.nextRequest, { force: true });
  const kept = readText(files.authority, "the authority's certificate kept here");
  return {
    name: nameIn(certificate),
    validToMs: Date.parse(certificate.validTo),
    authority: kept.includes(caPem.trim()) ? 'kept' : 'another',
  };
};

export interface Installed {
  readonly name: string;
  readonly validToMs: number;
  /** Whether `ca.crt` holds the authority that signed, or only another one. */
  readonly authority: 'kept' | 'another';
}

/** Finishes an installation that a power cut left half done; true when there was one. */
export const recoverInstall = (dir: string): boolean => {
  const files = deviceFiles(dir);
  if (!existsSync(files.nextKey) || !existsSync(files.certificate)) return false;
  const certificate = parse(readText(files.certificate, 'the certificate in use'), 'it');
  const key = createPrivateKey(readText(files.nextKey, 'the waiting key'));
  if (!certificate.checkPrivateKey(key)) return false;
  moveDurably(files.nextKey, files.key);
  rmSync(files.nextRequest, { force: true });
  return true;
};

export interface IdentityStatus {
  readonly name: string;
  readonly serial: string;
  readonly validFromMs: number;
  readonly validToMs: number;
  readonly daysLeft: number;
  /** `renew`: two thirds of its life are over. */
  readonly standing: 'valid' | 'renew' | 'expired' | 'not-yet';
}

/** @throws IdentityError when there is no certificate, or it does not belong to the key. */
export const identityStatus = (dir: string, nowMs: number): IdentityStatus => {
  const files = deviceFiles(dir);
  const certificate = parse(readText(files.certificate, 'the certificate'), 'the certificate');
  const key = createPrivateKey(readText(files.key, 'the key'));
  if (!certificate.checkPrivateKey(key)) {
    throw new IdentityError(`${files.certificate} does not belong to ${files.key}`);
  }
  const [fromMs, toMs] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  return {
    name: nameIn(certificate),
    serial: certificate.serialNumber,
    validFromMs: fromMs,
    validToMs: toMs,
    daysLeft: Math.floor((toMs - nowMs) / DAY_MS),
    standing: standingOf(fromMs, toMs, nowMs),
  };
};

const standingOf = (fromMs: number, toMs: number, nowMs: number): IdentityStatus['standing'] => {
  if (nowMs < fromMs) return 'not-yet';
  if (nowMs > toMs) return 'expired';
  return nowMs > fromMs + (toMs - fromMs) * RENEW_AT ? 'renew' : 'valid';
};

const parse = (pem: string, what: string): X509Certificate => {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new IdentityError(`${what} is no certificate in PEM form`, cause);
  }
};

/** The common name. */
export const nameIn = (certificate: X509Certificate): string =>
  /^CN=(.+)$/m.exec(certificate.subject)?.[1] ?? '';

const certificateFault = (
  certificate: X509Certificate,
  authority: X509Certificate,
  nowMs: number,
): string | null => {
  const authorityKey = createPublicKey(authority.publicKey.export({ type: 'spki', format: 'pem' }));
  if (!certificate.checkIssued(authority) || !certificate.verify(authorityKey)) {
    return 'the certificate was not signed by this authority';
  }
  const standing = standingOf(
    Date.parse(certificate.validFrom),
    Date.parse(certificate.validTo),
    nowMs,
  );
  if (standing === 'expired') return `the certificate expired on ${certificate.validTo}`;
  if (standing === 'not-yet') {
    return `the certificate is valid from ${certificate.validFrom}: compare the clocks`;
  }
  return null;
};
