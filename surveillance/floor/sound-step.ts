import { plainIssue } from '../../controller/config/plain-issue.js';
import type { TableStep } from '../../controller/core/ports.js';
import type { TableState } from '../../controller/core/state.js';
import { eventSchema } from '../contract/messages.js';
import { WALL_MAX_MS } from './ingest.js';

const stepSchema = eventSchema.pick({ observation: true, decisions: true });

/**
 * Findings open at one table, and fields of one part of its state. A real table has a few; each row
 * costs as much as there are, so that a table which raises them without end would stop all others.
 */
const OPEN_MAX = 1000;
const FIELDS_MAX = 200;

/** A cutter is a seat's number or the word for the dealer. */
const CUTTERS: ReadonlySet<string> = new Set(['cutTurn', 'cutBy', 'recutAfter']);

/** What no value is told apart from: a list, a map, or a plain type. */
const typeOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);

const fits = (value: unknown, known: unknown): boolean =>
  value === null || known === null || known === undefined || typeOf(value) === typeOf(known);

/** Why the parts that a step notes cannot be laid over a state; null where they can. */
const whyNotNoted = ({ decisions }: TableStep, state: TableState): string | null => {
  for (const decision of decisions) {
    if (decision.do !== 'noted') continue;
    const known = new Map<string, unknown>(Object.entries(state[decision.part]));
    for (const [field, value] of Object.entries(decision.set)) {
      if (CUTTERS.has(field) && typeof value !== 'object') continue;
      if (fits(value, known.get(field))) continue;
      return `it notes \`${decision.part}.${field}\` as a ${typeOf(value)}`;
    }
    const added = Object.keys(decision.set).filter((field) => !known.has(field)).length;
    if (known.size + added > FIELDS_MAX) {
      return `\`${decision.part}\` would have more than ${FIELDS_MAX} fields`;
    }
  }
  return null;
};

const whyTooMany = ({ decisions }: TableStep, { findings }: TableState): string | null => {
  const raised = decisions.filter(
    (decision) => decision.do === 'raised' && decision.finding.severity !== 'info',
  ).length;
  if (raised === 0 || findings.length + raised <= OPEN_MAX) return null;
  return `more than ${OPEN_MAX} findings would be open`;
};

const isClock = (ms: number): boolean => Number.isFinite(ms) && Math.abs(ms) <= WALL_MAX_MS;

const whyNotTimed = ({ decisions }: TableStep): string | null => {
  for (const decision of decisions) {
    if (decision.do !== 'raised' && decision.do !== 'changed') continue;
    const { id, raisedWallMs } = decision.finding;
    if (!isClock(raisedWallMs)) return `finding ${id} has a wall time that no clock can show`;
  }
  return null;
};

/**
 * Why a step cannot be followed from a state; null where it can. The rows of a table are its own
 * word: they prove nothing about their shape.
 */
export const whyUnsound = (step: TableStep, state: TableState): string | null => {
  const parsed = stepSchema.safeParse(step);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    if (issue === undefined) return 'the row: no step';
    const where = issue.path.map(String).join('.');
    return `${where === '' ? 'the row' : where}: ${plainIssue(issue)}`;
  }
  return whyNotNoted(step, state) ?? whyTooMany(step, state) ?? whyNotTimed(step);
};
