import { describe, expect, it } from 'vitest';
import { fitProblems } from '../../../controller/config/fit.js';
import type { Rules } from '../../../controller/core/decide.js';
import { DEFAULT_POLICY, expectedCount, type Table } from '../../../controller/core/procedure.js';
import { viewOf } from '../../../controller/core/view.js';
import { builtInIds, loadProcedure } from '../../../controller/runtime/procedure-files.js';
import { Player } from '../../../controller/runtime/scenario/player.js';
import { observationsRig } from '../../../controller/runtime/scenario/rig-observations.js';

const SHUFFLERS = ['none', 'counting', 'not-counting'] as const;

/** Every table a built-in procedure can be played at. */
const tables = (): readonly Rules[] =>
  builtInIds().flatMap((id) => {
    const procedure = loadProcedure(id);
    return procedure.dealing.flatMap((dealing) =>
      SHUFFLERS.flatMap((shuffler) => {
        const table: Table = {
          decks: procedure.deck.decksMin,
          crew: 3,
          seats: 6,
          dealing,
          shuffler,
          reader: 'none',
          batches: ['red', 'blue'],
          enforcement: 'lock',
          policy: DEFAULT_POLICY,
        };
        const rules = { procedure, table };
        return fitProblems(procedure, table).length === 0 ? [rules] : [];
      }),
    );
  });

const ROUNDS = 12;
/** Cards that no round may come near: burn, marker and cover card. */
const SPARE = 20;

const needsMachine = ({ procedure, table }: Rules): boolean =>
  table.dealing === 'hand' &&
  table.shuffler === 'none' &&
  procedure.handDealing?.needsMachineShuffle === true;

/** Two shoes of play: by hand or out of the shoe, as the table deals. */
const playShoes = async (rules: Rules): Promise<ReturnType<typeof viewOf>> => {
  const rig = observationsRig(rules, () => undefined);
  try {
    await rig.start();
    const player = new Player(rig);
    const { procedure, table } = rules;
    const n = procedure.round.cards.max ?? procedure.round.cards.min ?? 10;
    const cards = table.dealing === 'hand' ? null : Array.from({ length: n }, () => ({}));
    const fit = Math.floor((expectedCount(procedure, table) - SPARE) / n);
    const isEach = procedure.shuffle.when === 'each-round';
    const times = isEach ? ROUNDS : Math.min(ROUNDS, fit);
    const round = { do: 'round', cards, hands: 4, times } as const;
    await player.play({ do: 'open', until: 'ready', firstCard: '5' });
    await player.play(round);
    if (procedure.cover?.first.shuffleNow === false && table.dealing !== 'hand') {
      await player.play({ do: 'cover', n: 1 });
      await player.play({ ...round, times: Math.min(4, times) });
    }
    const view = viewOf(rig.state());
    expect(await rig.finish()).toEqual([]);
    return view;
  } finally {
    await rig.dispose();
  }
};

describe('a dealer by the book raises nothing', () => {
  for (const rules of tables().filter((one) => !needsMachine(one))) {
    const { procedure, table } = rules;
    it(`${procedure.id}, ${table.dealing}, shuffler ${table.shuffler}`, async () => {
      const view = await playShoes(rules);
      expect(view.findings).toEqual([]);
      expect(view.raised).toEqual({});
      expect(['ready', 'shuffle-due', 'reshuffle-due']).toContain(view.phase);
    });
  }
});

describe('a dealer who cannot go on', () => {
  for (const rules of tables().filter(needsMachine)) {
    it(`${rules.procedure.id} from the hand without a machine`, async () => {
      const rig = observationsRig(rules, () => undefined);
      await rig.start();
      await expect(new Player(rig).prepare('ready')).rejects.toThrow(/the table in phase ready/);
      await rig.dispose();
    });
  }
});
