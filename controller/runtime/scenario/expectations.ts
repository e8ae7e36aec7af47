import type { Duty } from '../../core/duty.js';
import type { Finding } from '../../core/finding.js';
import { type TableView, viewOf } from '../../core/view.js';
import type { TableState } from '../../core/state.js';
import type { Shown } from './rig.js';
import type { Check, DutyWanted, FindingWanted, Wording } from './schema.js';
import type { Witness } from './witness.js';

/** An expectation that does not hold, in words. */
export interface Unmet {
  readonly line: number;
  readonly column: number;
  readonly expected: string;
  readonly seen: string;
}

interface Verdict {
  readonly expected: string;
  readonly seen: string;
}

const words = (wording: Wording): string =>
  wording.kind === 'pattern' ? wording.said : `"${wording.text}"`;

const says = (text: string, wording: Wording): boolean =>
  wording.kind === 'pattern' ? wording.pattern.test(text) : text.includes(wording.text);

const list = (items: readonly string[]): string => (items.length === 0 ? 'none' : items.join(', '));

type Plain = string | number | boolean | null;
const plain = (value: Plain): string => (value === null ? 'unknown' : String(value));

/** `finding burn.short, severity hold, open`. */
const wantedWords = (wanted: FindingWanted): string => {
  const { code, open, ...rest } = wanted;
  const more = Object.entries(rest).map(([name, value]) =>
    typeof value === 'object' ? `${name} ${words(value)}` : `${name} ${String(value)}`,
  );
  const state = open === undefined ? [] : [open ? 'open' : 'not open'];
  return [`finding ${code}`, ...state, ...more].join(', ');
};

const findingWords = (finding: Finding, isOpen: boolean): string => {
  const { code, clause, severity, by, level, observed } = finding;
  const more = [
    ...(by === undefined ? [] : [`by ${by}`]),
    ...(level === undefined ? [] : [`level ${level}`]),
  ];
  const parts = [code, isOpen ? 'open' : 'not open', `clause ${clause}`, `severity ${severity}`];
  return `${[...parts, ...more].join(', ')}: ${observed}`;
};

const fits = (finding: Finding, isOpen: boolean, wanted: FindingWanted): boolean => {
  const same = <T>(want: T | undefined, have: T | undefined): boolean =>
    want === undefined || want === have;
  const told = (want: Wording | undefined, have: string): boolean =>
    want === undefined || says(have, want);
  return (
    same(wanted.open, isOpen) &&
    same(wanted.clause, finding.clause) &&
    same(wanted.severity, finding.severity) &&
    same(wanted.by, finding.by) &&
    same(wanted.level, finding.level ?? 0) &&
    same(wanted.batch, finding.batch) &&
    same(wanted.device, finding.device) &&
    same(wanted.repeats, finding.repeats ?? 0) &&
    same(wanted.authority, finding.authority) &&
    same(wanted.acknowledged, finding.acknowledged !== undefined) &&
    told(wanted.observed, finding.observed) &&
    told(wanted.expected, finding.expected) &&
    told(wanted.remedy, finding.remedy)
  );
};

const judgeFinding = (wanted: FindingWanted, view: TableView, witness: Witness): Verdict | null => {
  const raised = witness.findings(wanted.code);
  const isOpen = (finding: Finding): boolean => view.findings.some(({ id }) => id === finding.id);
  // "Not open" is about all of them: one that still stands open is what was not expected.
  const candidates = wanted.open === false && raised.some(isOpen) ? raised.filter(isOpen) : raised;
  if (candidates.some((finding) => fits(finding, isOpen(finding), wanted))) return null;
  const seen =
    raised.length === 0
      ? `${wanted.code} was never raised; open: ${list(view.findings.map(({ code }) => code))}`
      : raised.map((finding) => findingWords(finding, isOpen(finding))).join('; ');
  return { expected: wantedWords(wanted), seen };
};

/** An `info` finding is told and never stays open: for it, "no" means never raised. */
const judgeAbsent = (
  codes: readonly string[],
  view: TableView,
  witness: Witness,
): Verdict | null => {
  const found = codes.flatMap((code) => {
    const open = view.findings.filter((finding) => finding.code === code);
    const told = witness.findings(code).filter(({ severity }) => severity === 'info');
    return [
      ...open.map((one) => findingWords(one, true)),
      ...told.map((one) => findingWords(one, false)),
    ];
  });
  return found.length === 0 ? null : { expected: `no ${list(codes)}`, seen: found.join('; ') };
};

const judgeOpen = (codes: readonly string[], view: TableView): Verdict | null => {
  const want = [...codes].sort();
  const have = view.findings.map(({ code }) => code).sort();
  if (want.join() === have.join()) return null;
  return { expected: `open findings: ${list(want)}`, seen: `open findings: ${list(have)}` };
};

const judgeRaised = (
  counts: readonly (readonly [string, number])[],
  view: TableView,
): Verdict | null => {
  const wrong = counts.filter(([code, n]) => (view.raised[code] ?? 0) !== n);
  if (wrong.length === 0) return null;
  return {
    expected: `raised since the start: ${wrong.map(([code, n]) => `${code} ${n}`).join(', ')}`,
    seen: wrong.map(([code]) => `${code} ${view.raised[code] ?? 0}`).join(', '),
  };
};

