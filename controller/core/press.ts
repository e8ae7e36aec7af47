import type { Rank, Role } from './cards.js';
import type { Batch, DeviceName } from './observation.js';

/** Who cut: a seat number at the table, or the dealer when every player declined. */
export type Cutter = number | 'dealer';

/** What a person said had been done. One shape per key; nothing here was seen by a sensor. */
export type PressAct =
  | { readonly key: 'open-table' }
  | { readonly key: 'cards-inspected' }
  | { readonly key: 'washed' }
  | { readonly key: 'shuffled' }
  | { readonly key: 'preshuffled'; readonly package: string }
  | { readonly key: 'cut-offered'; readonly seat: number }
  | { readonly key: 'cut-declined'; readonly seat: number }
  | { readonly key: 'cut'; readonly by: Cutter; readonly depth?: number }
  | { readonly key: 'marker-placed' }
  | { readonly key: 'loaded'; readonly batch?: Batch }
  /**
   * `0` is what a keypad sends for a ten taken at its point value: refused with the reason. It also
   * stands for a rank that may not be written down.
   */
  | { readonly key: 'first-card'; readonly rank: Rank | '0' }
  | { readonly key: 'burn-done' }
  | { readonly key: 'no-more-bets'; readonly hands?: number }
  | { readonly key: 'counts-called' }
  | { readonly key: 'last-hand-called' }
  | { readonly key: 'round-end'; readonly result?: string }
  | { readonly key: 'stub-count'; readonly n: number }
  | { readonly key: 'dealer-in'; readonly dealer?: string }
  | { readonly key: 'spill' }
  | { readonly key: 'replace'; readonly out: string; readonly in: string; readonly second?: string }
  | { readonly key: 'spread' }
  | { readonly key: 'inspected' }
  | { readonly key: 'collected' }
  | { readonly key: 'close-table' }
  | { readonly key: 'acknowledge'; readonly finding: string }
  | { readonly key: 'recut' }
  | { readonly key: 'reshuffle' }
  | { readonly key: 'void-round' }
  | { readonly key: 'misdeal'; readonly yes: boolean; readonly full: boolean }
  | { readonly key: 'deck-removed'; readonly batch: Batch }
  | { readonly key: 'deck-in'; readonly batch: Batch; readonly id: string }
  | { readonly key: 'clear'; readonly finding: string }
  | { readonly key: 'accept-gap'; readonly cards: number }
  | {
      readonly key: 'hand-count';
      readonly batch: Batch;
      readonly n: number;
      readonly second: string;
    }
  | { readonly key: 'approve-reshuffler'; readonly device: DeviceName };

export type PressKey = PressAct['key'];

export type Press = {
  readonly kind: 'press';
  readonly role: Role;
  /** Identity of who pressed, where a badge was read. */
  readonly badge?: string;
} & PressAct;
