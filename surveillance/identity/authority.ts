import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { nameIn } from './device.js';
import { IdentityError, makeOwnFolder, readText, writeDurably } from './files.js';
import { openssl } from './openssl.js';

/**
 * A small private authority in a folder: openssl's own `ca` with its index, so that any
 * technician can look into it. The folder belongs on a machine that is off the floor's network.
 */
const OWNER_ONLY = 0o600;
const READABLE = 0o644;
const CA_DAYS = 3650;
export const CLIENT_DAYS = 90;
/** A broker that finds its list of revocations out of date lets nobody in: renewed well before. */
const CRL_DAYS = 90;
const DAYS_MAX = 825;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

const CONFIG = `[ca]
default_ca = own
[own]
database = index.txt
serial = serial
new_certs_dir = issued
certificate = ca.crt
private_key = ca.key
default_md = sha256
default_days = ${CLIENT_DAYS}
default_crl_days = ${CRL_DAYS}
crlnumber = crlnumber
policy = named
unique_subject = no
copy_extensions = none
[named]
commonName = supplied
[client]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = clientAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[authority]
basicConstraints = critical,CA:TRUE,pathlen:0
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[req]
distinguished_name = dn
prompt = no
[dn]
CN = unused
`;

const files = (dir: string) => ({
  key: join(dir, 'ca.key'),
  certificate: join(dir, 'ca.crt'),
  crl: join(dir, 'ca.crl'),
  config: join(dir, 'openssl.cnf'),
});

/** Whether a kill cut the making of an authority short: a key, and nothing signed with it yet. */
const isBegun = (dir: string): boolean => {
  const { key, certificate } = files(dir);
  const signed = statSync(join(dir, 'index.txt'), { throwIfNoEntry: false })?.size ?? 0;
  return existsSync(key) && !existsSync(certificate) && signed === 0;
};

/** @throws IdentityError where there is no authority, or one that was only begun. */
const demandAuthority = (dir: string): void => {
  const { key, certificate } = files(dir);
  if (existsSync(certificate)) return;
  const init = '`cutcard provision authority init`';
  if (isBegun(dir)) {
    throw new IdentityError(`${dir}: its making was cut short: ${init} again ends it`);
  }
  throw new IdentityError(
    existsSync(key)
      ? `${certificate} is missing: put it back from a copy of the folder`
      : `${dir}: there is no authority; ${init} makes one`,
  );
};

/**
 * Makes a new authority, or ends the making of one that was cut short, with the key that is there.
 * The certificate comes last but for the first list of revocations.
 * @throws IdentityError when there is one already.
 */
export const makeAuthority = (dir: string, name: string): void => {
  const { key, certificate, config } = files(dir);
  const begun = isBegun(dir);
  if (existsSync(key) && !begun) {
    throw new IdentityError(`${key} is there already: a second authority needs its own folder`);
  }
  if (!NAME.test(name)) {
    throw new IdentityError(
      `\`${name}\` cannot be an authority's name: it takes letters, digits, \`.\`, \`_\`, \`:\` ` +
        'and `-`, no blanks, at most 128, and begins with a letter or digit, such as north-ca',
    );
  }
  makeOwnFolder(join(dir, 'issued'));
  if (!begun) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeDurably(key, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), OWNER_ONLY);
  }
  writeDurably(config, CONFIG, READABLE);
  writeFileSync(join(dir, 'index.txt'), '');
  writeFileSync(join(dir, 'index.txt.attr'), 'unique_subject = no\n');
  writeFileSync(join(dir, 'serial'), `${randomBytes(8).toString('hex').replace(/^./, '1')}\n`);
  writeFileSync(join(dir, 'crlnumber'), '01\n');
  const made = openssl(
    [
      ...['req', '-new', '-x509', '-key', 'ca.key', '-subj', `/CN=${name}`],
      ...['-days', `${CA_DAYS}`, '-config', 'openssl.cnf', '-extensions', 'authority'],
    ],
    { cwd: dir },
  );
  writeDurably(certificate, made, READABLE);
  renewRevocations(dir);
};

