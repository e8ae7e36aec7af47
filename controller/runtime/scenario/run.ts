import { viewOf } from '../../core/view.js';
import { unmet } from './expectations.js';
import { Player, PlayStuck } from './player.js';
import { CannotAct, type Depth, type Rig, type StepSeen } from './rig.js';
import type { Entry, Scenario } from './schema.js';
import { ScenarioProblem } from './source.js';
import { rulesOf } from './table.js';
import { Witness } from './witness.js';

export interface Failure {
  readonly line: number;
  readonly column: number;
  /** The entry as written. */
  readonly said: string;
  readonly expected: string;
  readonly seen: string;
}

export interface Outcome {
  readonly file: string;
  readonly title: string;
  readonly through: Depth;
  readonly ok: boolean;
  /** Rows in the journal, cards out and simulated seconds: what the run came to. */
  readonly rows: number;
  readonly simulatedS: number;
  readonly realMs: number;
  readonly failures: readonly Failure[];
  /** Faults of journal or outbox found after the run. */
  readonly faults: readonly string[];
  /** The last steps before the failure, oldest first. */
  readonly steps: readonly string[];
  /** Phase and raised findings at the end: compared between depths. */
  readonly end: string;
}

export interface RunOptions extends Partial<SignalOptions> {
  readonly through: Depth;
}

/** For the deep depth; the fast one has no signals. */
export interface SignalOptions {
  /** Jitter, bounce, flicker and drift: 0 none (the default), 1 nominal. */
  readonly noise: number;
  readonly seed: number;
  /** Writes the signals of the run to this file. */
  readonly record: string;
}

const NS_PER_S = 1e9;

const rigFor = async (
  scenario: Scenario,
  { through, ...options }: RunOptions,
  seen: StepSeen,
): Promise<Rig> => {
  const rules = rulesOf(scenario);
  if (through === 'observations') {
    const { observationsRig } = await import('./rig-observations.js');
    return observationsRig(rules, seen);
  }
  const { signalsRig } = await import('./rig-signals.js');
  return signalsRig(rules, seen, options);
};

/** Null when the entry went well. */
const playEntry = async (
  entry: Entry,
  player: Player,
  rig: Rig,
  witness: Witness,
): Promise<readonly Failure[]> => {
  const { said, line, column } = entry;
  if (entry.act.do === 'expect') {
    return unmet(entry.act.checks, rig.state(), witness, rig.shown()).map((one) => ({
      ...one,
      said,
    }));
  }
  try {
    await player.play(entry.act);
    return [];
  } catch (error) {
    if (!(error instanceof PlayStuck)) throw error;
    return [{ line, column, said, expected: error.expected, seen: error.seen }];
  }
};

const endOf = (rig: Rig): string => {
  const view = viewOf(rig.state());
  const raised = Object.entries(view.raised)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, n]) => `${code} ${n}`);
  const { phase, shoe, round, loaded, out, cardsAfterWarning, gate } = view;
  const open = view.findings.map(({ code, clause }) => `${code} § ${clause}`).sort();
  return JSON.stringify({
    phase,
    shoe,
    round,
    loaded,
    out,
    gate,
    cardsAfterWarning,
    raised,
    open,
  });
};

/**
 * Plays one scenario at one depth. The first entry that fails ends it; journal and outbox are
 * checked either way. Throws `ScenarioProblem` when the file asks for what its table cannot do.
 */
export const runScenario = async (scenario: Scenario, options: RunOptions): Promise<Outcome> => {
  const startedMs = performance.now();
  const witness = new Witness();
  const rig = await rigFor(scenario, options, (step, state) => witness.see(step, state));
  let failures: readonly Failure[] = [];
  try {
    await rig.start();
    const player = new Player(rig);
    for (const entry of scenario.timeline) {
      failures = await playGuarded(scenario, entry, () => playEntry(entry, player, rig, witness));
      if (failures.length > 0) break;
    }
    const steps = failures.length > 0 ? witness.recent() : [];
    const end = endOf(rig);
    const faults = await rig.finish();
    return {
      file: scenario.file,
      title: scenario.title,
      through: options.through,
      ok: failures.length === 0 && faults.length === 0,
      rows: witness.steps,
      simulatedS: rig.clock.nowNs() / NS_PER_S,
      realMs: performance.now() - startedMs,
      failures,
      faults,
      steps,
      end,
    };
  } finally {
    await rig.dispose();
  }
};

/** What this table cannot do is a fault of the file, at the place of the entry. */
const playGuarded = async <T>(
  scenario: Scenario,
  entry: Entry,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CannotAct)) throw error;
    throw new ScenarioProblem(scenario.file, entry, error.message);
  }
};
