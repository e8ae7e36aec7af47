import type { Decision, Step } from './decision.js';
import type { Duty, Evidence } from './duty.js';
import type { Actor, Finding } from './finding.js';
import type { Batch, Observation } from './observation.js';

/** A journal row: its place and the wall time people look it up by. */
export interface SheetRow {
  readonly seq: number;
  readonly wallMs: number;
  /** False where the clock was not known to be right. */
  readonly wallTrusted: boolean;
}

/** One change of a duty's standing. */
export interface SheetEntry extends SheetRow {
  readonly status: Duty['status'];
  readonly evidence: Evidence;
  readonly detail: string | null;
}

export interface SheetDuty {
  readonly duty: string;
  readonly clause: string;
  /**
   * `open`: still due, the shoe goes on · `not-met`: still due when it ended · `unseen`: no device
   * can see it, so nobody can tell.
   */
  readonly outcome: 'met' | 'not-met' | 'waived' | 'unseen' | 'open';
  readonly evidence: Evidence;
  /** What happened to it, oldest first; empty where nothing did. */
  readonly entries: readonly SheetEntry[];
}

export interface SheetFinding {
  /** As it stood last: acknowledged, grown, counted. */
  readonly finding: Finding;
  /** Raised in an earlier shoe and still open when this one began. */
  readonly carried: boolean;
  readonly ended: (SheetRow & { readonly by: Actor; readonly how: string }) | null;
}

/** What was asked of one stack of cards, from its shuffle to the next, and what became of it. */
export interface DutySheet {
  /** Number of the shoe; null where the stack never reached one. */
  readonly shoe: number | null;
  readonly batch: Batch | null;
  /** Cards at load and cards that left; null where the stack was not loaded. */
  readonly loaded: number | null;
  readonly out: number | null;
  readonly outKnown: boolean;
  readonly rounds: number;
  readonly first: SheetRow;
  readonly last: SheetRow;
  /** The next stack began, or the table closed. */
  readonly isOver: boolean;
  /** SHA-256 of the procedure the rows were judged by; null where no start named one. */
  readonly procedure: string | null;
  readonly table: string | null;
  /** Dealers by badge or name, in the order they came. */
  readonly dealers: readonly string[];
  readonly duties: readonly SheetDuty[];
  readonly findings: readonly SheetFinding[];
}

/** Duties no device can see, by the rules of a start: the hashes of procedure and table. */
export type UnseenDuties = (procedure: string | null, table: string | null) => ReadonlySet<string>;

interface OpenDuty {
  readonly duty: Duty;
  readonly entries: SheetEntry[];
}
interface OpenFinding {
  finding: Finding;
  readonly carried: boolean;
  ended: SheetFinding['ended'];
}

/** What a start says of the rules; carried from sheet to sheet. */
interface Rules {
  procedure: string | null;
  table: string | null;
}

/** One sheet being written. */
class Sheet {
  readonly first: SheetRow;
  last: SheetRow;
  shoe: number | null = null;
  batch: Batch | null = null;
  loaded: number | null = null;
  out: number | null = null;
  outKnown = true;
  rounds = 0;
  isClosed = false;
  readonly dealers: string[] = [];
  readonly duties = new Map<string, OpenDuty>();
  readonly findings = new Map<string, OpenFinding>();

  constructor(first: SheetRow, duties: readonly Duty[]) {
    this.first = first;
    this.last = first;
    for (const duty of duties) this.duties.set(duty.duty, { duty, entries: [] });
  }
}

const rowOf = ({ seq, wallMs, wallTrusted }: Observation): SheetRow => ({
  seq,
  wallMs,
  wallTrusted,
});

const noteDuty = (sheet: Sheet, row: SheetRow, duty: Duty): void => {
  const entry = {
    ...row,
    status: duty.status,
    evidence: duty.evidence,
    detail: duty.detail ?? null,
  };
  const known = sheet.duties.get(duty.duty);
  sheet.duties.set(duty.duty, { duty, entries: [...(known?.entries ?? []), entry] });
};

const noteShoe = (
  sheet: Sheet,
  set: Extract<Decision, { do: 'noted'; part: 'shoe' }>['set'],
): void => {
  // The shoe is taken out of play in the row that begins the next stack: that is not this sheet's.
  if (set.isLoaded === false) return;
  if (set.isLoaded === true) sheet.shoe = set.no ?? sheet.shoe;
  if (sheet.shoe === null) return;
  sheet.batch = set.batch ?? sheet.batch;
  sheet.loaded = set.loaded ?? sheet.loaded;
  sheet.out = set.out ?? sheet.out;
  sheet.outKnown = set.outKnown ?? sheet.outKnown;
  sheet.rounds = set.rounds ?? sheet.rounds;
};

