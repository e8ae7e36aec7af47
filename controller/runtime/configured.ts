import { readGiven } from '../config/given-file.js';
import { type BrokerPlace, brokerPlace } from '../config/schema.js';
import { EXIT, Refusal } from './exit.js';

// What a configuration names, the table's or the floor's.

/** A key, a certificate, a password or a list: what is in it is never told. @throws Refusal, 78 */
export const configuredText = (path: string, what: string): string => {
  try {
    return readGiven(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(EXIT.config, `${path}: ${what} cannot be read: ${why}`, cause);
  }
};

/** Where a broker's address leads. @throws Refusal, 78, for one that is none */
export const configuredBroker = (url: string): BrokerPlace => {
  const place = brokerPlace(url);
  if (place !== null) return place;
  throw new Refusal(EXIT.config, `\`${url}\` is no broker's address: write mqtts://host:8883`);
};
