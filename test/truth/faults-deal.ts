import { breaking, type Fault, faultOf } from './fault.js';
import { card, press, type Step } from './deeds.js';
import * as fits from './fits.js';
import { type Playing, stubLeft } from './play.js';

const on =
  (...labels: readonly Step['label'][]) =>
  ({ label }: Step): boolean =>
    labels.includes(label);
/** Between two rounds of a shoe in play, with no cover card at the mouth. */
const isBetween = ({ label }: Step, p: Playing): boolean =>
  label === 'bets' && (p.shoeRounds > 0 || p.rules.procedure.burn === null) && !p.coverOut;
const isInRound = ({ label }: Step, p: Playing): boolean =>
  label === 'card' && p.roundCards > 0 && !p.coverOut;

const burning: readonly Fault[] = [
  faultOf({
    kind: 'no-burn',
    what: 'play begins without any burn',
    seen: 'sensed',
    expects: ['burn.short'],
    fits: fits.hasBurn,
    at: ({ label }, p) => label === 'burn' && p.burned === 0,
    make: () => [],
    // A new dealer's own burn card would pass for it.
    skips: on('burn', 'first-card', 'dealer-in', 'dealer-burn'),
    shows: on('bets'),
  }),
  faultOf({
    kind: 'burn-short',
    what: 'the burn is one card short',
    seen: 'sensed',
    expects: ['burn.short'],
    fits: (rules) =>
      fits.burnsByValue(rules) ||
      (fits.hasBurn(rules) && rules.procedure.burn?.kind === 'deck-count'),
    at: ({ label }, p) => label === 'burn' && p.burnLeft === 1,
    make: () => [],
    shows: on('bets'),
  }),
  faultOf({
    kind: 'burn-over',
    what: 'one card more than the burn is drawn before the first round',
    seen: 'sensed',
    expects: ['burn.over'],
    fits: fits.hasBurn,
    at: ({ label }, p) => label === 'bets' && p.shoeRounds === 0 && !p.coverOut,
    make: (step) => [{ label: 'burn', deed: card(), breaks: true }, step],
  }),
  faultOf({
    kind: 'first-card-not-keyed',
    what: 'the burn goes on and nobody keys the first card',
    seen: 'sensed',
    expects: ['burn.rank-unknown'],
    fits: (rules) => fits.burnsByValue(rules) && rules.table.reader === 'none',
    at: on('first-card'),
    make: () => [],
    shows: on('burn', 'bets'),
  }),
  faultOf({
    kind: 'dealer-burn-missing',
    what: 'a new dealer deals without burning',
    seen: 'attested',
    why: 'the change is known by its key only; an unkeyed change is unseen',
    expects: ['burn.dealer-missing'],
    fits: fits.hasDealerBurn,
    at: on('dealer-burn'),
    make: () => [],
    skips: on('dealer-burn'),
    shows: on('bets'),
  }),
];

const rounds: readonly Fault[] = [
  faultOf({
    kind: 'bets-open',
    what: 'the first card of a round is drawn before "no more bets"',
    seen: 'sensed',
    expects: ['bets.open'],
    also: ['cover.last-hand-not-called'],
    fits: (rules) => fits.inShoe(rules) && rules.procedure.round.bets !== null,
    at: (step, p) => step.label === 'bets' && (p.shoeRounds > 0 || p.rules.procedure.burn === null),
    make: () => [],
    shows: on('card'),
  }),
  faultOf({
    kind: 'overdrawn',
    what: 'one card more than the game allows',
    seen: 'sensed',
    expects: ['round.overdrawn'],
    fits: (rules) => fits.inShoe(rules) && rules.procedure.round.cards.max !== null,
    at: ({ label }, p) => label === 'end' && p.roundCards === p.rules.procedure.round.cards.max,
    make: (step) => [{ label: 'card', deed: card(), breaks: true }, step],
  }),
  faultOf({
    kind: 'round-short',
    what: 'the round ends with too few cards',
    seen: 'sensed',
    expects: ['round.short'],
    // Where the stub is due first, ending the round asks for it and nothing else.
    fits: (rules) => fits.inShoe(rules) && !fits.hasStub(rules),
    at: ({ label }, p) =>
      label === 'card' && p.roundCards === (p.rules.procedure.round.cards.min ?? 1) - 1,
    make: () => [{ label: 'end', deed: press({ key: 'round-end' }), breaks: true }],
  }),
  faultOf({
    kind: 'counts-not-called',
    what: 'a third card is drawn before the point counts were called',
    seen: 'sensed',
    expects: ['counts.not-called'],
    fits: (rules) => fits.inShoe(rules) && rules.procedure.round.countsCalled !== null,
    at: on('counts'),
    make: () => [],
    shows: on('card'),
  }),
  faultOf({
    kind: 'spill-ignored',
    what: 'cards fall, nobody counts them and the next round begins',
    seen: 'attested',
    expects: ['count.required'],
    fits: fits.always,
    at: isBetween,
    make: (step) => [{ label: 'stub', deed: press({ key: 'spill' }) }, breaking(step)],
  }),
  faultOf({
    kind: 'stub-skipped',
    what: 'the stub is not counted in time',
    seen: 'attested',
    expects: ['stub.overdue'],
    fits: fits.hasStub,
    at: on('stub'),
    make: () => [],
    shows: on('end'),
  }),
  faultOf({
    kind: 'stub-wrong',
    what: 'the stub is one to three cards off',
    seen: 'attested',
    expects: ['stub.wrong'],
    fits: fits.hasStub,
    at: on('stub'),
    make: (step, p, random) => {
      const by = random.whole(1, 3) * (random.chance(0.5) ? 1 : -1);
      return [breaking({ ...step, deed: press({ key: 'stub-count', n: stubLeft(p) + by }) })];
    },
  }),
];

