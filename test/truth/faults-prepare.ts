import { breaking, type Fault, faultOf } from './fault.js';
import { card, finished, floor, press, started, type Step } from './deeds.js';
import * as fits from './fits.js';
import type { Playing } from './play.js';

const isFirstOfStack = ({ label }: Step, p: Playing): boolean =>
  label === 'start' || label === 'wash' || (label === 'shuffle' && p.shuffles === 0);
const noWash = (step: Step, p: Playing): boolean =>
  isFirstOfStack(step, p) && (step.label !== 'shuffle' || !p.rules.procedure.shuffle.wash);
const on =
  (...labels: readonly Step['label'][]) =>
  ({ label }: Step): boolean =>
    labels.includes(label);
const isNext = (): boolean => true;

/** What goes wrong before the stack is in the shoe. */
const shuffling: readonly Fault[] = [
  faultOf({
    kind: 'shuffle-skipped',
    what: 'the stack is put into the shoe unshuffled',
    seen: 'attested',
    expects: ['shuffle.missing'],
    fits: fits.inShoe,
    at: noWash,
    make: () => [{ label: 'load', deed: press({ key: 'loaded' }), breaks: true }],
  }),
  faultOf({
    kind: 'drawn-unshuffled',
    what: 'cards are drawn before they were shuffled',
    seen: 'sensed',
    expects: ['shuffle.missing'],
    also: ['card.locked'],
    fits: fits.inShoe,
    at: noWash,
    make: (step) => [{ label: 'card', deed: card(), breaks: true }, step],
  }),
  faultOf({
    kind: 'dealer-did-not-shuffle',
    what: 'one dealer of the crew does not shuffle',
    seen: 'attested',
    expects: ['shuffle.dealer-missing'],
    fits: (rules) =>
      !fits.byMachine(rules) && rules.procedure.shuffle.eachDealer && rules.table.crew > 1,
    at: ({ label }, p) => label === 'shuffle' && p.shuffles === p.rules.table.crew - 1,
    make: () => [],
    shows: isNext,
  }),
  faultOf({
    kind: 'count-off',
    what: 'the machine counts one to three cards too few or too many',
    seen: 'sensed',
    expects: ['count.wrong'],
    fits: fits.counting,
    at: on('done'),
    make: (step, p, random) => {
      const by = random.whole(1, 3) * (random.chance(0.5) ? 1 : -1);
      const lamp = random.chance(0.5) ? 'red' : 'green';
      return [breaking({ ...step, deed: finished(p.batch, p.full + by, 'shuffle', lamp) })];
    },
  }),
  faultOf({
    kind: 'sorted-not-shuffled',
    what: 'the machine ran in sort mode and the cards are dealt',
    seen: 'sensed',
    expects: ['shuffle.mode'],
    fits: fits.byMachine,
    at: on('done'),
    make: (step, p) => [breaking({ ...step, deed: finished(p.batch, p.count(), 'sort') })],
  }),
  faultOf({
    kind: 'jam-ignored',
    what: 'the machine jams, does not count, and the cards are used',
    seen: 'sensed',
    expects: ['count.required'],
    fits: fits.notCounting,
    at: on('done'),
    make: (step) => [
      { label: 'done', deed: { do: 'machine', said: { kind: 'shuffler.jam' } } },
      step,
    ],
    shows: (step, p) => step.label === (p.inShoe ? 'load' : 'bets'),
  }),
  faultOf({
    kind: 'batch-migrated',
    what: 'cards of one batch lie in the other',
    seen: 'sensed',
    expects: ['batch.migrated'],
    also: ['count.wrong'],
    fits: (rules) => fits.counting(rules) && fits.twoBatches(rules),
    at: on('done'),
    make: (step, p, random) => {
      const n = random.whole(1, 4);
      const other = p.otherBatch ?? p.batch;
      return [
        { ...step, deed: finished(p.batch, p.full - n, 'shuffle', 'red') },
        breaking({ ...step, deed: finished(other, p.full + n, 'shuffle', 'red') }),
      ];
    },
  }),
  faultOf({
    kind: 'same-batch',
    what: 'the batch that was just dealt is shuffled and loaded again',
    seen: 'attested',
    expects: ['batch.same'],
    fits: (rules) =>
      rules.procedure.deck.alternate &&
      fits.twoBatches(rules) &&
      fits.byMachine(rules) &&
      fits.inShoe(rules),
    at: ({ label }, p) => label === 'start' && p.usedBatch !== null,
    make: (_step, p) => {
      p.batch = p.usedBatch ?? p.batch;
      return [{ label: 'start', deed: started(p.batch) }];
    },
    shows: on('load'),
  }),
  faultOf({
    kind: 'hand-shuffled-hand-dealt',
    what: 'the deck is shuffled by hand where hand dealing needs the machine',
    seen: 'attested',
    expects: ['hand.manual-shuffle'],
    fits: (rules) =>
      fits.fromHand(rules) && rules.procedure.handDealing?.needsMachineShuffle === true,
    at: on('start'),
    make: () => [{ label: 'shuffle', deed: press({ key: 'shuffled' }), breaks: true }],
  }),
];

