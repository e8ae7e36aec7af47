// The bill of materials of what is shipped: CycloneDX, made by npm from the lock file.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';

const MAX_BYTES = 64 * 1024 * 1024;

/** A UUID that says what it names: the same parts give the same one. */
const uuidOf = (text) => {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
};

const idOf = ({ name, version }) => `${name}@${version}`;

/**
 * CycloneDX JSON of the packages `shipped` from the checkout `root`, the same bytes for the same
 * lock file and time. npm's own `--omit dev` also drops what both we and a tool of ours use
 * (seen with npm 11.19: commander), so the whole list is asked for and the tools are taken out.
 */
export const billOfMaterials = (root, shipped, epochS) => {
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: MAX_BYTES,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const bill = JSON.parse(text);
  const wanted = new Set(shipped.map(idOf));
  bill.components = bill.components.filter((part) => wanted.has(idOf(part)));
  const found = new Set(bill.components.map(idOf));
  const lost = [...wanted].filter((id) => !found.has(id));
  if (lost.length > 0) throw new Error(`npm left out of its list: ${lost.join(', ')}`);
  const top = bill.metadata.component;
  const kept = new Set([top['bom-ref'], ...bill.components.map((part) => part['bom-ref'])]);
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((id) => kept.has(id)) }));
  top.name = 'cutcard';
  top.type = 'application';
  bill.metadata.timestamp = new Date(epochS * 1000).toISOString();
  bill.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bill.components))}`;
  return `${JSON.stringify(bill, null, 2)}\n`;
};
