import type { IncomingHttpHeaders } from 'node:http';

/** A header no form and no picture can send: a browser asks first before a page elsewhere may. */
export const OWN_HEADER = 'x-cutcard';

/**
 * Why a request that changes something is not one of our own pages'; null when it is. Three
 * checks, each enough alone in a browser of today: the header, what the browser says of the site
 * the request came from, and the origin. Source: OWASP, Cross-Site Request Forgery Prevention.
 * @param host the name the browser used, as the request or the proxy tells it.
 */
export const foreignRequest = (headers: IncomingHttpHeaders, host: string): string | null => {
  if (headers[OWN_HEADER] === undefined) return `the header ${OWN_HEADER} is missing`;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return 'it comes from another site';
  const { origin } = headers;
  if (origin === undefined) return null;
  if (!URL.canParse(origin) || new URL(origin).host !== host) return 'it comes from another origin';
  return null;
};
