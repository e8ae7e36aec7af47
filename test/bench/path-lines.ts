/**
 * What the machine on the serial line says, line by line: a counted inventory, then its door. The
 * door's state is drawn from the line's number, so that a lost, repeated or misplaced line shows.
 * Both are sentences of the profile `shuffler-lines`.
 */
export const CARDS = 416;

const isOpen = (k: number): boolean => ((Math.imul(k + 1, 2_654_435_761) >>> 16) & 1) === 1;

export const lineOf = (k: number): string =>
  k % 2 === 0 ? `INV ${CARDS} red\n` : `DOOR ${isOpen(k) ? 'OPEN' : 'CLOSED'}\n`;

/** The same line as it is known again in a message. */
export const wordOf = (k: number): string => {
  if (k % 2 === 0) return 'inventory';
  return isOpen(k) ? 'open' : 'closed';
};

/** Which line's word a message holds; null for what no line caused. */
export const wordIn = (payload: string): string | null => {
  if (payload.includes('"kind":"shuffler.inventory"')) return 'inventory';
  if (!payload.includes('"kind":"shuffler.door"')) return null;
  return payload.includes('"open":true') ? 'open' : 'closed';
};
