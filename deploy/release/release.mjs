#!/usr/bin/env node
// Makes a release folder complete: the packages that lie in it get a bill of materials, the
// licences of what is shipped, hashes, and (with --key) a signature over the hashes.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { licenceText, notAllowed, shippedPackages } from './licences.mjs';
import { billOfMaterials } from './sbom.mjs';
import { signedBy, sumsOf } from './sums.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const OF_THE_SUMS = ['SHA256SUMS', 'SHA256SUMS.sig', 'release.pub'];

const main = () => {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(root, 'dist', 'packages') },
      key: { type: 'string' },
    },
  });
  const packages = shippedPackages(root);
  const foreign = notAllowed(packages);
  if (foreign.length > 0) {
    const list = foreign.map(({ name, version, licence }) => `${name} ${version}: ${licence}`);
    throw new Error(
      `terms nobody has agreed to (deploy/release/licences.mjs):\n${list.join('\n')}`,
    );
  }
  const { out, key } = values;
  mkdirSync(out, { recursive: true });
  const epochS = Number(process.env.SOURCE_DATE_EPOCH ?? Math.floor(Date.now() / 1000));
  writeFileSync(join(out, 'cutcard.cdx.json'), billOfMaterials(root, packages, epochS));
  writeFileSync(join(out, 'LICENCES.txt'), `${licenceText(packages)}\n`);
  const names = readdirSync(out, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !OF_THE_SUMS.includes(entry.name))
    .map(({ name }) => name);
  const sums = sumsOf(out, names);
  writeFileSync(join(out, 'SHA256SUMS'), sums);
  if (key === undefined) {
    console.log(`${out}: ${names.length} files, hashes, not signed (give --key FILE)`);
    return;
  }
  const { signature, publicKey } = signedBy(key, sums);
  writeFileSync(join(out, 'SHA256SUMS.sig'), signature);
  writeFileSync(join(out, 'release.pub'), publicKey);
  console.log(`${out}: ${names.length} files, hashes, signed`);
};

try {
  main();
} catch (error) {
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}
