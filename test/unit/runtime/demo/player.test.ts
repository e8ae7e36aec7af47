import { describe, expect, it } from 'vitest';
import type { Rules } from '../../../../controller/core/decide.js';
import type { FindingCode } from '../../../../controller/core/finding.js';
import type { TableState } from '../../../../controller/core/state.js';
import { demoRules } from '../../../../controller/runtime/demo/table.js';
import { MISTAKES, type Mistake, mistakeOf } from '../../../../controller/runtime/demo/mistakes.js';
import { Player } from '../../../../controller/runtime/demo/player.js';
import { observationsRig } from '../../../../controller/runtime/scenario/rig-observations.js';

const PROCEDURES = [
  'pa/627a-minibaccarat',
  'pa/631a-baccarat',
  'pa/651a-casino-war',
  'pa/663a-five-card-hi-lo',
  'pa/677a-heads-up-hold-em',
] as const;

const MOVES_MAX = 4000;

interface Played {
  readonly end: string;
  readonly raised: Readonly<Record<string, number>>;
  readonly state: TableState;
  readonly refused: readonly string[];
}

const play = async (
  rules: Rules,
  options: { mistakes?: readonly Mistake[]; human?: boolean; shoes: number; seed?: number },
): Promise<Played> => {
  const refused: string[] = [];
  const rig = observationsRig(rules, (step) => {
    for (const decision of step.decisions) {
      if (decision.do === 'refused') refused.push(`${decision.key}: ${decision.reason}`);
    }
  });
  await rig.start();
  const player = new Player({
    rules,
    seed: options.seed ?? 7,
    mistakes: options.mistakes ?? [],
    human: options.human ?? false,
    shoes: options.shoes,
  });
  let end = 'too many moves';
  for (let i = 0; i < MOVES_MAX * options.shoes; i += 1) {
    const turn = player.next(rig.state());
    if (turn.kind !== 'move') {
      end = turn.kind === 'done' ? 'done' : `stuck: ${turn.why}`;
      break;
    }
    await rig.advance(turn.move.tookMs);
    await rig.act(turn.move.act);
  }
  const state = rig.state();
  await rig.dispose();
  return { end, raised: state.tally.raised, state, refused };
};

describe('the practised dealer', () => {
  it.each(PROCEDURES)('plays %s without a finding and without a refusal', async (procedure) => {
    const rules = demoRules(procedure);
    const played = await play(rules, { shoes: rules.table.dealing === 'hand' ? 40 : 2 });
    expect(played.raised).toEqual({});
    expect(played.refused).toEqual([]);
    expect(played.end).toBe('done');
    expect(played.state.counting.roundsSince).toBeLessThan(200);
  });

  it('plays the same shoe from the same seed and another from another', async () => {
    const rules = demoRules('pa/627a-minibaccarat');
    const [a, b, c] = await Promise.all(
      [1, 1, 2].map((seed) => play(rules, { shoes: 1, seed, human: true })),
    );
    expect(a?.state).toEqual(b?.state);
    expect(a?.state.atNs).not.toBe(c?.state.atNs);
  });
});

describe('mistakes on request', () => {
  const cases = PROCEDURES.flatMap((procedure) =>
    MISTAKES.filter((mistake) => mistake.fits(demoRules(procedure))).map(
      ({ code }) => [procedure, code] as const,
    ),
  );

  it('every mistake fits some procedure of the demo', () => {
    const found = new Set(cases.map(([, code]) => code));
    expect(MISTAKES.filter(({ code }) => !found.has(code)).map(({ code }) => code)).toEqual([]);
    expect(new Set(MISTAKES.map(({ code }) => code)).size).toBe(MISTAKES.length);
  });

  it.each(cases)('%s: %s is found, put right, and the shoe goes on', async (procedure, code) => {
    const rules = demoRules(procedure);
    const mistake = mistakeOf(code);
    if (mistake === undefined) throw new Error(code);
    const shoes = rules.table.dealing === 'hand' ? 12 : 2;
    const played = await play(rules, { mistakes: [mistake], shoes });
    expect(played.raised[code] ?? 0).toBeGreaterThan(0);
    expect(played.end).toBe('done');
    const blocking = played.state.findings.filter(({ severity }) => severity === 'stop');
    expect(blocking.map((finding): FindingCode => finding.code)).toEqual([]);
  });

  it('a person errs now and then, and the table gets over it', async () => {
    const raised = new Set<string>();
    for (let seed = 1; seed <= 6; seed += 1) {
      const rules = demoRules('pa/627a-minibaccarat');
      const played = await play(rules, { human: true, shoes: 3, seed });
      expect(played.end).toBe('done');
      for (const code of Object.keys(played.raised)) raised.add(code);
    }
    expect(raised.size).toBeGreaterThan(3);
  });
});
