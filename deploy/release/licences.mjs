// What is shipped besides our own code, and on which terms: read from the installed packages.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Terms under which a package may be shipped in a closed box. Another one is a decision page. */
export const ALLOWED = [
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
  '0BSD',
  'CC0-1.0',
];

const isAllowed = (expression) => {
  const words = expression
    .replaceAll(/[()]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
  // `A OR B`: one that is allowed will do. `A AND B`: every one of them must be.
  return words.includes('AND')
    ? words.filter((word) => word !== 'AND').every((word) => ALLOWED.includes(word))
    : words.some((word) => ALLOWED.includes(word));
};

/** Packages of the lock file that a table runs: `{ name, version, licence, folder }`. */
export const shippedPackages = (root) => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(lock.packages)
    .filter(([folder, entry]) => folder !== '' && entry.dev !== true && entry.devOptional !== true)
    .map(([folder, { version, license }]) => ({
      name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      licence: license ?? 'not stated',
      folder: join(root, folder),
    }))
    .sort((a, b) =>
      a.name === b.name ? (a.version < b.version ? -1 : 1) : a.name < b.name ? -1 : 1,
    );
};

/** Packages whose terms nobody has agreed to. */
export const notAllowed = (packages) => packages.filter(({ licence }) => !isAllowed(licence));

const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/** Texts that must travel with a package; none where it is not installed on this machine. */
const textsOf = (folder) => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
      .map(({ name }) => readFileSync(join(folder, name), 'utf8').trim());
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
};

/** One text file with every package, its terms and its notices. */
export const licenceText = (packages) =>
  packages
    .map(({ name, version, licence, folder }) =>
      [`${name} ${version}: ${licence}`, ...textsOf(folder)].join('\n\n'),
    )
    .join(`\n\n${'-'.repeat(72)}\n\n`);
