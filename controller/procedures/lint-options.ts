import type { Complain } from './lint.js';
import { type MapNode, type Scalar, type TreeNode, walk } from './tree.js';

const scalar = (node: TreeNode | undefined): Scalar | undefined =>
  node?.kind === 'scalar' ? node.value : undefined;

const lintChoices = (name: string, option: MapNode, choices: MapNode, complain: Complain): void => {
  const names = [...choices.entries.keys()];
  if (names.includes('none')) {
    complain(
      ['options', name, 'choices', 'none'],
      'A choice cannot be called none: that word means that there is no rule.',
      'Give it a name that says what it is.',
    );
  }
  const usual = scalar(option.entries.get('default'));
  if (typeof usual !== 'string' || !names.includes(usual)) {
    complain(
      ['options', name, 'default'],
      `The default \`${String(usual)}\` is none of the choices.`,
      `Write one of: ${names.join(', ')}.`,
    );
    return;
  }
  const own = choices.entries.get(usual);
  const set = own?.kind === 'map' ? own.entries.get('set') : undefined;
  if (set?.kind === 'map' && set.entries.size > 0) {
    complain(
      ['options', name, 'choices', usual, 'set'],
      'The default choice changes the pack, so the pack would never hold as written.',
      'Write its values into the pack itself and leave set out.',
    );
  }
};

type Chosen = ReadonlyMap<string, string | number>;

const isAsleep = (option: MapNode, chosen: Chosen): boolean => {
  const needs = option.entries.get('needs');
  if (needs?.kind !== 'map') return false;
  return [...needs.entries].some(([other, node]) => chosen.get(other) !== scalar(node));
};

const lintNumber = (name: string, option: MapNode, tree: MapNode, complain: Complain): void => {
  const sets = scalar(option.entries.get('sets'));
  const path = typeof sets === 'string' ? sets.split('.') : [];
  const target = walk(tree, path);
  const value = target.length === path.length + 1 ? scalar(target.at(-1)) : undefined;
  const [min, max] = [scalar(option.entries.get('min')), scalar(option.entries.get('max'))];
  if (typeof value !== 'number') {
    complain(
      ['options', name, 'sets'],
      `\`${String(sets)}\` is no number of this pack.`,
      'Name a field that holds a number, such as burn.cards.',
    );
    return;
  }
  if (typeof min === 'number' && typeof max === 'number' && (value < min || value > max)) {
    complain(
      ['options', name],
      `The pack's own ${String(sets)} is ${value}, outside ${min} to ${max}.`,
      'Correct the range or the value.',
    );
  }
};

/** Options whose default is not there, or that change what does not exist. */
export const lintOptions = (tree: MapNode, chosen: Chosen, complain: Complain): void => {
  const options = tree.entries.get('options');
  if (options?.kind !== 'map') return;
  for (const [name, option] of options.entries) {
    if (option.kind !== 'map') continue;
    const choices = option.entries.get('choices');
    if (choices?.kind === 'map') lintChoices(name, option, choices, complain);
    else if (!isAsleep(option, chosen)) lintNumber(name, option, tree, complain);
  }
};
