/** The pack of 52 in the field's own letters; `T` is the ten. */
export const RANKS = ['A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K'] as const;
export type Rank = (typeof RANKS)[number];

/** Clubs, diamonds, hearts, spades. */
export const SUITS = ['c', 'd', 'h', 's'] as const;
export type Suit = (typeof SUITS)[number];

/** Who acts. Ordered: a role may do whatever the roles to its left on the floor may do. */
export const ROLES = ['dealer', 'floor', 'tech', 'surveillance'] as const;
export type Role = (typeof ROLES)[number];

export const isRank = (text: string): text is Rank => (RANKS as readonly string[]).includes(text);
export const isSuit = (text: string): text is Suit => (SUITS as readonly string[]).includes(text);
