import { FINDING_CODES } from '../controller/core/finding.js';
import { PRESS_KEYS } from '../controller/core/press-parse.js';
import { PHASES, type StateParts } from '../controller/core/state.js';

/** Most frequent in rows of a real table: one byte each. */
const SHORT = [
  '{"decisions":[{"do":"noted","part":"',
  '],"observation":{"atNs":',
  '},"do":"noted","part":"',
  '},{"do":"noted","part":"',
  '"}},{"directive":{',
  ',"wallTrusted":true}}',
  '"seq":',
  '"wallMs":',
  '"atNs":',
  '"activityNs":',
  '"cards":',
  '"set":{',
  '"out":',
  '"lengthMm":',
  '"speedMmS":',
  '"role":"dealer"',
  '"directive":{',
  '"do":"direct"',
  ':null',
  ':false',
] as const;

const PARTS: Readonly<Record<keyof StateParts, true>> = {
  prep: true,
  shoe: true,
  burn: true,
  cover: true,
  round: true,
  counting: true,
  house: true,
  tally: true,
  outputs: true,
  batches: true,
  devices: true,
};

const KEYS =
  'acknowledged authority badge batch batches behind betsClosed boot by burn cardsAfterWarning ' +
  'cause clause code colour count counting countRequired countsCalled countedBy coverSeen ' +
  'coversOut cutBy cutDone cutDueNs cutOffered cutTurn dealer dealerOwed depth detail device ' +
  'devices display do done dueNs duty evidence expected faces finding full gateLocked hands how ' +
  'id identity inLastHand inUseSinceNs isLoaded key kind lamp lastCount lastCurator ' +
  'lastHandCalled lastHandDue level lidOpen lifespan light line1 line2 loaded loadedNs locked ' +
  'machineRunning mark markerDone misdeal mode n needs no observed onTable outKnown outputs ' +
  'part pattern phase played prep previousBatch procedure quarantined raised raisedNs raisedSeq ' +
  'raisedWallMs rank rankFrom reason recutAfter remedy repeats required reshuffler result ' +
  'resume round rounds roundsLeft roundsSince seat second severity shoe shuffledBy since ' +
  'sinceNs source stale status step stepMs stopSinceNs stub suit table tally text timeToStopNs ' +
  'timer timers to token tower trusted unclean up version waiting wallTrusted washed wrongInRow';

const VALUES =
  'acknowledged amber announce attested baccarat blink blue changed cleared dealer direct display ' +
  'due duty floor gate green hand hold info machine met moved not-met noted notice person ' +
  'policy: preshuffled raised red refused remedied round sensed shoe shuffle sound steady step ' +
  'stop surveillance system timer tower unseen video waived warn';

const KINDS =
  'card.out card.back card.double cover.out mouth.blocked mouth.clear shoe.loaded shoe.empty ' +
  'lid.open lid.closed rack.count shuffler.start shuffler.done shuffler.lamp shuffler.jam ' +
  'shuffler.door shuffler.inventory shuffler.unload link.up link.down device.stale power.boot ' +
  'power.off clock.step clock.trust journal.fault timer press';

const PHRASES = [
  '{"decisions":[],"observation":{',
  '],"observation":{',
  '{"decisions":[',
  '"do":"noted","part":"',
  '{"directive":{"locked":false,"to":"gate"},"do":"direct"}',
  '{"directive":{"locked":true,"to":"gate"},"do":"direct"}',
  '{"directive":{"clause":"',
  '"},"do":"direct"}',
  '{"directive":{"colour":"green","light":"steady","to":"tower"},"do":"direct"}',
  '{"directive":{"colour":"red","light":"blink","to":"tower"},"do":"direct"}',
  '{"directive":{"colour":"amber","light":"steady","to":"tower"},"do":"direct"}',
  '","to":"display"},"do":"direct"}',
  '{"do":"timer","dueNs":',
  '{"do":"timer","dueNs":null,"timer":"',
  '{"do":"moved","phase":"',
  '{"do":"raised","finding":{"authority":"floor","',
  '{"do":"changed","finding":{"authority":"floor","',
  '{"do":"cleared","by":{"role":"system"},"',
  '{"do":"duty","duty":{"atNs":',
  '{"rank":null,"suit":null}',
  '"kind":"press","role":"dealer"',
  '"kind":"press","role":"floor"',
  '"kind":"card.out","lengthMm":',
  '"wallTrusted":true}}',
  '"wallTrusted":false}}',
  '},{"',
  '"}},{"',
  '},{"directive":{',
  ':true',
  ',"',
  '":"',
  '{"',
  '"}',
] as const;

/**
 * The words a new journal starts with. A journal keeps its own list, so this one may be tuned:
 * it is never needed to read a file.
 */
export const STARTING_WORDS: readonly string[] = [
  ...new Set([
    ...SHORT,
    ...PHRASES,
    ...Object.keys(PARTS).map((part) => `"part":"${part}","set":{`),
    ...KINDS.split(' ').map((kind) => `"kind":"${kind}",`),
    ...PRESS_KEYS.map((key) => `"key":"${key}"`),
    ...PHASES.map((phase) => `"phase":"${phase}"`),
    ...FINDING_CODES.map((code) => `"code":"${code}"`),
    ...VALUES.split(' ').map((word) => `:"${word}"`),
    ...KEYS.split(' ').map((key) => `"${key}":`),
  ]),
];
