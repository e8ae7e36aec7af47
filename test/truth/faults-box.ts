import { type Fault, faultOf } from './fault.js';
import { press, type Step } from './deeds.js';
import * as fits from './fits.js';
import type { Playing } from './play.js';

/** Between two rounds of a shoe in play, with no cover card at the mouth. */
const isBetween = ({ label }: Step, p: Playing): boolean =>
  label === 'bets' &&
  (p.shoeRounds > 0 || p.rules.procedure.burn === null || !p.inShoe) &&
  !p.coverOut;
const isInRound = ({ label }: Step, p: Playing): boolean =>
  label === 'card' && p.roundCards > 0 && !p.coverOut;
const MINUTE_MS = 60_000;

/** Sensors, lines, power and people who may not. */
const machinery: readonly Fault[] = [
  faultOf({
    kind: 'lid-opened',
    what: 'the lid is opened while cards are in the shoe',
    seen: 'sensed',
    expects: ['tamper.lid'],
    fits: fits.inShoe,
    at: isBetween,
    make: (step) => [{ label: 'card', deed: { do: 'lid', open: true }, breaks: true }, step],
  }),
  faultOf({
    kind: 'beam-stuck-covered',
    what: 'a beam reads covered for good: its emitter died, or dirt lies on it',
    seen: 'sensed',
    expects: ['card.jam', 'sensor.fault', 'gap.unwatched'],
    fits: fits.inShoe,
    at: isBetween,
    make: (step, _p, random) => [
      {
        label: 'card',
        deed: { do: 'stick', beam: random.chance(0.5) ? 'a' : 'b', covered: true },
        breaks: true,
      },
      step,
    ],
  }),
  faultOf({
    kind: 'inner-beam-blind',
    what: 'the inner beam reads clear for good, whatever passes',
    seen: 'sensed',
    expects: ['sensor.fault', 'gap.unwatched'],
    fits: fits.inShoe,
    at: isInRound,
    make: (step) => [
      { label: 'card', deed: { do: 'stick', beam: 'a', covered: false }, breaks: true },
      step,
    ],
  }),
  faultOf({
    kind: 'outer-beam-blind',
    what: 'the outer beam reads clear for good, whatever passes',
    seen: 'sensed',
    why:
      'one card looks like a card shown and taken back; the third in a row does not, and a ' +
      'round that ends with too few cards says so before; where it goes blind while a card ' +
      'covers it (10 of 10,000) the beams tell of a card that goes back, and that stops play',
    withinCards: 3,
    expects: ['sensor.fault', 'gap.unwatched', 'round.short', 'card.back'],
    fits: fits.inShoe,
    at: isInRound,
    make: (step) => [
      { label: 'card', deed: { do: 'stick', beam: 'b', covered: false }, breaks: true },
      step,
    ],
  }),
  faultOf({
    kind: 'colour-sensor-dead',
    what: 'the cable of the colour sensor comes loose',
    seen: 'sensed',
    expects: ['sensor.fault'],
    fits: fits.inShoe,
    at: isInRound,
    make: (step) => [
      { label: 'card', deed: { do: 'link', device: 'colour', up: false }, breaks: true },
      step,
    ],
  }),
  faultOf({
    kind: 'shuffler-lost',
    what: 'the serial cable of the shuffler comes loose',
    seen: 'sensed',
    expects: ['shuffler.lost'],
    fits: fits.byMachine,
    at: isBetween,
    make: (step) => [
      { label: 'card', deed: { do: 'link', device: 'shuffler', up: false }, breaks: true },
      step,
    ],
  }),
  faultOf({
    kind: 'shuffler-mute',
    what: 'the shuffler says nothing any more, its line still open',
    seen: 'sensed',
    why: 'known only when its 17 s of silence are over: counted in seconds, not cards',
    expects: ['shuffler.lost'],
    fits: fits.byMachine,
    at: isBetween,
    make: (step) => [
      { label: 'card', deed: { do: 'mute', device: 'shuffler' }, breaks: true },
      { label: 'card', deed: { do: 'wait', ms: 20_000 } },
      step,
    ],
  }),
  faultOf({
    kind: 'edges-lost',
    what: 'the kernel loses edges of a beam',
    seen: 'sensed',
    expects: ['gap.unwatched', 'sensor.fault'],
    fits: fits.inShoe,
    at: isInRound,
    make: (step, _p, random) => [
      {
        label: 'card',
        deed: {
          do: 'lose-edges',
          beam: random.chance(0.5) ? 'a' : 'b',
          count: 2 * random.whole(1, 10),
        },
        breaks: true,
      },
      step,
    ],
  }),
  faultOf({
    kind: 'power-cut-cards-moved',
    what: 'the power fails and cards leave the shoe in the dark',
    seen: 'sensed',
    expects: ['gap.unwatched'],
    fits: fits.inShoe,
    at: isInRound,
    make: (step, _p, random) => [
      {
        label: 'card',
        deed: { do: 'power-cut', offMs: random.between(2000, 9000), cards: random.whole(0, 4) },
        breaks: true,
      },
      step,
    ],
  }),
  faultOf({
    kind: 'nobody-plays',
    what: 'no play for longer than the rule allows, the cards still in the shoe',
    seen: 'sensed',
    expects: ['idle.spread-due'],
    fits: (rules) => fits.inShoe(rules) && rules.procedure.idle !== null,
    at: ({ label }) => label === 'bets',
    make: (step, p) => [
      {
        label: 'card',
        deed: { do: 'wait', ms: ((p.rules.procedure.idle?.minutes ?? 30) + 1) * MINUTE_MS },
        breaks: true,
      },
      step,
    ],
  }),
  faultOf({
    kind: 'order-without-authority',
    what: 'the dealer orders a reshuffle himself',
    seen: 'attested',
    expects: ['press.authority'],
    fits: fits.always,
    at: isBetween,
    make: (step) => [{ label: 'card', deed: press({ key: 'reshuffle' }), breaks: true }, step],
  }),
];

