import { isLoopback } from '../../controller/config/loopback.js';

/** Nothing from elsewhere is loaded, framed or sent: a table's network has no outside. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every answer. Source: OWASP's list of secure headers, for a page without a login. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
};

/**
 * Whether a request's Host header names this machine. A web page elsewhere can make its own name
 * resolve to 127.0.0.1 and read what loopback serves; its requests carry its own name.
 */
export const isLocalHostHeader = (header: string | undefined): boolean => {
  const name = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(header ?? '');
  return isLoopback(name?.[1] ?? name?.[2] ?? '');
};
