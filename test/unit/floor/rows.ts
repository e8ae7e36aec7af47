import { createHash } from 'node:crypto';
import { type HeardRow, NO_HASH } from '../../../surveillance/floor/store/row-store.js';

export const NOW = Date.UTC(2026, 10, 29, 12);

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A table's next row, with a hash that is right; by default one that changes nothing. */
export const rowAfter = (
  table: string,
  before: HeardRow | null,
  step: { readonly decisions?: readonly unknown[]; readonly observation?: object } = {},
): HeardRow => {
  const seq = (before?.seq ?? 0) + 1;
  const { decisions = [], observation = { kind: 'mouth.clear' } } = step;
  const stamp = { atNs: seq, seq, wallMs: NOW, wallTrusted: true };
  const body = JSON.stringify({ decisions, observation: { ...observation, ...stamp } });
  const prev = before?.hash ?? NO_HASH;
  const hash = sha256(prev + body);
  return { table, seq, prev, hash, wallMs: NOW, heardMs: NOW, isHistorical: false, body };
};