export interface SignOptions {
  /** What the certificate is to say; a request for another name is not signed. */
  readonly name: string;
  readonly days?: number;
  /** For a broker: the names and addresses it is reached by. */
  readonly hosts?: readonly string[];
  /** For tests and for a late request: the first moment it is valid, YYYYMMDDHHMMSSZ. */
  readonly notBefore?: string;
  readonly notAfter?: string;
}

/** Signs a request. @returns the certificate, PEM. @throws IdentityError */
export const signRequest = (dir: string, requestPem: string, options: SignOptions): string => {
  const { name, days = CLIENT_DAYS, hosts = [], notBefore, notAfter } = options;
  if (!NAME.test(name)) throw new IdentityError(`\`${name}\` cannot stand in a certificate`);
  if (!Number.isInteger(days) || days < 1 || days > DAYS_MAX) {
    throw new IdentityError(`a certificate lives 1 to ${DAYS_MAX} days, not ${days}`);
  }
  demandAuthority(dir);
  const subject = openssl(['req', '-noout', '-verify', '-subject', '-nameopt', 'multiline'], {
    input: requestPem,
  });
  const asked = /commonName\s*=\s*(.+)/.exec(subject)?.[1]?.trim();
  if (asked !== name) {
    throw new IdentityError(`the request is for \`${asked ?? 'nobody'}\`, not for \`${name}\``);
  }
  const id = randomBytes(8).toString('hex');
  const [request, extensions, made] = [`${id}.csr`, `${id}.ext`, `${id}.crt`];
  try {
    writeFileSync(join(dir, request), requestPem);
    writeFileSync(join(dir, extensions), extensionsOf(hosts));
    openssl(
      [
        ...['ca', '-batch', '-notext', '-config', 'openssl.cnf', '-days', `${days}`],
        ...['-in', request, '-out', made, '-extfile', extensions],
        ...(notBefore === undefined ? [] : ['-startdate', notBefore]),
        ...(notAfter === undefined ? [] : ['-enddate', notAfter]),
      ],
      { cwd: dir },
    );
    return readText(join(dir, made), 'the new certificate');
  } finally {
    for (const file of [request, extensions, made]) rmSync(join(dir, file), { force: true });
  }
};

const extensionsOf = (hosts: readonly string[]): string => {
  for (const host of hosts) {
    if (!NAME.test(host)) throw new IdentityError(`\`${host}\` is no host name or address`);
  }
  const names = hosts.map((host) => `${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`);
  return [
    'basicConstraints = critical,CA:FALSE',
    'keyUsage = critical,digitalSignature',
    // A broker is a client too where it has a bridge to a group's.
    `extendedKeyUsage = ${hosts.length === 0 ? 'clientAuth' : 'serverAuth,clientAuth'}`,
    'subjectKeyIdentifier = hash',
    'authorityKeyIdentifier = keyid',
    ...(names.length === 0 ? [] : [`subjectAltName = ${names.join(',')}`]),
    '',
  ].join('\n');
};

/** Revokes a certificate and writes the list anew. @returns its name. @throws IdentityError */
export const revoke = (dir: string, certificatePem: string): string => {
  let name: string;
  try {
    name = nameIn(new X509Certificate(certificatePem));
  } catch (cause) {
    throw new IdentityError('what is to be revoked is no certificate in PEM form', cause);
  }
  const file = `${randomBytes(8).toString('hex')}.crt`;
  try {
    writeFileSync(join(dir, file), certificatePem);
    openssl(['ca', '-config', 'openssl.cnf', '-revoke', file], { cwd: dir });
  } finally {
    rmSync(join(dir, file), { force: true });
  }
  renewRevocations(dir);
  return name;
};

/** Writes the list of revocations anew; the broker reads it at SIGHUP. @returns its path. */
export const renewRevocations = (dir: string): string => {
  const list = openssl(['ca', '-config', 'openssl.cnf', '-gencrl'], { cwd: dir });
  const { crl } = files(dir);
  writeDurably(crl, list, READABLE);
  return crl;
};
