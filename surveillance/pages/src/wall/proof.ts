import type { Tile } from '../../../floor/api.js';

/**
 * `signed`: a signed checkpoint stands at the row or behind it · `not-yet`: the newest one stands
 * before it · `never`: the table has sent none at all.
 */
export type Proof = 'signed' | 'not-yet' | 'never';

/** Whether an evidence file made now would prove a row. A table that is not known here: no. */
export const proofOf = (tile: Pick<Tile, 'holding'> | undefined, row: number): Proof => {
  const signedSeq = tile?.holding.signedSeq ?? 0;
  if (signedSeq === 0) return 'never';
  return row <= signedSeq ? 'signed' : 'not-yet';
};

/** Why a file would not prove it, and the cure; empty where it would. */
export const proofText = (tile: Pick<Tile, 'holding'> | undefined, row: number): string => {
  const signedSeq = tile?.holding.signedSeq ?? 0;
  switch (proofOf(tile, row)) {
    case 'signed':
      return '';
    case 'not-yet':
      return (
        `Rows from ${signedSeq + 1} on are not signed yet: a file of them is whole, not proved. ` +
        'The table signs every 1,000 rows, every 5 minutes and at the end of a shoe: ask then.'
      );
    case 'never':
      return (
        'This table has sent no signed checkpoint: a file from here shows its rows, and nothing ' +
        'proves whose they are. A signing key at the table is the cure, for the rows from then on.'
      );
  }
};

/** The row a finding was raised at is the first part of its id. */
export const rowOfFinding = (id: string): number => Number.parseInt(id, 10);
