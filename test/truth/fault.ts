import type { Rules } from '../../controller/core/decide.js';
import type { FindingCode } from '../../controller/core/finding.js';
import type { Random } from '../../firmware-bridge/virtual/random.js';
import type { Step } from './deeds.js';
import type { Playing } from './play.js';

/** How the box can know: by a sensor, by somebody's key, or not at all. */
export type Seen = 'sensed' | 'attested' | 'never';

/** Takes one step of correct play and says what is done in its place. */
export type Placing = (step: Step) => readonly Step[];

export interface Fault {
  readonly kind: string;
  /** What goes wrong, in plain words. */
  readonly what: string;
  readonly seen: Seen;
  /** For `never`, and where a part cannot be seen: why. */
  readonly why?: string;
  readonly expects: readonly FindingCode[];
  /** What may rightly be raised on the way to it or beside it. */
  readonly also: readonly FindingCode[];
  /** The goal: cards out after the departure until it is found. */
  readonly withinCards: number;
  readonly fits: (rules: Rules) => boolean;
  readonly place: (playing: Playing, random: Random) => Placing;
}

/** A fault as it is written down; `make` says what happens instead of the chosen step. */
export interface FaultText extends Omit<Fault, 'place' | 'also' | 'withinCards'> {
  readonly also?: readonly FindingCode[];
  /** Where it is not the usual one card. */
  readonly withinCards?: number;
  /** Where it can be made. */
  readonly at: (step: Step, playing: Playing) => boolean;
  readonly make: (step: Step, playing: Playing, random: Random) => readonly Step[];
  /** Steps that are left out from then on until the departure shows. */
  readonly skips?: (step: Step, playing: Playing) => boolean;
  /** The later step of correct play that is the departure, where `make` is not yet. */
  readonly shows?: (step: Step, playing: Playing) => boolean;
}

/** It is made at one of the first so many chances. */
const CHANCES = 3;
const WITHIN_CARDS = 1;

export const faultOf = (text: FaultText): Fault => ({
  kind: text.kind,
  what: text.what,
  seen: text.seen,
  ...(text.why === undefined ? {} : { why: text.why }),
  expects: text.expects,
  also: text.also ?? [],
  withinCards: text.withinCards ?? WITHIN_CARDS,
  fits: text.fits,
  place: (playing, random) => {
    let chances = random.whole(1, CHANCES);
    let made = false;
    let shown = false;
    return (step) => {
      if (!made) {
        if (!text.at(step, playing)) return [step];
        chances -= 1;
        if (chances > 0) return [step];
        made = true;
        return text.make(step, playing, random);
      }
      if (shown || text.shows === undefined) return [step];
      if (text.skips?.(step, playing) === true) return [];
      if (!text.shows(step, playing)) return [step];
      shown = true;
      return [{ ...step, breaks: true }];
    };
  },
});

export const breaking = (step: Step): Step => ({ ...step, breaks: true });