const ending: readonly Fault[] = [
  faultOf({
    kind: 'extra-round',
    what: 'a card is drawn for a round after the last one',
    seen: 'sensed',
    expects: ['cover.extra-round'],
    also: ['card.locked'],
    fits: fits.hasCover,
    at: on('collect'),
    make: (step) => [{ label: 'card', deed: card(), breaks: true }, step],
  }),
  faultOf({
    kind: 'last-hand-not-called',
    what: 'the last hand begins unannounced',
    seen: 'attested',
    expects: ['cover.last-hand-not-called'],
    fits: fits.announces,
    at: on('call-last'),
    make: () => [],
    shows: on('bets'),
  }),
  faultOf({
    kind: 'early-reshuffle',
    what: 'the shoe is collected before its last hand',
    seen: 'attested',
    expects: ['cover.early-shuffle'],
    fits: fits.hasCover,
    at: isBetween,
    make: () => [{ label: 'collect', deed: press({ key: 'collected' }), breaks: true }],
  }),
  faultOf({
    kind: 'bottom-cover-out',
    what: 'the bottom cover card comes out: the shoe is dealt to its end',
    seen: 'sensed',
    expects: ['cover.exhausted'],
    fits: (rules) => fits.hasMarker(rules) && rules.procedure.marker?.bottomCover === true,
    at: ({ label }, p) => label === 'card' && p.coverOut,
    make: (step) => [{ label: 'cover', deed: { do: 'cover' }, breaks: true }, step],
  }),
];

const mouth: readonly Fault[] = [
  faultOf({
    kind: 'card-pushed-back',
    what: 'a card goes back into the shoe',
    seen: 'sensed',
    expects: ['card.back'],
    fits: fits.inShoe,
    at: isInRound,
    make: (step) => [{ label: 'card', deed: { do: 'back' }, breaks: true }, step],
  }),
  faultOf({
    kind: 'double-pull',
    what: 'two cards leave at once, the second well behind the first (`overlapMm`)',
    seen: 'sensed',
    expects: ['card.double'],
    also: ['counts.not-called', 'cover.last-hand-not-called'],
    fits: fits.inShoe,
    at: (step, p) =>
      isInRound(step, p) && p.roundCards + 2 <= (p.rules.procedure.round.cards.max ?? Infinity),
    make: (_step, p) => {
      p.roundCards += 1;
      return [{ label: 'card', deed: { do: 'double' }, breaks: true }];
    },
  }),
  faultOf({
    kind: 'drawn-while-locked',
    what: 'a card is forced out while the gate is locked',
    seen: 'sensed',
    expects: ['card.locked'],
    also: ['burn.over'],
    fits: (rules) => fits.hasBurn(rules) && rules.table.enforcement === 'lock',
    at: ({ label }, p) => label === 'bets' && p.shoeRounds === 0 && !p.coverOut,
    make: (step) => [
      { label: 'burn', deed: card() },
      { label: 'burn', deed: card(), breaks: true },
      step,
    ],
  }),
  faultOf({
    kind: 'mouth-blocked',
    what: 'something lies in the mouth of the shoe',
    seen: 'sensed',
    expects: ['card.jam'],
    fits: fits.inShoe,
    at: isBetween,
    make: (step, p, random) => {
      const ms = p.rules.table.policy.blockedMs + random.between(300, 3000);
      return [{ label: 'card', deed: { do: 'block', ms }, breaks: true }, step];
    },
  }),
  faultOf({
    kind: 'foreign-back',
    what: 'a card of the other batch is in the shoe',
    seen: 'sensed',
    expects: ['batch.foreign-back'],
    fits: (rules) => fits.inShoe(rules) && fits.twoBatches(rules),
    at: isInRound,
    make: (step, p) => [breaking({ ...step, deed: card(p.otherBatch ?? p.batch) })],
  }),
];

export const DEALING: readonly Fault[] = [...burning, ...rounds, ...ending, ...mouth];