const dutyWords = ({ duty, status, evidence, clause, detail }: Duty): string =>
  `${duty} ${status}, ${evidence}, clause ${clause}${detail === undefined ? '' : ` (${detail})`}`;

const judgeDuty = (wanted: DutyWanted, view: TableView): Verdict | null => {
  const duty = view.duties.find((one) => one.duty === wanted.duty);
  const { evidence, clause } = wanted;
  const status = wanted.status ?? (evidence === undefined ? 'met' : undefined);
  const isRight =
    duty !== undefined &&
    (status === undefined || status === duty.status) &&
    (evidence === undefined || evidence === duty.evidence) &&
    (clause === undefined || clause === duty.clause);
  if (isRight) return null;
  const want = [`duty ${wanted.duty}`, status, evidence, clause].filter((one) => one !== undefined);
  const seen =
    duty === undefined
      ? `this shoe has the duties ${list(view.duties.map((one) => one.duty))}`
      : dutyWords(duty);
  return { expected: want.join(', '), seen };
};

const judgeRefused = (
  { key, clause }: Extract<Check, { is: 'refused' }>,
  witness: Witness,
): Verdict | null => {
  const refusal = witness.lastRefusal(key);
  if (typeof refusal === 'string' && (clause === undefined || clause === refusal)) return null;
  const expected = `\`${key}\` refused${clause === undefined ? '' : ` § ${clause}`}`;
  if (refusal === undefined) return { expected, seen: `\`${key}\` was not pressed` };
  return { expected, seen: refusal === null ? 'it was taken' : `refused § ${refusal}` };
};

const displayText = ({ display }: TableView): string =>
  display === null ? '' : `${display.line1} ${display.line2} § ${display.clause}`;

const differs = (name: string, want: Plain, have: Plain): Verdict | null =>
  want === have ? null : { expected: `${name}: ${plain(want)}`, seen: `${name}: ${plain(have)}` };

type Light = { readonly colour: string; readonly light: string } | null;

/** What was decided and, where there is hardware, what its lines show. */
const judgeTower = (
  { colour, light }: Extract<Check, { is: 'tower' }>,
  { tower }: TableView,
  shown: Shown | null,
): Verdict | null => {
  const isRight = (have: Light): boolean =>
    have?.colour === colour && (light === undefined || light === have.light);
  const say = (have: Light): string => (have === null ? 'dark' : `${have.colour} ${have.light}`);
  const expected = `tower: ${colour}${light === undefined ? '' : ` ${light}`}`;
  if (!isRight(tower)) return { expected, seen: `tower: ${say(tower)}` };
  // Whether a lamp blinks takes time to see: on the wire only its colour is judged.
  if (shown === null || shown.tower.colour === colour) return null;
  return { expected, seen: `tower: decided so, but its lamps show ${say(shown.tower)}` };
};

const judgeGate = (
  want: 'open' | 'locked',
  { gate }: TableView,
  shown: Shown | null,
): Verdict | null => {
  if (gate !== want) return differs('gate', want, gate);
  if (shown === null || shown.gate === want) return null;
  return { expected: `gate: ${want}`, seen: `gate: decided so, but its line is ${shown.gate}` };
};

const judge = (
  check: Check,
  view: TableView,
  witness: Witness,
  shown: Shown | null,
): Verdict | null => {
  switch (check.is) {
    case 'phase':
      return differs('phase', check.phase, view.phase);
    case 'field':
      return differs(check.field, check.value, view[check.field]);
    case 'gate':
      return judgeGate(check.gate, view, shown);
    case 'tower':
      return judgeTower(check, view, shown);
    case 'display': {
      const text = displayText(view);
      return says(text, check.wording)
        ? null
        : { expected: `display: ${words(check.wording)}`, seen: `display: "${text}"` };
    }
    case 'announced':
      return witness.announced.some((text) => says(text, check.wording))
        ? null
        : {
            expected: `announced: ${words(check.wording)}`,
            seen: `announced: ${list(witness.announced)}`,
          };
    case 'finding':
      return judgeFinding(check.wanted, view, witness);
    case 'no-finding':
      return judgeAbsent(check.codes, view, witness);
    case 'findings':
      return judgeOpen(check.codes, view);
    case 'raised':
      return judgeRaised(check.counts, view);
    case 'duty':
      return judgeDuty(check.wanted, view);
    case 'refused':
      return judgeRefused(check, witness);
    case 'quarantined':
      return differs(
        'quarantined',
        list([...check.batches].sort()),
        list([...view.quarantined].sort()),
      );
  }
};

/** Every check of one `expect` that does not hold. Pure. */
export const unmet = (
  checks: readonly Check[],
  state: TableState,
  witness: Witness,
  shown: Shown | null,
): readonly Unmet[] => {
  const view = viewOf(state);
  return checks.flatMap((check) => {
    const verdict = judge(check, view, witness, shown);
    return verdict === null ? [] : [{ line: check.line, column: check.column, ...verdict }];
  });
};
