import { execFileSync } from 'node:child_process';
import { IdentityError } from './files.js';

const TIMEOUT_MS = 20_000;

/**
 * Runs the openssl of the system: certificates are made by the tool that everybody can check.
 * @throws IdentityError with what openssl said.
 */
export const openssl = (
  args: readonly string[],
  options: { readonly input?: string; readonly cwd?: string } = {},
): string => {
  try {
    return execFileSync('openssl', [...args], {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...options,
    });
  } catch (cause) {
    throw new IdentityError(`openssl ${args[0] ?? ''} failed: ${saidBy(cause)}`, cause);
  }
};

const saidBy = (cause: unknown): string => {
  if (typeof cause !== 'object' || cause === null) return 'unknown cause';
  if ('code' in cause && cause.code === 'ENOENT') {
    return 'the program `openssl` is not installed; apt-get install openssl';
  }
  const said = 'stderr' in cause ? String(cause.stderr).trim() : '';
  return said === '' ? 'unknown cause' : said.split('\n').slice(-2).join(' ');
};
