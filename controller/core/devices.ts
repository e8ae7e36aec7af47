import { burnedUnseen } from './burn.js';
import { judgeNeverSeen } from './cover.js';
import { checkIdentity, lapseIfDevice, stubDutyBack } from './exemption.js';
import type { Draft } from './draft.js';
import { clearWhere, openFinding, raise } from './findings.js';
import { judgeOverdrawn } from './round.js';
import { handDealt } from './stack.js';
import type { DeviceState } from './state.js';

const POLICY_SENSOR = 'policy:sensor-fault';
const POLICY_SHUFFLER = 'policy:shuffler-link';
const POLICY_GAP = 'policy:unwatched-gap';
const POLICY_LID = 'policy:lid';
const POLICY_CLOCK = 'policy:clock';
const POLICY_JOURNAL = 'policy:journal';

/** Without these no card is counted. */
export const COUNTS_CARDS: readonly string[] = ['mouth', 'shoe', 'beams', 'beam-a', 'beam-b'];

const deviceOf = (draft: Draft, device: string): DeviceState =>
  draft.state.devices[device] ?? { up: true, stale: false, identity: null };

const isAway = (draft: Draft, device: string): boolean => {
  const { up, stale } = deviceOf(draft, device);
  return !up || stale;
};

const note = (draft: Draft, device: string, set: Partial<DeviceState>): void => {
  draft.note('devices', { [device]: { ...deviceOf(draft, device), ...set } });
};

export const linkDown = (draft: Draft, device: string, why: string): void => {
  note(draft, device, { up: false });
  lost(draft, device, why);
};

export const deviceStale = (draft: Draft, device: string): void => {
  note(draft, device, { stale: true });
  lost(draft, device, 'silent for too long');
};

const lost = (draft: Draft, device: string, why: string): void => {
  if (device === 'shuffler') {
    raise(draft, 'shuffler.lost', {
      cite: POLICY_SHUFFLER,
      expected: 'the shuffler connected',
      observed: why,
      remedy: 'Call the technician. A shuffle the table does not hear of does not count',
      device,
      severity: draft.table.policy.shufflerLost,
    });
    stubDutyBack(draft, `the shuffler is away: ${why}`);
  } else {
    const counts = COUNTS_CARDS.includes(device);
    raise(draft, 'sensor.fault', {
      cite: POLICY_SENSOR,
      expected: `${device} working`,
      observed: why,
      remedy: counts
        ? 'This shoe is not being counted. Call the technician'
        : `Call the technician: ${device}`,
      device,
      severity: counts ? draft.table.policy.sensorFault : 'warn',
    });
    if (counts && draft.state.shoe.isLoaded) draft.note('shoe', { outKnown: false });
  }
  lapseIfDevice(draft, device, why);
};

export const linkUp = (draft: Draft, device: string, identity: string | null): void => {
  const was = deviceOf(draft, device);
  note(draft, device, { up: true, stale: false, identity: identity ?? was.identity });
  // The gap before the fault is over: what was drawn meanwhile belongs to one warning.
  if (COUNTS_CARDS.includes(device) && !draft.state.shoe.outKnown) gap(draft, `${device} was away`);
  clearWhere(
    draft,
    (finding) =>
      finding.device === device &&
      (finding.code === 'sensor.fault' || finding.code === 'shuffler.lost'),
    'back',
  );
  if (identity !== null) checkIdentity(draft, device, identity);
};

/** Between the first cause of a gap and the newest one, where it has several. */
const THEN = '; then ';

/**
 * Cards may have moved while nothing watched: only a person can say how many. What began the gap
 * stays in its words whatever follows: after a power cut each device comes back too.
 */
const gap = (draft: Draft, why: string): void => {
  const now = `${why} at card ${draft.state.shoe.out}`;
  const first = openFinding(draft.state, 'gap.unwatched')?.observed.split(THEN)[0] ?? now;
  raise(draft, 'gap.unwatched', {
    cite: POLICY_GAP,
    expected: 'every card seen',
    observed: first === now ? now : `${first}${THEN}${now}`,
    remedy: 'Floor: say how many cards left the shoe (accept-gap), or order a reshuffle',
  });
};

/**
 * The switch says that the shoe is empty although cards should be in it: somebody took them out,
 * and what goes back in need not be what came out.
 */
export const shoeEmpty = (draft: Draft): void => {
  const { shoe, phase } = draft.state;
  if (!shoe.isLoaded || phase === 'reshuffle-due' || shoe.out >= shoe.loaded) return;
  draft.note('shoe', { outKnown: false });
  gap(draft, 'the shoe was emptied');
};

/** The controller started again on a table that was in play. */
export const powerBoot = (draft: Draft, boot: number, unclean: boolean): void => {
  draft.note('house', { boot });
  if (!draft.state.shoe.isLoaded || handDealt(draft.table)) return;
  draft.note('shoe', { outKnown: false });
  gap(draft, unclean ? 'power was lost' : 'the controller was restarted');
};

/** The floor says how many cards left unseen: they are attested, and added as such. */
export const acceptGap = (draft: Draft, cards: number): void => {
  const { shoe, round, phase } = draft.state;
  if (shoe.outKnown) {
    draft.refuse(POLICY_GAP, 'no gap is open');
    return;
  }
  const blind = COUNTS_CARDS.find((device) => isAway(draft, device));
  if (blind !== undefined) {
    draft.refuse(POLICY_GAP, `${blind} is still away: the gap is not over`);
    return;
  }
  if (shoe.out + cards > shoe.loaded) {
    draft.refuse(POLICY_GAP, `only ${shoe.loaded - shoe.out} cards were in the shoe`);
    return;
  }
  draft.note('shoe', { outKnown: true, out: shoe.out + cards });
  if (cards > 0) judgeNeverSeen(draft);
  if (cards > 0 && phase === 'round') {
    const unread = Array.from({ length: cards }, () => ({ rank: null, suit: null }));
    draft.note('round', { cards: round.cards + cards, faces: [...round.faces, ...unread] });
    judgeOverdrawn(draft);
  }
  if (cards > 0 && phase === 'burn') burnedUnseen(draft, cards);
  clearWhere(draft, ({ code }) => code === 'gap.unwatched', `${cards} cards accepted`, draft.actor);
};

export const lidOpen = (draft: Draft): void => {
  draft.note('house', { lidOpen: true });
  // A shoe that is over is opened to collect its cards.
  if (!draft.state.shoe.isLoaded || draft.state.phase === 'reshuffle-due') return;
  raise(draft, 'tamper.lid', {
    cite: POLICY_LID,
    expected: 'the lid closed while cards are in the shoe',
    observed: 'opened',
    remedy: 'Close the lid. Call the floor',
    severity: draft.table.policy.tamperLid,
  });
};

export const clockTrust = (draft: Draft, trusted: boolean, observed: string): void => {
  draft.note('house', { wallTrusted: trusted });
  if (trusted) {
    clearWhere(draft, ({ code }) => code === 'clock.untrusted', 'synchronised');
    return;
  }
  raise(draft, 'clock.untrusted', {
    cite: POLICY_CLOCK,
    expected: 'a synchronised clock',
    observed,
    remedy: 'Call the technician. Decisions do not depend on it',
    severity: draft.table.policy.clockUntrusted,
  });
};

export const journalFault = (draft: Draft, reason: string): void => {
  raise(draft, 'journal.fault', {
    cite: POLICY_JOURNAL,
    expected: 'every step written down',
    observed: reason,
    remedy: 'No new round. Call the technician',
  });
};