const cutting: readonly Fault[] = [
  faultOf({
    kind: 'cut-missing',
    what: 'the stack is loaded uncut',
    seen: 'attested',
    expects: ['cut.missing'],
    fits: (rules) => fits.hasCut(rules) && fits.inShoe(rules),
    at: on('offer', 'cut'),
    make: () => [],
    skips: on('offer', 'cut', 'marker'),
    shows: on('load'),
  }),
  faultOf({
    kind: 'cut-shallow',
    what: 'the cut is shallower than allowed, and its depth is keyed',
    seen: 'attested',
    why: 'the depth is known only where somebody keys it; unkeyed it is unseen',
    expects: ['cut.shallow'],
    fits: (rules) => fits.hasCut(rules) && (rules.procedure.cut?.minFromTop ?? 0) > 1,
    at: on('cut'),
    make: (step, p, random) => {
      const depth = random.whole(1, (p.rules.procedure.cut?.minFromTop ?? 2) - 1);
      const dealer = p.rules.procedure.cut?.cutter === 'dealer';
      const by = dealer ? 'dealer' : p.cutSeat;
      return [breaking({ ...step, deed: press({ key: 'cut', by, depth }) })];
    },
  }),
  faultOf({
    kind: 'cut-out-of-turn',
    what: 'somebody cuts whose turn it is not',
    seen: 'attested',
    expects: ['cut.order'],
    fits: fits.hasCut,
    at: on('cut'),
    make: (step, p) => {
      const { cut } = p.rules.procedure;
      const other = p.cutSeat === 1 ? 2 : 1;
      if (cut?.cutter === 'dealer') {
        return [breaking({ ...step, deed: press({ key: 'cut', by: 1 }) })];
      }
      return [
        { label: 'offer', deed: press({ key: 'cut-offered', seat: p.cutSeat }) },
        breaking({ ...step, deed: press({ key: 'cut', by: other }) }),
      ];
    },
  }),
  faultOf({
    kind: 'cut-slow',
    what: 'the cut takes longer than the house allows',
    seen: 'attested',
    expects: ['dwell.cut'],
    fits: (rules) => fits.hasCut(rules) && rules.table.policy.dwellCutS !== null,
    at: on('cut'),
    make: (step, p) => [
      breaking({ ...step, afterMs: ((p.rules.table.policy.dwellCutS ?? 0) + 5) * 1000 }),
    ],
  }),
  faultOf({
    kind: 'recut-late',
    what: 'the floor orders a recut after the stack was loaded',
    seen: 'attested',
    expects: ['recut.window'],
    fits: (rules) =>
      fits.hasRecut(rules) && rules.procedure.cut?.recut?.until === 'load' && fits.hasBurn(rules),
    at: on('burn'),
    make: (step) => [{ label: 'cut', deed: floor({ key: 'recut' }), breaks: true }, step],
  }),
  faultOf({
    kind: 'recut-by-dealer',
    what: 'the dealer orders a recut himself',
    seen: 'attested',
    expects: ['recut.authority'],
    fits: fits.hasRecut,
    at: on('load'),
    make: (step) => [{ label: 'cut', deed: press({ key: 'recut' }), breaks: true }, step],
  }),
  faultOf({
    kind: 'recut-same-person',
    what: 'the same person cuts again after a recut was ordered',
    seen: 'attested',
    expects: ['recut.same-person'],
    fits: (rules) =>
      fits.hasRecut(rules) &&
      fits.playersCut(rules) &&
      rules.procedure.cut?.recut?.by === 'next-entitled',
    at: on('load'),
    make: (_step, p) => [
      { label: 'cut', deed: floor({ key: 'recut' }) },
      { label: 'cut', deed: press({ key: 'cut', by: p.cutSeat }), breaks: true },
    ],
  }),
];

const loading: readonly Fault[] = [
  faultOf({
    kind: 'marker-missing',
    what: 'the stack is loaded before the marker was placed',
    seen: 'attested',
    expects: ['marker.missing'],
    fits: fits.hasMarker,
    at: on('marker'),
    make: () => [],
    shows: on('load'),
  }),
  faultOf({
    kind: 'marker-misplaced',
    what: 'the marker lies nearer to the bottom than allowed',
    seen: 'sensed',
    expects: ['marker.misplaced'],
    also: ['cover.never-seen'],
    fits: (rules) => fits.hasMarker(rules) && (rules.procedure.marker?.minBehind ?? 0) > 1,
    at: on('load'),
    make: (step, p, random) => {
      const least = p.rules.procedure.marker?.minBehind ?? 2;
      p.behind = random.whole(Math.max(1, least - 6), least - 1);
      return [step];
    },
    shows: on('cover'),
  }),
  faultOf({
    kind: 'marker-left-out',
    what: 'no marker is in the stack although its key was pressed',
    seen: 'sensed',
    why: 'only where the pack gives the cards behind it; found when it is overdue',
    expects: ['cover.never-seen'],
    fits: (rules) => fits.hasMarker(rules) && rules.procedure.marker?.minBehind != null,
    at: on('load'),
    make: (step, p) => {
      p.behind = -1;
      return [step];
    },
    shows: ({ label }, p) =>
      label === 'card' && p.left - 1 < (p.rules.procedure.marker?.minBehind ?? 0),
  }),
  faultOf({
    kind: 'marker-in-burn',
    what: 'the marker comes out during the burn',
    seen: 'sensed',
    expects: ['marker.in-burn'],
    fits: (rules) => fits.hasMarker(rules) && fits.hasBurn(rules),
    at: on('burn'),
    make: (step) => [{ label: 'cover', deed: { do: 'cover' }, breaks: true }, step],
  }),
  faultOf({
    kind: 'loaded-late',
    what: 'the stack lies about after its shuffle for longer than the house allows',
    seen: 'attested',
    expects: ['dwell.load'],
    fits: (rules) => fits.inShoe(rules) && rules.table.policy.dwellLoadS !== null,
    at: on('load'),
    make: (step, p) => [
      breaking({ ...step, afterMs: ((p.rules.table.policy.dwellLoadS ?? 0) + 5) * 1000 }),
    ],
  }),
];

export const PREPARING: readonly Fault[] = [...shuffling, ...cutting, ...loading];
