import type { Observation } from '../../core/observation.js';

type Press = Extract<Observation, { kind: 'press' }>;

const spoken = (key: string): string => key.replaceAll('-', ' ');
const ofBatch = (batch: string | undefined): string => (batch === undefined ? '' : `, ${batch}`);
const cards = (n: number): string => `${n} ${n === 1 ? 'card' : 'cards'}`;

/** What was keyed with a press; never a card's rank, not even one that was shown to all. */
const keyedText = (press: Press): string => {
  switch (press.key) {
    case 'preshuffled':
      return `, package ${press.package}`;
    case 'cut-offered':
    case 'cut-declined':
      return `, seat ${press.seat}`;
    case 'cut': {
      const by = press.by === 'dealer' ? 'the dealer' : `seat ${press.by}`;
      return `, by ${by}${press.depth === undefined ? '' : `, ${cards(press.depth)} deep`}`;
    }
    case 'loaded':
    case 'deck-removed':
      return ofBatch(press.batch);
    case 'deck-in':
      return `, ${press.batch}, number ${press.id}`;
    case 'no-more-bets':
      return press.hands === undefined ? '' : `, ${press.hands} hands`;
    case 'stub-count':
      return `, ${cards(press.n)}`;
    case 'hand-count':
      return `, ${press.batch}, ${cards(press.n)}, with ${press.second}`;
    case 'dealer-in':
      return press.dealer === undefined ? '' : `, ${press.dealer}`;
    case 'acknowledge':
    case 'clear':
      return `, ${press.finding}`;
    case 'misdeal':
      return press.yes ? `, yes, the deck ${press.full ? 'full' : 'not full'}` : ', no';
    case 'accept-gap':
      return `, ${cards(press.cards)}`;
    case 'approve-reshuffler':
      return `, ${press.device}`;
    default:
      return '';
  }
};

const pressText = (press: Press): string => {
  const who = press.badge === undefined ? press.role : `${press.role} ${press.badge}`;
  return `${who} pressed “${spoken(press.key)}”${keyedText(press)}`;
};

/** What happened, as a person would say it; the code stands beside it on the page. */
export const stepWords = (observation: Observation): string => {
  switch (observation.kind) {
    case 'press':
      return pressText(observation);
    case 'card.out':
      return observation.lengthMm === null
        ? 'a card came out, stopped or turned on its way'
        : 'a card came out';
    case 'card.back':
      return 'a card went back in';
    case 'card.double':
      return 'two cards came out at once';
    case 'cover.out':
      return 'the cover card came out';
    case 'mouth.blocked':
      return 'something lies in the mouth of the shoe';
    case 'mouth.clear':
      return 'the mouth of the shoe is clear';
    case 'shoe.loaded':
      return 'cards are in the shoe';
    case 'shoe.empty':
      return 'the shoe is empty';
    case 'lid.open':
      return 'the lid was opened';
    case 'lid.closed':
      return 'the lid was closed';
    case 'rack.count':
      return `the discard rack counts ${cards(observation.n)}`;
    case 'shuffler.start':
      return `the shuffler began${ofBatch(observation.batch)}`;
    case 'shuffler.done': {
      const { batch, count } = observation;
      const counted = count === undefined ? '' : `, counted ${cards(count)}`;
      return `the shuffler is done${ofBatch(batch)}${counted}`;
    }
    case 'shuffler.lamp':
      return `the shuffler's lamp: ${observation.lamp}`;
    case 'shuffler.jam':
      return 'the shuffler jammed';
    case 'shuffler.door':
      return `the shuffler's door ${observation.open ? 'was opened' : 'was closed'}`;
    case 'shuffler.inventory':
      return `the shuffler holds ${cards(observation.count)}${ofBatch(observation.batch)}`;
    case 'shuffler.unload':
      return `the shuffler gave out ${cards(observation.count)}${ofBatch(observation.batch)}`;
    default:
      return conditionText(observation);
  }
};

const conditionText = (
  observation: Exclude<
    Observation,
    {
      kind:
        | 'press'
        | `${'card' | 'cover' | 'mouth' | 'shoe' | 'lid' | 'rack' | 'shuffler'}.${string}`;
    }
  >,
): string => {
  switch (observation.kind) {
    case 'link.up':
      return `${observation.device}: connected`;
    case 'link.down':
      return `${observation.device}: no connection`;
    case 'device.stale':
      return `${observation.device}: silent for too long`;
    case 'power.boot':
      return observation.unclean
        ? `the table started again after an accident, start ${observation.boot}`
        : `the table started, start ${observation.boot}`;
    case 'power.off':
      return 'the table was stopped on purpose';
    case 'clock.step':
      return `the clock was put ${observation.stepMs < 0 ? 'back' : 'on'} by ${Math.abs(
        observation.stepMs,
      )} ms`;
    case 'clock.trust':
      return observation.trusted ? 'the clock is synchronised' : 'the clock is not synchronised';
    case 'journal.fault':
      return `the journal failed: ${observation.reason}`;
    case 'command': {
      const { command, key, taken, note } = observation;
      const from = key === undefined ? 'from nobody known' : `from ${key}`;
      const why = note === undefined ? '' : `: ${note}`;
      return `an order came (${command}) ${from}, ${taken ? 'taken' : 'refused'}${why}`;
    }
    case 'timer':
      return `time was up: ${spoken(observation.timer)}`;
  }
};
