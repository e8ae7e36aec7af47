import type { FindingCode } from '../../controller/core/finding.js';

/** What in the core keeps a rule: the findings it raises, or a word only that code uses. */
export interface Keeper {
  readonly codes: readonly FindingCode[];
  /** For rules that raise nothing of their own. */
  readonly word?: string;
}

const raises = (...codes: readonly FindingCode[]): Keeper => ({ codes });
const reads = (word: string): Keeper => ({ codes: [], word });

/** Demands no device can see: the core only lists them on the duty sheet. */
export const UNSEEN: Keeper = reads('procedure.unseen');

/** By the statements of a pack (controller/procedures/statements.ts). */
export const KEEPERS: Readonly<Record<string, Keeper>> = {
  deck: reads('expectedCount'),
  'deck.age': raises('deck.aged'),
  'deck.alternate': raises('batch.same'),
  dealing: reads('handDealt'),
  shuffle: raises('shuffle.missing'),
  'shuffle.wash': reads('shuffle.wash'),
  'shuffle.dealers': raises('shuffle.dealer-missing'),
  count: raises('count.wrong'),
  'cut.required': raises('cut.missing'),
  'cut.order': raises('cut.order'),
  'cut.depth': raises('cut.shallow'),
  'cut.cover': raises('cover.exhausted'),
  'cut.recut': raises('recut.window', 'recut.authority', 'recut.same-person'),
  marker: raises('marker.missing', 'marker.misplaced', 'marker.in-burn', 'cover.never-seen'),
  'marker.bottom': raises('cover.exhausted'),
  burn: raises('burn.short', 'burn.over', 'burn.rank-unknown'),
  'dealer-burn': raises('burn.dealer-missing'),
  'cover.first': raises('cover.extra-round', 'cover.early-shuffle'),
  'cover.mid': raises('cover.extra-round', 'cover.early-shuffle'),
  'cover.announce': raises('cover.last-hand-not-called'),
  'round.bets': raises('bets.open'),
  'round.cards': raises('round.overdrawn', 'round.short'),
  'round.faces': reads('round.faceUp'),
  'round.calls': raises('counts.not-called'),
  'round.tableau': raises('draw.third-card'),
  'round.order': raises('draw.third-card'),
  stub: raises('stub.overdue'),
  'stub.good': reads('goodCite'),
  'stub.wrong': raises('stub.wrong'),
  'hand-dealing': raises('hand.manual-shuffle'),
  idle: raises('idle.spread-due'),
  exemption: raises('exemption.lapsed'),
};

export const keeperOf = (about: string): Keeper | undefined =>
  about.startsWith('unseen.') ? UNSEEN : KEEPERS[about];
