import { COUNTS_CARDS } from './devices.js';
import type { Draft } from './draft.js';
import { clearCodes, clearWhere, openFinding } from './findings.js';
import type { Finding } from './finding.js';
import { mayAct } from './finding-rules.js';
import type { Press } from './press.js';
import { closeRound } from './round.js';
import { startStack } from './stack.js';

type Act<K extends Press['key']> = Extract<Press, { key: K }>;

const POLICY_CLEAR = 'policy:clear';

/** A finding is named by its code or its number (`118.1`). */
const named = (draft: Draft, name: string): readonly Finding[] =>
  draft.state.findings.filter((finding) => finding.id === name || finding.code === name);

/** Why this may not be cleared yet; null where the remedy is seen or is a person's word. */
const unremedied = (draft: Draft, finding: Finding): string | null => {
  const { procedure, expected } = draft;
  const batch = finding.batch === undefined ? undefined : draft.batch(finding.batch);
  switch (finding.code) {
    case 'count.wrong':
      if (
        finding.clause === procedure.count.cite.clause &&
        procedure.count.onWrong === 'remove-deck'
      ) {
        return 'the deck has to leave the table';
      }
      return batch?.lastCount === expected ? null : 'count the batch right first';
    case 'batch.migrated': {
      const other = finding.device === undefined ? batch : draft.batch(finding.device);
      const right = batch?.lastCount === expected && other?.lastCount === expected;
      return right ? null : 'count both batches right first';
    }
    case 'count.required':
    case 'count.disagree':
      return batch?.countRequired === null && batch.lastCount === expected
        ? null
        : 'count the cards first';
    case 'gap.unwatched':
      if (!draft.state.shoe.isLoaded) return null;
      return 'say how many cards left the shoe (accept-gap), or order a reshuffle';
    case 'stub.wrong':
      return 'say whether the cards were misdealt (misdeal), then remove the deck if told to';
    case 'sensor.fault':
    case 'shuffler.lost':
      return finding.severity === 'stop' ? 'the device is not back yet' : null;
    // journal.fault among them: the row that clears it stands in the journal again.
    default:
      return null;
  }
};

export const clear = (draft: Draft, press: Act<'clear'>): void => {
  const findings = named(draft, press.finding);
  if (findings.length === 0) {
    draft.refuse(POLICY_CLEAR, `no finding "${press.finding}" is open`);
    return;
  }
  for (const finding of findings) {
    const why =
      finding.severity === 'hold'
        ? 'it ends by itself when the step is done'
        : unremedied(draft, finding);
    if (!mayAct(press.role, finding.authority)) {
      draft.refuse(finding.clause, `${finding.code} is cleared by the ${finding.authority}`);
    } else if (why !== null) {
      draft.refuse(finding.clause, `${finding.code}: ${why}`);
    } else {
      release(draft, finding);
    }
  }
};

const release = (draft: Draft, finding: Finding): void => {
  clearWhere(draft, ({ id }) => id === finding.id, 'cleared', draft.actor);
  for (const batch of [
    finding.batch,
    finding.code === 'batch.migrated' ? finding.device : undefined,
  ]) {
    if (batch !== undefined && finding.lifespan === 'batch') {
      draft.noteBatch(batch, { quarantined: false });
    }
  }
};

/** Somebody has seen it. A warning ends with that; a stop or a hold does not. */
export const acknowledge = (draft: Draft, press: Act<'acknowledge'>): void => {
  const findings = named(draft, press.finding);
  if (findings.length === 0) {
    draft.refuse(POLICY_CLEAR, `no finding "${press.finding}" is open`);
    return;
  }
  for (const finding of findings) {
    draft.add({ do: 'acknowledged', id: finding.id, by: draft.actor });
    if (finding.severity !== 'warn') continue;
    if (finding.lifespan === 'condition' || finding.lifespan === 'step') continue;
    if (mayAct(press.role, finding.authority)) {
      clearWhere(draft, ({ id }) => id === finding.id, 'acknowledged', draft.actor);
    }
  }
};

/** Stops about the stack in the shoe: a reshuffle is their remedy. */
const isAboutShoe = ({ lifespan, severity }: Finding): boolean =>
  severity === 'stop' && (lifespan === 'shoe' || lifespan === 'round');

/** The floor orders a reshuffle: the cards are collected, whatever the shoe was doing. */
export const reshuffle = (draft: Draft): void => {
  const { phase } = draft.state;
  if (phase === 'dispute') {
    draft.refuse(draft.procedure.shuffle.cite, 'say first whether the cards were misdealt');
    return;
  }
  if (phase === 'closed' || phase === 'opening') {
    draft.refuse(draft.procedure.shuffle.cite, 'there are no cards in play');
    return;
  }
  clearWhere(draft, isAboutShoe, 'reshuffle ordered', draft.actor);
  draft.noteBatch(draft.state.prep.batch, { token: null });
  startStack(draft);
};

export const voidRound = (draft: Draft): void => {
  const { phase } = draft.state;
  if (phase !== 'round' && phase !== 'stub-due') {
    draft.refuse('policy:void', 'no round is open');
    return;
  }
  clearWhere(draft, ({ lifespan }) => lifespan === 'round', 'round void', draft.actor);
  clearCodes(draft, ['stub.overdue'], 'round void', draft.actor);
  draft.direct({ to: 'video', mark: 'round void' });
  closeRound(draft, 'round void');
};

/**
 * People name the approved device by the number on its plate. A name no cable of this table goes
 * by is then the shuffler's: an exemption that rests on nothing would never lapse.
 */
const deviceNamed = (draft: Draft, name: string): string => {
  const isHeard = draft.state.devices[name] !== undefined || COUNTS_CARDS.includes(name);
  return isHeard || draft.table.shuffler === 'none' ? name : 'shuffler';
};

/** The floor puts a shoe that reshuffles and counts by itself to use, bound to its identity. */
export const approveReshuffler = (draft: Draft, press: Act<'approve-reshuffler'>): void => {
  const rule = draft.procedure.exemption;
  if (rule === null) {
    draft.refuse('policy:exemption', 'this game knows no such device');
    return;
  }
  const name = deviceNamed(draft, press.device);
  const device = draft.state.devices[name];
  if (device?.up === false) {
    draft.refuse(rule.cite, `${name} is not connected`);
    return;
  }
  draft.note('house', { reshuffler: { device: name, identity: device?.identity ?? null } });
  clearCodes(
    draft,
    ['exemption.lapsed', 'cut.missing', 'idle.spread-due'],
    'device approved',
    draft.actor,
  );
  if (openFinding(draft.state, 'stub.overdue') !== undefined && rule.lifts.includes('stub')) {
    clearCodes(draft, ['stub.overdue'], 'device approved', draft.actor);
  }
};
