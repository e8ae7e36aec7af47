import type { Decision } from '../controller/core/decision.js';
import type { Directive } from '../controller/core/directive.js';
import type { Observation } from '../controller/core/observation.js';
import type { TableStep } from '../controller/core/ports.js';

const STAMP = new Set(['seq', 'atNs', 'wallMs', 'wallTrusted', 'kind']);

const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** `card.out lengthMm=88 speedMmS=640` */
export const observationText = (observation: Observation): string => {
  const fields = Object.entries(observation)
    .filter(([key]) => !STAMP.has(key))
    .map(([key, value]) => `${key}=${valueText(value)}`);
  return [observation.kind, ...fields].join(' ');
};

const directiveText = (directive: Directive): string => {
  switch (directive.to) {
    case 'gate':
      return `gate ${directive.locked ? 'locked' : 'open'}`;
    case 'tower':
      return `tower ${directive.colour} ${directive.light}`;
    case 'sound':
      return `sound ${directive.pattern}`;
    case 'display':
      return `display "${directive.line1}" / "${directive.line2}" § ${directive.clause}`;
    case 'announce':
      return `announce "${directive.text}"`;
    case 'video':
      return `video mark ${directive.mark}`;
  }
};

/** One decision as a line of plain words. */
export const decisionText = (decision: Decision): string => {
  switch (decision.do) {
    case 'noted': {
      const fields = Object.entries(decision.set).map(([k, v]) => `${k}=${valueText(v)}`);
      return `${decision.part}: ${fields.join(' ')}`;
    }
    case 'moved':
      return `phase ${decision.phase}`;
    case 'duty': {
      const { duty, status, evidence, clause } = decision.duty;
      return `duty ${duty} ${status} (${evidence}) § ${clause}`;
    }
    case 'duties':
      return `duties: ${decision.duties.map(({ duty }) => duty).join(', ')}`;
    case 'raised': {
      const { id, code, severity, clause, expected, observed, remedy } = decision.finding;
      const why = `expected ${expected}; observed ${observed}; ${remedy}`;
      return `RAISED ${id} ${code} (${severity}) § ${clause}: ${why}`;
    }
    case 'changed':
      return `changed ${decision.finding.id} ${decision.finding.code}`;
    case 'acknowledged':
      return `acknowledged ${decision.id} by ${decision.by.badge ?? decision.by.role}`;
    case 'cleared':
      return (
        `CLEARED ${decision.id} ${decision.code}: ${decision.how} ` +
        `(${decision.by.badge ?? decision.by.role})`
      );
    case 'refused':
      return `REFUSED ${decision.key} § ${decision.clause}: ${decision.reason}`;
    case 'timer':
      return decision.dueNs === null
        ? `timer ${decision.timer} off`
        : `timer ${decision.timer} due at ${watchedText(decision.dueNs)}`;
    case 'direct':
      return directiveText(decision.directive);
  }
};

/** Watched time as `1:02:33.123` (hours, minutes, seconds). */
export const watchedText = (atNs: number): string => {
  const ms = Math.floor(atNs / 1e6);
  const two = (n: number): string => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60];
  const seconds = Math.floor(ms / 1000) % 60;
  return `${hours}:${two(minutes)}:${two(seconds)}.${String(ms % 1000).padStart(3, '0')}`;
};

/** What the `?` of `wallText` means, for whoever reads a page. */
export const DOUBT_WORDS = '? behind a time: the table’s clock was not synchronised then';

/** Wall time, UTC; a `?` behind it where the clock was not trusted. */
export const wallText = (wallMs: number, isTrusted: boolean): string =>
  `${new Date(wallMs).toISOString()}${isTrusted ? '' : '?'}`;

/** A row for people: one line for what happened, one for each thing that followed. */
export const stepText = ({ observation, decisions }: TableStep): string => {
  const { seq, atNs, wallMs, wallTrusted } = observation;
  const when = `${wallText(wallMs, wallTrusted)}  ${watchedText(atNs)}`;
  const head = `${String(seq).padStart(8)}  ${when}  ${observationText(observation)}`;
  return [
    head,
    ...decisions.map((decision) => `${' '.repeat(10)}- ${decisionText(decision)}`),
  ].join('\n');
};

/**
 * Rows that have to do with findings named by a number or a code, fed in order from the first: an
 * acknowledgement and a press carry the number alone, so what was raised is remembered.
 */
export class FindingRows {
  readonly #name: string;
  readonly #ids: Set<string>;

  constructor(name: string) {
    this.#name = name;
    this.#ids = new Set([name]);
  }

  /** Raised, changed, acknowledged or cleared here, or named by a press, taken or refused. */
  concerns({ observation, decisions }: TableStep): boolean {
    let found = this.#isNamed(observation);
    for (const decision of decisions) {
      switch (decision.do) {
        case 'raised':
        case 'changed':
          if (decision.finding.code === this.#name) this.#ids.add(decision.finding.id);
          found ||= this.#ids.has(decision.finding.id);
          break;
        case 'acknowledged':
          found ||= this.#ids.has(decision.id);
          break;
        case 'cleared':
          found ||= this.#ids.has(decision.id) || decision.code === this.#name;
          break;
        default:
      }
    }
    return found;
  }

  #isNamed(observation: Observation): boolean {
    return (
      observation.kind === 'press' && 'finding' in observation && this.#ids.has(observation.finding)
    );
  }
}

/** The shoe's number where the row sets one. */
export const shoeSet = ({ decisions }: TableStep): number | null => {
  for (const decision of decisions) {
    if (decision.do !== 'noted' || decision.part !== 'shoe' || !('no' in decision.set)) continue;
    const { no } = decision.set;
    if (typeof no === 'number') return no;
  }
  return null;
};