/** Done at the table all the same, so that the report shows what the box says of it: nothing. */
const unseen: readonly Fault[] = [
  faultOf({
    kind: 'double-aligned',
    what: 'two cards leave at once, one exactly on the other',
    seen: 'never',
    why:
      'beams and colour sensor see one card; the count is one short until a stub, a shuffler ' +
      'or the marker contradicts it',
    expects: ['card.double'],
    also: ['counts.not-called'],
    fits: fits.inShoe,
    at: (step, p) =>
      isInRound(step, p) && p.roundCards + 2 <= (p.rules.procedure.round.cards.max ?? Infinity),
    make: (_step, p) => {
      p.roundCards += 1;
      return [{ label: 'card', deed: { do: 'double', shiftMm: 0 }, breaks: true }];
    },
  }),
  faultOf({
    kind: 'double-close',
    what: 'two cards leave at once, the second less than 14 mm behind the first',
    seen: 'never',
    why:
      'below 4 mm at a slow and 11 mm at a fast hand the added length drowns in the doubt of ' +
      'the edges: found in part only',
    expects: ['card.double'],
    also: ['counts.not-called'],
    fits: fits.inShoe,
    at: (step, p) =>
      isInRound(step, p) && p.roundCards + 2 <= (p.rules.procedure.round.cards.max ?? Infinity),
    make: (_step, p, random) => {
      p.roundCards += 1;
      const shiftMm = random.between(0, 14);
      return [{ label: 'card', deed: { do: 'double', shiftMm }, breaks: true }];
    },
  }),
  faultOf({
    kind: 'double-stopped',
    what: 'two cards leave at once in a pull that stops half-way',
    seen: 'never',
    why: 'a length is measured from a steady pull only; a stop makes one card as long as two',
    expects: ['card.double'],
    also: ['counts.not-called'],
    fits: fits.inShoe,
    at: (step, p) =>
      isInRound(step, p) && p.roundCards + 2 <= (p.rules.procedure.round.cards.max ?? Infinity),
    make: (_step, p) => {
      p.roundCards += 1;
      return [{ label: 'card', deed: { do: 'double', stops: true }, breaks: true }];
    },
  }),
  faultOf({
    kind: 'first-card-keyed-wrong',
    what: 'the first card is keyed as another value and burned by that value',
    seen: 'never',
    why: 'without a rank reader nobody but the dealer and the camera knows the card',
    expects: ['burn.short', 'burn.over', 'burn.rank-unknown'],
    fits: (rules) => fits.burnsByValue(rules) && rules.table.reader === 'none',
    at: ({ label }) => label === 'first-card',
    make: (_step, p) => {
      const wrong = p.burnLeft === 1 ? '2' : 'A';
      const left = p.burnLeft;
      p.burnLeft = wrong === 'A' ? 1 : 2;
      return [
        {
          label: 'first-card',
          deed: press({ key: 'first-card', rank: wrong }),
          ...(left > 0 ? { breaks: true as const } : {}),
        },
      ];
    },
  }),
  faultOf({
    kind: 'dealer-change-not-keyed',
    what: 'a new dealer takes over without a key and without burning',
    seen: 'never',
    why: 'the change itself is known by its key only',
    expects: ['burn.dealer-missing'],
    fits: fits.hasDealerBurn,
    at: ({ label }) => label === 'dealer-in',
    make: () => [],
    skips: ({ label }) => label === 'dealer-burn',
    shows: ({ label }) => label === 'bets',
  }),
  faultOf({
    kind: 'shuffle-only-pressed',
    what: 'the key says shuffled and the cards were not',
    seen: 'never',
    why: 'a hand shuffle and the order of the cards are seen by no sensor of this table',
    expects: ['shuffle.missing'],
    fits: (rules) => !fits.byMachine(rules) && fits.inShoe(rules),
    at: ({ label }) => label === 'shuffle',
    make: (step) => [{ ...step, breaks: true }],
  }),
  faultOf({
    kind: 'cut-shallow-not-keyed',
    what: 'the cut is too shallow and its depth is not keyed',
    seen: 'never',
    why: 'no sensor sees the cut; its depth is known only where somebody keys it',
    expects: ['cut.shallow'],
    fits: fits.hasCut,
    at: ({ label }) => label === 'cut',
    make: (step) => [{ ...step, breaks: true }],
  }),
];

export const BOX: readonly Fault[] = machinery;
export const UNSEEN: readonly Fault[] = unseen;
