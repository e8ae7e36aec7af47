import type { TableState } from '../core/state.js';
import type { Hands } from '../../firmware-bridge/virtual/hands.js';
import type { CardOut, HandAct } from './scenario/schema.js';

const face = ({ rank, suit }: CardOut): string =>
  rank === undefined ? '?' : `${rank}${suit ?? 's'}`;

const times = (n: number, once: () => number): number => {
  let endNs = 0;
  for (let i = 0; i < n; i += 1) endNs = once();
  return endNs;
};

/**
 * Does one act with the virtual table's hands.
 * @throws Error for an act that does not happen at the table (power, network, clock).
 * @returns when everything it leads to has been told, ns on the table's clock.
 */
export const actWithHands = (hands: Hands, act: HandAct, state: TableState): number => {
  const usual = state.shoe.batch ?? state.prep.batch;
  switch (act.do) {
    case 'cards':
      return act.cards.reduce((_endNs, card) => hands.cards([face(card)], card.back ?? usual), 0);
    case 'cover':
      return times(act.n, () => hands.cover());
    case 'back':
      return times(act.n, () => hands.back());
    case 'double':
      return times(act.n, () => hands.double(usual));
    case 'block':
      return hands.block(act.ms);
    case 'press':
      return hands.press(act.press);
    case 'shuffler':
      return hands.shuffler(act.message);
    case 'serial':
      return hands.serial(act.bytes);
    case 'link':
      return hands.link(act.device, act.state === 'up');
    case 'lid':
      return hands.lid(act.open);
    case 'shoe':
      return hands.shoe(act.loaded);
    case 'rack':
      throw new Error('the virtual table has no discard rack sensor');
    case 'power':
    case 'network':
    case 'network-off':
    case 'clock':
      throw new Error(`\`${act.do}\` happens to the box, not at the table`);
  }
};