const noteFinding = (sheet: Sheet, row: SheetRow, decision: Decision): void => {
  switch (decision.do) {
    case 'raised':
      sheet.findings.set(decision.finding.id, {
        finding: decision.finding,
        carried: false,
        ended: null,
      });
      return;
    case 'changed': {
      const known = sheet.findings.get(decision.finding.id);
      if (known !== undefined) known.finding = decision.finding;
      return;
    }
    case 'acknowledged': {
      const known = sheet.findings.get(decision.id);
      if (known !== undefined) known.finding = { ...known.finding, acknowledged: decision.by };
      return;
    }
    case 'cleared': {
      const known = sheet.findings.get(decision.id);
      if (known !== undefined) known.ended = { ...row, by: decision.by, how: decision.how };
      return;
    }
    case 'noted':
    case 'moved':
    case 'duty':
    case 'duties':
    case 'refused':
    case 'timer':
    case 'direct':
      return;
  }
};

const note = (sheet: Sheet, row: SheetRow, decision: Decision): void => {
  if (decision.do === 'duty') noteDuty(sheet, row, decision.duty);
  else if (decision.do === 'moved') sheet.isClosed = decision.phase === 'closed';
  else if (decision.do === 'noted' && decision.part === 'shoe') noteShoe(sheet, decision.set);
  else noteFinding(sheet, row, decision);
};

const outcomeOf = (
  { duty }: OpenDuty,
  unseen: ReadonlySet<string>,
  isOver: boolean,
): SheetDuty['outcome'] => {
  if (duty.status !== 'due') return duty.status;
  if (unseen.has(duty.duty)) return 'unseen';
  return isOver ? 'not-met' : 'open';
};

const finished = (
  sheet: Sheet,
  rules: Rules,
  unseen: ReadonlySet<string>,
  isOver: boolean,
): DutySheet => ({
  shoe: sheet.shoe,
  batch: sheet.batch,
  loaded: sheet.loaded,
  out: sheet.out,
  outKnown: sheet.outKnown,
  rounds: sheet.rounds,
  first: sheet.first,
  last: sheet.last,
  isOver,
  procedure: rules.procedure,
  table: rules.table,
  dealers: sheet.dealers,
  duties: [...sheet.duties.values()].map((open) => ({
    duty: open.duty.duty,
    clause: open.duty.clause,
    outcome: outcomeOf(open, unseen, isOver),
    evidence: open.duty.evidence,
    entries: open.entries,
  })),
  findings: [...sheet.findings.values()],
});

const next = (before: Sheet | null, row: SheetRow, duties: readonly Duty[]): Sheet => {
  const sheet = new Sheet(row, duties);
  for (const [id, open] of before?.findings ?? []) {
    if (open.ended === null && open.finding.severity !== 'info') {
      sheet.findings.set(id, { finding: open.finding, carried: true, ended: null });
    }
  }
  const dealer = before?.dealers.at(-1);
  if (dealer !== undefined) sheet.dealers.push(dealer);
  return sheet;
};

const dealerOf = (observation: Observation): string | null =>
  observation.kind === 'press' && observation.key === 'dealer-in'
    ? (observation.badge ?? observation.dealer ?? null)
    : null;

/**
 * The duty sheets of a journal, oldest first, one for each stack of cards; the last may still be
 * open. Reads each row once and keeps one sheet in memory.
 */
export function* dutySheets(
  steps: Iterable<Step<Observation>>,
  unseenDuties: UnseenDuties,
): Generator<DutySheet> {
  const rules: Rules = { procedure: null, table: null };
  let unseen = unseenDuties(null, null);
  let sheet: Sheet | null = null;
  for (const { observation, decisions } of steps) {
    const row = rowOf(observation);
    if (observation.kind === 'power.boot') {
      rules.procedure = observation.procedure ?? null;
      rules.table = observation.table ?? null;
      unseen = unseenDuties(rules.procedure, rules.table);
    }
    for (const decision of decisions) {
      if (decision.do === 'duties') {
        if (sheet !== null) yield finished(sheet, rules, unseen, true);
        sheet = next(sheet, row, decision.duties);
      } else if (sheet !== null) {
        note(sheet, row, decision);
        sheet.last = row;
      }
    }
    const dealer = dealerOf(observation);
    if (sheet !== null && dealer !== null && sheet.dealers.at(-1) !== dealer) {
      sheet.dealers.push(dealer);
    }
  }
  if (sheet !== null) yield finished(sheet, rules, unseen, sheet.isClosed);
}
