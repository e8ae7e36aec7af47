import type { Decision } from '../../controller/core/decision.js';
import type { Finding } from '../../controller/core/finding.js';
import type { JournalRow, TableStep } from '../../controller/core/ports.js';
import type { AlertMessage, MarkMessage } from '../contract/messages.js';

/** Something a person should see at once: a change in a finding's life, or a mark for the video. */
export type Notice =
  | { readonly kind: 'alert'; readonly message: AlertMessage }
  | { readonly kind: 'mark'; readonly message: MarkMessage };

/**
 * Whether a row can hold a notice at all, told from its canonical text: a week of backlog is
 * looked through without parsing the cards in it. May say yes too often, never no wrongly.
 */
export const mayHoldNotice = (body: string): boolean => NOTICE.test(body);
const NOTICE = /"do":"(?:raised|changed|acknowledged|cleared)"|"to":"video"|"command":"mark"/;

type Raw = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Raw => typeof value === 'object' && value !== null;
const isStep = (value: unknown): value is TableStep =>
  isMap(value) &&
  Array.isArray(value['decisions']) &&
  isMap(value['observation']) &&
  typeof value['observation']['seq'] === 'number';

/** A row's step. The text came out of our own journal, which has proved its chain. */
export const stepOf = (row: JournalRow): TableStep | null => {
  try {
    const step: unknown = JSON.parse(row.body);
    return isStep(step) ? step : null;
  } catch {
    return null;
  }
};

/** Finds a finding by its id, as it stood before the row. */
export type Lookup = (id: string) => Finding | null;

export const noticesOf = (
  step: TableStep,
  before: Lookup,
  cameras: readonly string[],
): readonly Notice[] => {
  const { observation, decisions } = step;
  const notices: Notice[] = [];
  /** What this very row has already said of a finding. */
  const within = new Map<string, Finding>();
  for (const [n, decision] of decisions.entries()) {
    const frame = {
      seq: observation.seq,
      n,
      wallMs: observation.wallMs,
      wallTrusted: observation.wallTrusted,
      ...(cameras.length === 0 ? {} : { cameras: [...cameras] }),
    };
    const alert = alertOf(decision, (id) => within.get(id) ?? before(id));
    if (alert !== null) {
      if (alert.finding !== null) within.set(alert.id, alert.finding);
      const message = { ...frame, atNs: observation.atNs, ...alert };
      notices.push({ kind: 'alert', message });
    } else if (decision.do === 'direct' && decision.directive.to === 'video') {
      const message: MarkMessage = { ...frame, mark: decision.directive.mark, from: 'rules' };
      notices.push({ kind: 'mark', message });
    }
  }
  const asked = markAsked(step, cameras);
  if (asked !== null) notices.push(asked);
  return notices;
};

type AlertPart = Pick<
  AlertMessage,
  'change' | 'id' | 'code' | 'clause' | 'severity' | 'by' | 'how' | 'finding'
>;

const ofFinding = (
  finding: Finding,
): Pick<AlertPart, 'id' | 'code' | 'clause' | 'severity' | 'finding'> => ({
  id: finding.id,
  code: finding.code,
  clause: finding.clause,
  severity: finding.severity,
  finding,
});
const unknown = (
  id: string,
): Pick<AlertPart, 'id' | 'code' | 'clause' | 'severity' | 'finding'> => ({
  id,
  code: null,
  clause: null,
  severity: null,
  finding: null,
});

const alertOf = (decision: Decision, before: Lookup): AlertPart | null => {
  switch (decision.do) {
    case 'raised':
    case 'changed':
      return { change: decision.do, ...ofFinding(decision.finding) };
    case 'acknowledged': {
      const found = before(decision.id);
      const part =
        found === null ? unknown(decision.id) : ofFinding({ ...found, acknowledged: decision.by });
      return { change: 'acknowledged', ...part, by: decision.by };
    }
    case 'cleared': {
      const found = before(decision.id);
      const part = found === null ? unknown(decision.id) : ofFinding(found);
      return { change: 'cleared', ...part, by: decision.by, how: decision.how };
    }
    default:
      return null;
  }
};

/** A mark that surveillance asked for stands in the observation itself. */
const markAsked = (step: TableStep, cameras: readonly string[]): Notice | null => {
  const { observation } = step;
  if (observation.kind !== 'command' || observation.command !== 'mark' || !observation.taken) {
    return null;
  }
  const message: MarkMessage = {
    seq: observation.seq,
    n: step.decisions.length,
    wallMs: observation.wallMs,
    wallTrusted: observation.wallTrusted,
    ...(cameras.length === 0 ? {} : { cameras: [...cameras] }),
    mark: observation.note ?? '',
    from: 'command',
    ...(observation.key === undefined ? {} : { key: observation.key }),
  };
  return { kind: 'mark', message };
};
