import type { Decision } from '../core/decision.js';
import type { Finding, Severity } from '../core/finding.js';
import type { Observation } from '../core/observation.js';
import type { TableStep } from '../core/ports.js';
import type { TableState } from '../core/state.js';

/** How a line is shown: findings by their severity, the rest by what it is about. */
export type Tone = Severity | 'cleared' | 'plain' | 'quiet';

/** One line of the live log, told in the trade's words; never a rank. */
export interface Line {
  readonly tone: Tone;
  readonly text: string;
}

const line = (tone: Tone, text: string): Line => ({ tone, text });

/**
 * What a step means to people, in order: what happened, where the table stands now, findings.
 * Single cards are not told; their sum is told with the round.
 */
export const storyOf = (step: TableStep, before: TableState, after: TableState): Line[] => {
  const lines: Line[] = [];
  const isRefused = step.decisions.some((decision) => decision.do === 'refused');
  const happened = happenedText(step.observation, before, after, isRefused);
  if (happened !== null) lines.push(happened);
  if (before.phase !== after.phase) {
    lines.push(line('quiet', `${before.phase} -> ${after.phase}${burnText(after)}`));
  }
  for (const decision of step.decisions) {
    const told = decisionLine(decision);
    if (told !== null) lines.push(told);
  }
  return lines;
};

const happenedText = (
  observation: Observation,
  before: TableState,
  after: TableState,
  isRefused: boolean,
): Line | null => {
  switch (observation.kind) {
    case 'press':
      return line('plain', pressText(observation, before, after, isRefused));
    case 'cover.out':
      return line('plain', `cover card out, ${leftText(after)}`);
    case 'shoe.loaded':
      return line('quiet', 'shoe in place');
    case 'shuffler.start':
      return line('quiet', `shuffler started${named(observation.batch)}`);
    case 'shuffler.done': {
      const counted = observation.count === undefined ? '' : `, counted ${observation.count}`;
      return line('plain', `shuffler done${named(observation.batch)}${counted}`);
    }
    case 'shuffler.jam':
      return line('plain', 'shuffler jammed');
    case 'link.down':
      return line('plain', `${observation.device}: no connection`);
    case 'link.up':
      // At the start every device comes up; only one that was away is news.
      return before.devices[observation.device]?.up === false
        ? line('plain', `${observation.device}: connected again`)
        : null;
    case 'device.stale':
      return line('plain', `${observation.device}: silent for too long`);
    case 'power.boot':
      return line(
        'plain',
        observation.unclean
          ? `started again after an accident, boot ${observation.boot}`
          : `started, boot ${observation.boot}`,
      );
    case 'power.off':
      return line('plain', 'stopped on purpose');
    case 'clock.step':
      return line('plain', `wall clock stepped by ${observation.stepMs} ms`);
    default:
      return null;
  }
};

const named = (batch: string | undefined): string => (batch === undefined ? '' : ` (${batch})`);

const leftText = (state: TableState): string =>
  state.shoe.outKnown ? `${state.shoe.loaded - state.shoe.out} behind it` : 'count not known';

const pressText = (
  observation: Extract<Observation, { kind: 'press' }>,
  { findings }: TableState,
  { shoe, round }: TableState,
  isRefused: boolean,
): string => {
  const { role, key } = observation;
  if (key === 'clear' || key === 'acknowledge') {
    return `${role}: ${key} ${findingName(observation.finding, findings)}`;
  }
  // What a refused press would have led to did not happen.
  if (isRefused) return `${role}: ${key}`;
  switch (key) {
    case 'no-more-bets':
      return `${role}: no more bets, round ${round.no}`;
    case 'round-end': {
      const left = shoe.outKnown ? `, ${shoe.loaded - shoe.out} left in the shoe` : '';
      return `${role}: round ended, ${round.cards} cards${left}`;
    }
    case 'cut':
      return `${role}: cut by ${cutterText(observation.by)}`;
    case 'cut-offered':
    case 'cut-declined':
      return `${role}: ${key} seat ${observation.seat}`;
    case 'loaded':
      return `${role}: loaded ${shoe.loaded} cards, shoe ${shoe.no}`;
    case 'stub-count':
    case 'hand-count':
      return `${role}: ${key} ${observation.n}`;
    case 'accept-gap':
      return `${role}: accept-gap ${observation.cards}`;
    default:
      return `${role}: ${key}`;
  }
};

/** A press names a finding by its number or its code; people know the code. */
const findingName = (name: string, findings: TableState['findings']): string => {
  const found = findings.find(({ id }) => id === name);
  return found === undefined ? name : `${name} ${found.code}`;
};

const cutterText = (by: number | 'dealer'): string =>
  by === 'dealer' ? 'the dealer' : `seat ${by}`;

const decisionLine = (decision: Decision): Line | null => {
  switch (decision.do) {
    case 'raised':
      return line(decision.finding.severity, findingText(decision.finding));
    case 'cleared':
      return line('cleared', `${decision.code} cleared: ${decision.how}`);
    case 'refused':
      return line('warn', `refused ${decision.key} § ${decision.clause}: ${decision.reason}`);
    case 'direct':
      return decision.directive.to === 'announce'
        ? line('plain', `announced: ${decision.directive.text}`)
        : null;
    default:
      return null;
  }
};

const burnText = ({ phase, burn }: TableState): string =>
  phase === 'burn' && burn.required !== null ? `, ${burn.required} to burn` : '';

/** `burn.short § 631a.5(f): expected …, observed …. Remedy` */
export const findingText = (finding: Finding): string =>
  `${finding.code} ${clauseText(finding.clause)}: expected ${finding.expected}; observed ` +
  `${finding.observed}. ${finding.remedy}`;

const clauseText = (clause: string): string =>
  clause.startsWith('policy:') ? clause : `§ ${clause}`;

const COLOUR: Readonly<Record<Tone, string>> = {
  stop: '\u001b[1;31m',
  hold: '\u001b[1;33m',
  warn: '\u001b[33m',
  info: '\u001b[36m',
  cleared: '\u001b[32m',
  plain: '',
  quiet: '\u001b[2m',
};
const NO_COLOUR = '\u001b[0m';
const LABEL_WIDTH = 5;

/** `14:03:12  STOP  text`, in colour where `colour` is true. Wall time is shown in UTC. */
export const lineText = ({ tone, text }: Line, wallMs: number, colour: boolean): string => {
  const time = new Date(wallMs).toISOString().slice(11, 19);
  const label = tone === 'plain' || tone === 'quiet' ? '' : tone === 'cleared' ? 'ok' : tone;
  const words = `${label.toUpperCase().padEnd(LABEL_WIDTH)} ${text}`;
  const code = colour ? COLOUR[tone] : '';
  return code === '' ? `${time}  ${words}` : `${time}  ${code}${words}${NO_COLOUR}`;
};
