import { OWN_HEADER } from '../../access/same-origin.js';

/** A question that is not answered within this is given up, ms. */
const PATIENCE_MS = 15_000;

/** `status` 0: the table was not reached. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Asks the table; never throws. */
export const ask = async (address: string, body?: unknown): Promise<Answer> => {
  const sent =
    body === undefined
      ? {}
      : {
          method: 'POST',
          headers: { [OWN_HEADER]: '1', 'content-type': 'application/json' },
          body: JSON.stringify(body),
        };
  try {
    const response = await fetch(address, {
      ...sent,
      cache: 'no-store',
      credentials: 'same-origin',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  } catch {
    return { status: 0, body: null };
  }
};

/** What the table says of an error, in words; `otherwise` where it says nothing. */
export const errorText = ({ body }: Answer, otherwise: string): string =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
    ? body.error
    : otherwise;
