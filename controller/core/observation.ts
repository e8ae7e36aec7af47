import type { Rank, Role, Suit } from './cards.js';
import type { Press } from './press.js';

/**
 * Everything that reaches the rules. Timers and lost links are observations too, so that a journal
 * replays exactly. Source of the words: docs/CONTRACT.md, "Inputs".
 */
export interface Stamp {
  /** Position in the table's journal, from 1; never starts again at a boot. */
  readonly seq: number;
  /**
   * Nanoseconds of watched time on this table: monotonic, and continued over restarts (the dark
   * time counts zero), so it never runs back within one journal.
   */
  readonly atNs: number;
  /** Wall time in milliseconds since the epoch: for people and video, never for a decision. */
  readonly wallMs: number;
  /** False while the clock is not known to be synchronised. */
  readonly wallTrusted: boolean;
}

export type ShufflerMode = 'shuffle' | 'sort' | 'count';
export type Lamp = 'green' | 'red' | 'blink' | 'off';

/** A device's name in the board file: `mouth`, `shuffler`, `reader`, `keypad`, ... */
export type DeviceName = string;
/** A batch is named by the colour of its backs: `red`, `blue`. */
export type Batch = string;

export type Sensed =
  | {
      readonly kind: 'card.out';
      readonly back?: Batch;
      readonly rank?: Rank;
      readonly suit?: Suit;
      /** Length of the card along its travel, in mm; null where it stopped or turned on its way. */
      readonly lengthMm: number | null;
      /** null with `lengthMm`. */
      readonly speedMmS: number | null;
    }
  | { readonly kind: 'card.back' }
  | { readonly kind: 'card.double'; readonly lengthMm: number }
  | { readonly kind: 'cover.out' }
  | { readonly kind: 'mouth.blocked' }
  | { readonly kind: 'mouth.clear' }
  | { readonly kind: 'shoe.loaded' }
  | { readonly kind: 'shoe.empty' }
  | { readonly kind: 'lid.open' }
  | { readonly kind: 'lid.closed' }
  | { readonly kind: 'rack.count'; readonly n: number }
  | { readonly kind: 'shuffler.start'; readonly batch?: Batch }
  | {
      readonly kind: 'shuffler.done';
      readonly batch?: Batch;
      readonly count?: number;
      readonly mode?: ShufflerMode;
      readonly lamp?: Lamp;
    }
  | { readonly kind: 'shuffler.lamp'; readonly lamp: Lamp; readonly batch?: Batch }
  | { readonly kind: 'shuffler.jam' }
  | { readonly kind: 'shuffler.door'; readonly open: boolean }
  | { readonly kind: 'shuffler.inventory'; readonly batch: Batch; readonly count: number }
  | { readonly kind: 'shuffler.unload'; readonly batch: Batch; readonly count: number };

export type Condition =
  | { readonly kind: 'link.up'; readonly device: DeviceName; readonly identity?: string }
  | { readonly kind: 'link.down'; readonly device: DeviceName; readonly reason?: string }
  | { readonly kind: 'device.stale'; readonly device: DeviceName }
  | {
      readonly kind: 'power.boot';
      readonly unclean: boolean;
      readonly boot: number;
      readonly version?: string;
      /** SHA-256 of the procedure and of the table's configuration, kept as journal documents. */
      readonly procedure?: string;
      readonly table?: string;
    }
  /** Stopped on purpose: a run that does not end with this row ended by accident. */
  | { readonly kind: 'power.off' }
  | { readonly kind: 'clock.step'; readonly stepMs: number }
  | { readonly kind: 'clock.trust'; readonly trusted: boolean }
  | { readonly kind: 'journal.fault'; readonly reason: string }
  /**
   * A command that came over the network, taken or refused. What a taken `ack` or `clear` asks for
   * follows as a press of its own; this row is the record of who asked and what was answered.
   */
  | {
      readonly kind: 'command';
      readonly command: 'ack' | 'resend' | 'mark' | 'clear' | 'unknown';
      readonly taken: boolean;
      /** Name of the signing key on the table's list; absent where no valid signature named one. */
      readonly key?: string;
      readonly role?: Role;
      readonly nonce?: string;
      /** Why it was refused, or the text of a mark; at most 200 characters. */
      readonly note?: string;
      /** Refusals since the last recorded one that were counted only (a flood). */
      readonly uncounted?: number;
    }
  | { readonly kind: 'timer'; readonly timer: string };

/** What happened, before it has a place and a time. */
export type Happening = Sensed | Condition | Press;
export type Observation = Stamp & Happening;
export type ObservationKind = Happening['kind'];
