import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../controller/core/finding.js';
import { demoRules } from '../../../../controller/runtime/demo/table.js';
import { mistakeOf } from '../../../../controller/runtime/demo/mistakes.js';
import { Player } from '../../../../controller/runtime/demo/player.js';
import { Visitor, VISITOR_MS } from '../../../../controller/runtime/demo/visitor.js';
import { observationsRig } from '../../../../controller/runtime/scenario/rig-observations.js';

const finding = (id: string, more: Partial<Finding> = {}): Finding => ({
  id,
  code: 'card.back',
  clause: 'policy:card-back',
  severity: 'stop',
  lifespan: 'shoe',
  expected: '',
  observed: '',
  remedy: '',
  authority: 'floor',
  raisedSeq: 1,
  raisedNs: 0,
  raisedWallMs: 0,
  ...more,
});

describe('a person at the floor page of the demo', () => {
  it('is left each finding for a while of real time, longer once it is seen', () => {
    const at = { ms: 0, isThere: true };
    const visitor = new Visitor(
      () => at.isThere,
      () => at.ms,
    );
    const open = [finding('7.1')];
    expect([...visitor.leaves(open)]).toEqual(['7.1']);
    at.ms = VISITOR_MS - 1;
    expect([...visitor.leaves([...open, finding('9.1')])]).toEqual(['7.1', '9.1']);
    at.ms = VISITOR_MS;
    expect([...visitor.leaves([...open, finding('9.1')])]).toEqual(['9.1']);
    expect([...visitor.leaves([finding('7.1', { acknowledged: { role: 'floor' } })])]).toEqual([
      '7.1',
    ]);
    at.isThere = false;
    expect(visitor.leaves(open).size).toBe(0);
  });

  it('is not acted for meanwhile, nor after they settled it themselves', async () => {
    const rules = demoRules('pa/627a-minibaccarat');
    const mistake = mistakeOf('card.back');
    expect(mistake).toBeDefined();
    const rig = observationsRig(rules, () => undefined);
    await rig.start();
    const player = new Player({
      rules,
      seed: 3,
      mistakes: mistake === undefined ? [] : [mistake],
      human: false,
      shoes: null,
    });
    const stop = () => rig.state().findings.find(({ severity }) => severity === 'stop');
    while (stop() === undefined) {
      const turn = player.next(rig.state());
      if (turn.kind !== 'move') throw new Error('the player ended before its mistake');
      await rig.advance(turn.move.tookMs);
      await rig.act(turn.move.act);
    }
    const id = stop()?.id ?? '';
    // Left to a person: whatever the player would do, it is nothing about this finding.
    const left = player.next(rig.state(), new Set([id]));
    expect(left.kind === 'move' ? left.finding : null).toBeNull();
    expect(player.hasAttended(id)).toBe(false);
    // Nobody came: the first thing is to see it, the second is its remedy.
    const first = player.next(rig.state());
    expect(first).toMatchObject({ kind: 'move', finding: id });
    expect(player.hasAttended(id)).toBe(true);
    // A person clears it just then: the rest of the remedy is dropped.
    await rig.act({
      do: 'press',
      press: { kind: 'press', role: 'floor', key: 'clear', finding: id },
    });
    expect(stop()).toBeUndefined();
    const after = player.next(rig.state());
    expect(after).toMatchObject({ kind: 'move', finding: null });
    await rig.dispose();
  });
});
