import { FINDING_CODES } from '../controller/core/finding.js';
import { PRESS_KEYS } from '../controller/core/press-parse.js';
import { PHASES, type StateParts } from '../controller/core/state.js';

/** Most frequent in rows of a real table: one byte each. */
const SHORT = [
  '{"decisions":[{"do":"noted","part":"round","set":{"',
  '}},{"do":"noted","part":"house","set":{"activityNs":',
  '}}],"observation":{"atNs":',
  ',"kind":"card.out","lengthMm":',
  ',"seq":',
  ',"speedMmS":',
  ',"wallMs":',
  ',"wallTrusted":true}}',
  '{"do":"noted","part":"shoe","set":{"out":',
  ',"kind":"press","role":"dealer"',
  ',"kind":"timer","timer":"',
  '{"decisions":[',
  '],"observation":{"atNs":',
  '"}},{"directive":{"',
  '}},{"do":"noted","part":"',
  ',"do":"noted","part":"',
  '","set":{"',
  ',"key":"',
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
  'acknowledged amber announce attested blink blue changed cleared dealer direct display ' +
  'due duty floor gate green hand hold info machine met moved not-met noted notice person ' +
  'policy: preshuffled raised red refused remedied round sensed shoe shuffle sound steady step ' +
  'stop surveillance system timer tower unseen video waived warn';

const KINDS =
  'card.out card.back card.double cover.out mouth.blocked mouth.clear shoe.loaded shoe.empty ' +
  'lid.open lid.closed rack.count shuffler.start shuffler.done shuffler.lamp shuffler.jam ' +
  'shuffler.door shuffler.inventory shuffler.unload link.up link.down device.stale power.boot ' +
  'power.off clock.step clock.trust journal.fault timer press';

const PHRASES = [
  '{"decisions":[],"observation":{"atNs":',
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
  '{"do":"raised","finding":{"authority":"floor"',
  '{"do":"changed","finding":{"authority":"floor"',
  '{"by":{"role":"system"},"code":"',
  '"do":"cleared","how":"',
  '{"do":"duty","duty":{"atNs":',
  '{"rank":null,"suit":null}',
  ',"kind":"press","role":"floor"',
  ',"wallTrusted":false}}',
  '},{"do":"noted","part":"',
  '"}},{"do":"noted","part":"',
  '}],"observation":{"atNs":',
  '},{"directive":{"',
  ',"severity":"stop"',
  ',"severity":"hold"',
  ',"severity":"warn"',
  ',"lifespan":"',
  ',"detail":"',
  ',"evidence":"attested"',
  ',"evidence":"sensed"',
  ',"status":"met"',
  ',"status":"due"',
  ':true',
  '},{"',
  '"}},{"',
  '"},{"',
] as const;

/**
 * The words a new journal starts with. A journal keeps its own list, so this one may be tuned:
 * it is never needed to read a file.
 */
export const STARTING_WORDS: readonly string[] = [
  ...new Set([
    ...SHORT,
    ...PHRASES,
    ...Object.keys(PARTS).map((part) => `{"do":"noted","part":"${part}","set":{"`),
    ...Object.keys(PARTS).map((part) => `}},{"do":"noted","part":"${part}","set":{"`),
    ...KINDS.split(' ').map((kind) => `,"kind":"${kind}"`),
    ...PRESS_KEYS.map((key) => `,"key":"${key}"`),
    ...PHASES.map((phase) => `{"do":"moved","phase":"${phase}"}`),
    ...FINDING_CODES.map((code) => `"code":"${code}"`),
    ...VALUES.split(' ').map((word) => `:"${word}"`),
    ...KEYS.split(' ').flatMap((key) => [`,"${key}":`, `{"${key}":`, `"${key}":`]),
  ]),
];
