import type { CompiledPack } from './compile.js';
import type { Statement } from './statement.js';
import { statementsOf } from './statements.js';
import type { PackValue } from './values.js';

/** The fields each statement rests on, the one whose paragraph it shows first. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  deck: ['deck.decks', 'deck.composition'],
  dealing: ['dealing'],
  'deck.age': ['deck.maxAge'],
  'deck.alternate': ['deck.batches'],
  shuffle: ['shuffle.sources', 'shuffle.when'],
  'shuffle.wash': ['shuffle.wash'],
  'shuffle.dealers': ['shuffle.eachDealer'],
  count: ['count'],
  'cut.required': ['cut.requiredAfter'],
  'cut.order': ['cut.cutter', 'cut.firstOffer'],
  'cut.depth': ['cut.minFromTop', 'cut.minFromBottom'],
  'cut.cover': ['cut.coverToBottom'],
  'cut.recut': ['cut.recut'],
  marker: ['marker.minBehind'],
  'marker.bottom': ['marker.bottomCover'],
  burn: ['burn'],
  'dealer-burn': ['dealerBurn'],
  'cover.first': ['cover.first'],
  'cover.mid': ['cover.mid'],
  'cover.announce': ['cover'],
  'round.bets': ['round.noMoreBets'],
  'round.cards': ['round.cards'],
  'round.faces': ['round.faceUp'],
  'round.calls': ['round.countsCalled'],
  'round.tableau': ['round.tableau.kind'],
  'round.order': ['round.tableau.order'],
  stub: ['stub.everyRounds', 'stub.dealing', 'stub.perHand', 'stub.community', 'stub.burns'],
  'stub.good': ['stub.onGood'],
  'stub.wrong': ['stub.onWrong'],
  'hand-dealing': ['handDealing'],
  idle: ['idle'],
  exemption: ['exemption'],
};

const under = (values: readonly PackValue[], field: string): readonly PackValue[] =>
  values.filter((value) => value.field === field || value.field.startsWith(`${field}.`));

/**
 * The statements of a pack, each as sure as the least sure value it rests on: a rule's paragraph
 * may have been read while a number in it was not.
 */
export const packStatements = (compiled: CompiledPack): readonly Statement[] =>
  statementsOf(compiled.procedure).map((statement) => {
    const fields = FIELDS[statement.about] ?? [];
    const [first, ...others] = fields.map((field) => under(compiled.values, field));
    if (first === undefined) return statement;
    const clause = first[0]?.clause ?? statement.clause;
    const verified = [...first, ...others.flat()].every((value) => value.verified);
    return { ...statement, clause, verified: verified && first.length > 0 };
  });
