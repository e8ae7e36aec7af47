import type { Rules } from '../../controller/core/decide.js';

/** Whether a table can make a fault at all: read from the pack and the table, nothing else. */
export const inShoe = ({ table }: Rules): boolean => table.dealing !== 'hand';
export const fromHand = (rules: Rules): boolean => !inShoe(rules);
export const byMachine = ({ procedure, table }: Rules): boolean =>
  table.shuffler !== 'none' && procedure.shuffle.sources.includes('machine');
export const counting = (rules: Rules): boolean =>
  byMachine(rules) && rules.table.shuffler === 'counting';
export const notCounting = (rules: Rules): boolean =>
  byMachine(rules) && rules.table.shuffler === 'not-counting';
export const hasCut = (rules: Rules): boolean =>
  rules.procedure.cut?.requiredFor[byMachine(rules) ? 'machine' : 'hand'] === true;
export const playersCut = (rules: Rules): boolean =>
  hasCut(rules) && rules.procedure.cut?.cutter === 'players';
export const hasRecut = (rules: Rules): boolean =>
  hasCut(rules) && inShoe(rules) && rules.procedure.cut?.recut != null;
export const hasMarker = (rules: Rules): boolean =>
  inShoe(rules) && rules.procedure.marker !== null;
export const hasBurn = (rules: Rules): boolean => inShoe(rules) && rules.procedure.burn !== null;
export const burnsByValue = (rules: Rules): boolean =>
  hasBurn(rules) && rules.procedure.burn?.kind === 'first-card-value';
export const hasDealerBurn = (rules: Rules): boolean =>
  inShoe(rules) && rules.procedure.dealerBurn !== null;
export const hasCover = (rules: Rules): boolean => inShoe(rules) && rules.procedure.cover !== null;
export const announces = (rules: Rules): boolean => {
  const { cover } = rules.procedure;
  return hasCover(rules) && (cover?.first.announce === true || cover?.mid.announce === true);
};
export const hasStub = ({ procedure, table }: Rules): boolean =>
  procedure.stub?.appliesTo.includes(table.dealing) === true && table.shuffler !== 'counting';
export const twoBatches = ({ table }: Rules): boolean => table.batches.length > 1;
export const always = (): boolean => true;
