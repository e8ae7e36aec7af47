import type { Role } from '../../core/cards.js';
import type { PressAct } from '../../core/press.js';
import type { Move } from '../scenario/dealer.js';
import type { ShufflerMessage } from '../scenario/schema.js';

/** Moves in short: `tookMs` is how long the person takes before it happens. */

export const CARD_MS = 900;

export const press = (
  act: PressAct,
  tookMs = 1000,
  role: Role = 'dealer',
  badge?: string,
): Move => ({
  act: {
    do: 'press',
    press: { kind: 'press', role, ...(badge === undefined ? {} : { badge }), ...act },
  },
  tookMs,
});

export const floor = (act: PressAct, tookMs = 6000): Move => press(act, tookMs, 'floor', 'F-1');

export const card = (tookMs = CARD_MS, back?: string): Move => ({
  act: { do: 'cards', cards: [back === undefined ? {} : { back }] },
  tookMs,
});

export const cover = (tookMs = CARD_MS): Move => ({ act: { do: 'cover', n: 1 }, tookMs });
export const back = (tookMs = 1500): Move => ({ act: { do: 'back', n: 1 }, tookMs });
export const double = (tookMs = CARD_MS): Move => ({ act: { do: 'double', n: 1 }, tookMs });
export const block = (ms: number, tookMs = 1500): Move => ({ act: { do: 'block', ms }, tookMs });
export const lid = (open: boolean, tookMs: number): Move => ({ act: { do: 'lid', open }, tookMs });

export const link = (device: string, state: 'up' | 'down', tookMs: number): Move => ({
  act: { do: 'link', device, state },
  tookMs,
});

export const shuffler = (message: ShufflerMessage, tookMs: number): Move => ({
  act: { do: 'shuffler', message },
  tookMs,
});
