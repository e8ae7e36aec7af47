import type { Finding } from '../controller/core/finding.js';
import { JournalFault } from './fault.js';
import { PlayFollower } from './play.js';
import type { EvidenceSource } from './reader.js';
import { walkSteps } from './walk.js';

/** What somebody wants to prove. */
export type Wanted =
  | { readonly kind: 'finding'; readonly name: string }
  /** `3.17`: round 17 of shoe 3. */
  | { readonly kind: 'round'; readonly name: string }
  /** Row numbers, or wall times as ISO 8601. */
  | { readonly kind: 'span'; readonly from: string; readonly to: string };

/** The rows asked for, before they are widened to signed checkpoints. */
export interface Selection {
  readonly kind: Wanted['kind'];
  readonly name: string;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** The finding in question, as it was raised; null for a round or a span. */
  readonly finding: string | null;
}

/** Rows shown before a finding that was raised outside any round. */
const CONTEXT_ROWS = 20;
const IDS_LISTED = 10;

const no = (reader: EvidenceSource, why: string): JournalFault =>
  new JournalFault('asked', `journal ${reader.path}: ${why}`);

/** A deck that is in doubt puts every round since its last proved count in doubt. */
const DOUBTS_DECK = /^(count|batch|stub|shuffle|replace|deck)\./;

interface Raised {
  readonly finding: Finding;
  readonly seq: number;
  readonly fromSeq: number;
  readonly clearedSeq: number | null;
}

const selectFinding = (reader: EvidenceSource, name: string): Selection => {
  const found = new Map<string, Raised>();
  const play = new PlayFollower();
  for (const { row, step } of walkSteps(reader, reader.firstSeq())) {
    play.follow(step);
    for (const decision of step.decisions) {
      if (decision.do === 'raised') {
        const { finding } = decision;
        if (finding.id !== name && finding.code !== name) continue;
        const inDoubt = DOUBTS_DECK.test(finding.code) ? play.countSeq : 0;
        const near = play.round?.fromSeq ?? row.seq - CONTEXT_ROWS;
        const fromSeq = inDoubt > 0 ? Math.min(inDoubt, near) : near;
        found.set(finding.id, { finding, seq: row.seq, fromSeq, clearedSeq: null });
      }
      if (decision.do !== 'cleared') continue;
      const raised = found.get(decision.id);
      if (raised !== undefined) found.set(decision.id, { ...raised, clearedSeq: row.seq });
    }
  }
  const [only, ...others] = [...found.values()];
  if (only === undefined)
    throw no(reader, `there is no finding ${name} (\`cutcard journal show\` lists them)`);
  if (others.length > 0) {
    const ids = [...found.keys()].slice(0, IDS_LISTED).join(', ');
    throw no(reader, `${name} was raised ${found.size} times (${ids}): name one by its number`);
  }
  return {
    kind: 'finding',
    name: only.finding.id,
    fromSeq: Math.max(reader.firstSeq(), only.fromSeq),
    toSeq: only.clearedSeq ?? reader.lastSeq(),
    finding: only.finding.id,
  };
};

const selectRound = (reader: EvidenceSource, name: string): Selection => {
  const match = /^(\d{1,9})\.(\d{1,6})$/.exec(name);
  if (match === null) throw no(reader, `\`${name}\` is not a shoe and a round, as \`3.17\``);
  const [shoe, round] = [Number(match[1]), Number(match[2])];
  const play = new PlayFollower();
  let fromSeq: number | null = null;
  let toSeq = 0;
  for (const { row, step } of walkSteps(reader, reader.firstSeq())) {
    play.follow(step);
    const now = play.round;
    if (now?.shoe === shoe && now.round === round) {
      fromSeq ??= row.seq;
      toSeq = row.seq;
    } else if (fromSeq !== null) break;
  }
  if (fromSeq === null) throw no(reader, `there is no round ${round} in shoe ${shoe}`);
  return { kind: 'round', name, fromSeq, toSeq, finding: null };
};

const selectSpan = (reader: EvidenceSource, from: string, to: string): Selection => {
  const isTime = ![from, to].every((end) => /^\d{1,15}$/.test(end));
  const [low, high] = isTime ? [Date.parse(from), Date.parse(to)] : [Number(from), Number(to)];
  if (!Number.isFinite(low) || !Number.isFinite(high) || low > high) {
    throw no(reader, `\`${from}\` to \`${to}\` is neither two rows nor two times, in order`);
  }
  const name = `${from} to ${to}`;
  const [first, last] = [reader.firstSeq(), reader.lastSeq()];
  if (!isTime) {
    if (low > last || high < first) throw no(reader, `it holds rows ${first} to ${last}`);
    const [fromSeq, toSeq] = [Math.max(low, first), Math.min(high, last)];
    return { kind: 'span', name, fromSeq, toSeq, finding: null };
  }
  const ends = reader.seqsBetween(low, high);
  if (ends === null) throw no(reader, `no row lies between ${from} and ${to}`);
  return { kind: 'span', name, ...ends, finding: null };
};

/** Finds the rows somebody asks for. @throws JournalFault `format` where there are none */
export const selectRows = (reader: EvidenceSource, wanted: Wanted): Selection => {
  switch (wanted.kind) {
    case 'finding':
      return selectFinding(reader, wanted.name);
    case 'round':
      return selectRound(reader, wanted.name);
    case 'span':
      return selectSpan(reader, wanted.from, wanted.to);
  }
};
