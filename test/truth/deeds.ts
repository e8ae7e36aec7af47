import type { Role } from '../../controller/core/cards.js';
import type { Batch, DeviceName, Lamp, ShufflerMode } from '../../controller/core/observation.js';
import type { PressAct } from '../../controller/core/press.js';
import type { ShufflerSaid } from '../../firmware-bridge/virtual/hands.js';

/** One thing that somebody or something does at the table. */
export type Deed =
  | { readonly do: 'press'; readonly act: PressAct; readonly role: Role; readonly badge?: string }
  | { readonly do: 'card'; readonly back?: Batch; readonly face?: string }
  | { readonly do: 'cover' }
  | { readonly do: 'back' }
  | { readonly do: 'double'; readonly shiftMm?: number; readonly stops?: boolean }
  | { readonly do: 'block'; readonly ms: number }
  | { readonly do: 'machine'; readonly said: ShufflerSaid }
  | { readonly do: 'lid'; readonly open: boolean }
  | { readonly do: 'link'; readonly device: DeviceName; readonly up: boolean }
  | { readonly do: 'stick'; readonly beam: 'a' | 'b'; readonly covered: boolean | null }
  | { readonly do: 'lose-edges'; readonly beam: 'a' | 'b'; readonly count: number }
  | { readonly do: 'power-cut'; readonly offMs: number; readonly cards: number }
  | { readonly do: 'mute'; readonly device: DeviceName }
  | { readonly do: 'wait'; readonly ms: number };

/** What a step of correct play is, so that a fault can find its place. */
export type Label =
  | 'open'
  | 'start'
  | 'done'
  | 'wash'
  | 'shuffle'
  | 'offer'
  | 'cut'
  | 'marker'
  | 'load'
  | 'burn'
  | 'first-card'
  | 'dealer-in'
  | 'dealer-burn'
  | 'call-last'
  | 'bets'
  | 'card'
  | 'counts'
  | 'cover'
  | 'stub'
  | 'end'
  | 'collect';

export interface Step {
  readonly label: Label;
  readonly deed: Deed;
  /** Time before it, ms; a person's own pace when left out. */
  readonly afterMs?: number;
  /** This is the departure that was injected: from its begin on it has to be found. */
  readonly breaks?: true;
}

export const press = (act: PressAct, role: Role = 'dealer', badge?: string): Deed => ({
  do: 'press',
  act,
  role,
  ...(badge === undefined ? {} : { badge }),
});

export const floor = (act: PressAct): Deed => press(act, 'floor', 'F-1');

export const card = (back?: Batch): Deed => ({
  do: 'card',
  ...(back === undefined ? {} : { back }),
});

export const started = (batch: Batch): Deed => ({
  do: 'machine',
  said: { kind: 'shuffler.start', batch },
});

/** The end of a cycle; `count` null for a machine that does not count. */
export const finished = (
  batch: Batch,
  count: number | null,
  mode: ShufflerMode = 'shuffle',
  lamp: Lamp = 'green',
): Deed => ({
  do: 'machine',
  said: { kind: 'shuffler.done', batch, mode, lamp, ...(count === null ? {} : { count }) },
});
