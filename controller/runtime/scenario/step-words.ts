import type { Decision } from '../../core/decision.js';
import type { Happening, Observation } from '../../core/observation.js';
import type { TableStep } from '../../core/ports.js';

const pairs = (fields: object, leaveOut: readonly string[]): string =>
  Object.entries(fields)
    .filter(([name, value]) => !leaveOut.includes(name) && value !== undefined && value !== null)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');

const STAMP = ['seq', 'atNs', 'wallMs', 'wallTrusted', 'kind'];
/** Says nothing about the card: noise of the hand that pulled it. */
const MEASURE = ['lengthMm', 'speedMmS'];
const HASHES = ['procedure', 'table', 'version'];

/** A happening as one short line: `press first-card (role dealer, rank 7)`. */
export const happeningWords = (happening: Happening | Observation): string => {
  if (happening.kind === 'press') {
    const { key, role } = happening;
    const more = pairs(happening, [...STAMP, 'key', 'role']);
    return `${role} presses ${key}${more === '' ? '' : ` (${more})`}`;
  }
  const more = pairs(happening, [...STAMP, ...MEASURE, ...HASHES]);
  return `${happening.kind}${more === '' ? '' : ` (${more})`}`;
};

/** What people would want to know of a decision; null for bookkeeping. */
const decisionWords = (decision: Decision): string | null => {
  switch (decision.do) {
    case 'moved':
      return `phase ${decision.phase}`;
    case 'raised': {
      const { code, clause, severity, observed } = decision.finding;
      return `raised ${severity} ${code} § ${clause}: ${observed}`;
    }
    case 'cleared':
      return `cleared ${decision.code} (${decision.how})`;
    case 'acknowledged':
      return `acknowledged ${decision.id}`;
    case 'refused':
      return `refused ${decision.key} § ${decision.clause}: ${decision.reason}`;
    case 'direct':
      switch (decision.directive.to) {
        case 'gate':
          return `gate ${decision.directive.locked ? 'locked' : 'open'}`;
        case 'tower':
          return `tower ${decision.directive.colour} ${decision.directive.light}`;
        case 'display':
          return `display "${decision.directive.line1}"`;
        case 'announce':
          return `announce "${decision.directive.text}"`;
        case 'sound':
        case 'video':
          return null;
      }
    // eslint-disable-next-line no-fallthrough -- the inner switch returns in every case
    case 'noted':
    case 'duty':
    case 'duties':
    case 'changed':
    case 'timer':
      return null;
  }
};

const NS_PER_S = 1e9;

/** `12.3 s  dealer presses loaded -> phase burn; gate open`. */
export const stepWords = ({ observation, decisions }: TableStep, phase: string): string => {
  const told = decisions.map(decisionWords).filter((words) => words !== null);
  const at = `${(observation.atNs / NS_PER_S).toFixed(1)} s`;
  const after = told.length === 0 ? `still ${phase}` : told.join('; ');
  return `${at.padStart(10)}  ${happeningWords(observation)} -> ${after}`;
};
