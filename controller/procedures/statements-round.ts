import type { Dealing, Procedure, RoundRule } from '../core/procedure.js';
import { GRADES, say, type Statement } from './statement.js';

const cardsText = ({ min, max }: RoundRule['cards']): string => {
  if (min === null && max === null) return 'How many cards a round takes depends on the players.';
  if (max === null)
    return `A round takes at least ${min ?? 0} cards; the most depends on the players.`;
  if (min === null) return `A round takes at most ${max} cards.`;
  return min === max ? `A round takes ${min} cards.` : `A round takes ${min} to ${max} cards.`;
};

/** The round: bets, cards, calls, drawing rule. */
export const roundStatements = ({ round }: Procedure): Statement[] => {
  const found: Statement[] = [];
  if (round.bets !== null) {
    const text = 'The dealer announces no more bets before the first card of a round.';
    found.push(say('round.bets', round.bets, text, GRADES.bets));
  }
  found.push(say('round.cards', round.cards.cite, cardsText(round.cards), GRADES.cards));
  const faces = round.faceUp
    ? 'Cards of a round lie face up; a reading shoe may record them.'
    : 'Cards of a round lie face down; no rank is shown, kept or sent.';
  found.push(
    say('round.faces', round.cards.cite, faces, round.faceUp ? GRADES.faces : GRADES.secret),
  );
  if (round.countsCalled !== null) {
    const after = `After ${round.countsCalled.after} cards`;
    const text = `${after} the dealer calls the point counts, before any further card.`;
    found.push(say('round.calls', round.countsCalled.cite, text, GRADES.calls));
  }
  if (round.tableau !== null) {
    const text = 'Third cards follow the baccarat drawing table.';
    const order = "A third card goes to the Player's hand first, then to the Banker's.";
    found.push(say('round.tableau', round.tableau.cite, text, GRADES.tableau));
    found.push(say('round.order', round.tableau.orderCite, order, GRADES.tableau));
  }
  return found;
};

/** Ways of dealing, as they follow `dealt from`. */
export const WAY_WORDS: Readonly<Record<Dealing, string>> = {
  shoe: 'a shoe',
  hand: 'the hand',
  'auto-shoe': 'an automated shoe',
};

const formulaText = ({ deck, stub }: Procedure): string => {
  if (stub === null) return '';
  const hands = stub.dealerHand ? '(players + dealer)' : 'players';
  const parts = [
    ...(stub.perHand > 0 ? [`${stub.perHand} × ${hands}`] : []),
    ...(stub.community > 0 ? [`${stub.community} dealt in every round`] : []),
    ...(stub.burns > 0 ? [`${stub.burns} burned`] : []),
  ];
  return `${deck.cardsPerDeck} − ${parts.join(' − ')}`;
};

/** The stub and what a count of it leads to; hand dealing. */
export const stubStatements = (procedure: Procedure): Statement[] => {
  const { stub, handDealing } = procedure;
  const found: Statement[] = [];
  if (stub !== null) {
    const often =
      stub.everyRounds === 1
        ? 'in every round'
        : `at least once in every ${stub.everyRounds} rounds`;
    const where = stub.appliesTo.map((way) => WAY_WORDS[way]).join(' or ');
    const unless = stub.exemptIfCounting ? ', unless a machine counts after each shuffle' : '';
    const counted = `When cards are dealt from ${where}, the stub is counted ${often}`;
    const text = `${counted} before settlement${unless}. It must be ${formulaText(procedure)}.`;
    const wrong =
      'A wrong count voids the round and returns the wagers; unless it was a misdeal with the ' +
      'deck complete, the deck leaves the table.';
    found.push(
      say('stub', stub.cite, text, GRADES.stub),
      say(
        'stub.good',
        stub.goodCite,
        'A right count: the stub goes to the rack unexposed.',
        GRADES.stub,
      ),
      say('stub.wrong', stub.wrongCite, wrong, GRADES.stub),
    );
  }
  if (handDealing !== null) {
    const text = handDealing.needsMachineShuffle
      ? 'Cards dealt from the hand were shuffled by a machine.'
      : 'Cards may be dealt from the hand however they were shuffled.';
    found.push(say('hand-dealing', handDealing.cite, text, GRADES.handNeeds));
  }
  return found;
};
