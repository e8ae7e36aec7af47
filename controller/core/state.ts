import type { Rank, Suit } from './cards.js';
import type { Directive } from './directive.js';
import type { Duty } from './duty.js';
import type { Finding } from './finding.js';
import type { Batch, DeviceName } from './observation.js';
import type { Cutter } from './press.js';
import type { ShuffleSource, Table } from './procedure.js';

export const PHASES = [
  'closed',
  'opening',
  'shuffle-due',
  'shuffling',
  'count-due',
  'cut-due',
  'cut-made',
  'marker-due',
  'load-due',
  'burn',
  'ready',
  'round',
  'stub-due',
  'reshuffle-due',
  'idle-spread',
  'dispute',
  'fault',
] as const;
export type Phase = (typeof PHASES)[number];

/** Right to load one stack once. */
export interface ShuffleToken {
  readonly source: ShuffleSource;
  readonly batch: Batch;
  readonly atNs: number;
}

/** From the opening of a stack to its loading. */
export interface Prep {
  readonly washed: boolean;
  /** Hand shuffles attested, by badge where there is one. */
  readonly shuffledBy: readonly string[];
  readonly source: ShuffleSource | null;
  /** The batch being prepared. */
  readonly batch: Batch;
  readonly machineRunning: boolean;
  /**
   * Where the offer of the cut stands: the seat whose turn it is; `dealer` when all declined;
   * `any` where nobody told the table who is entitled first (a reshuffle's last curator).
   */
  readonly cutTurn: Cutter | 'any';
  /** Seats that declined in this offer. */
  readonly declined: readonly number[];
  /** The seat the dealer said he offers to, where he said so. */
  readonly cutOffered: number | null;
  readonly cutBy: Cutter | null;
  readonly cutDone: boolean;
  readonly markerDone: boolean;
  /** A recut was ordered; this cutter may not cut again. */
  readonly recutAfter: Cutter | null;
  readonly cutDueNs: number | null;
}

export interface Shoe {
  /** Counts shoes since the journal began; 0 before the first. */
  readonly no: number;
  readonly isLoaded: boolean;
  readonly batch: Batch | null;
  /** Cards in the shoe at load. */
  readonly loaded: number;
  /** Cards that left it: sensed, plus those the floor accepted after a gap. */
  readonly out: number;
  /** False once cards may have moved unseen and nobody has said how many. */
  readonly outKnown: boolean;
  readonly rounds: number;
  /** A round has begun in this shoe: after that a card between rounds opens the next. */
  readonly played: boolean;
  readonly coversOut: number;
  /** Cards left when the marker came out; null before, or where `out` was not known. */
  readonly behind: number | null;
  readonly loadedNs: number;
}

export interface Burn {
  /** Cards out for the opening burn so far. */
  readonly done: number;
  /** Cards the opening burn takes; null while it depends on a rank nobody gave. */
  readonly required: number | null;
  /** The first card's rank: exposed by rule, so not a secret. */
  readonly rank: Rank | null;
  readonly rankFrom: 'sensed' | 'attested' | null;
  /** Of the cards in `done`, those nobody saw and the floor stated. */
  readonly stated: number;
  /** Cards a new dealer still owes. */
  readonly dealerOwed: number;
}

export interface Cover {
  /** Rounds that may still begin; null while no cover card was seen in this shoe. */
  readonly roundsLeft: number | null;
  /** Cover card seen between rounds: it belongs to the next one. */
  readonly waiting: boolean;
  /** The next round is the last and wants announcing. */
  readonly lastHandDue: boolean;
  readonly lastHandCalled: boolean;
  /** The round being played is the last. */
  readonly inLastHand: boolean;
}

export interface Face {
  readonly rank: Rank | null;
  readonly suit: Suit | null;
}

export interface Round {
  /** Round number in this shoe, from 1; 0 before the first. */
  readonly no: number;
  readonly betsClosed: boolean;
  readonly cards: number;
  readonly faces: readonly Face[];
  readonly countsCalled: boolean;
  /** Players' hands in this round where the dealer gave it. */
  readonly hands: number | null;
  readonly coverSeen: boolean;
}

export interface Counting {
  /** Rounds begun since a count by machine or by hand proved the deck. */
  readonly roundsSince: number;
  readonly sinceNs: number;
  /** Where the stub of the round being played was counted, the number. */
  readonly stub: number | null;
}

/** What is known of one batch. `null` counts are not known; they are never guessed. */
export interface BatchState {
  readonly onTable: boolean;
  readonly id: string | null;
  readonly quarantined: boolean;
  readonly lastCount: number | null;
  readonly countedBy: 'shuffler' | 'hand' | 'stub' | null;
  readonly countRequired: string | null;
  readonly inUseSinceNs: number;
  /** Right to load this batch once; spent at load. */
  readonly token: ShuffleToken | null;
  /** How many checks in a row came out wrong. */
  readonly wrongInRow: number;
}

export interface DeviceState {
  readonly up: boolean;
  readonly stale: boolean;
  readonly identity: string | null;
}

export interface House {
  readonly boot: number;
  readonly dealer: string | null;
  readonly wallTrusted: boolean;
  /** The device an exemption rests on, and its identity when the floor approved it. */
  readonly reshuffler: { readonly device: DeviceName; readonly identity: string | null } | null;
  readonly misdeal: { readonly yes: boolean; readonly full: boolean } | null;
  readonly lidOpen: boolean;
  readonly previousBatch: Batch | null;
}

export interface Tally {
  /** Findings raised since the journal began, by code. */
  readonly raised: Readonly<Record<string, number>>;
  /** Cards out since the first stop of the last episode, and ns from it to the last of them. */
  readonly cardsAfterWarning: number;
  readonly timeToStopNs: number;
  readonly stopSinceNs: number;
}

export interface Outputs {
  readonly gateLocked: boolean;
  readonly tower: Extract<Directive, { to: 'tower' }> | null;
  readonly display: Extract<Directive, { to: 'display' }> | null;
}

export interface StateParts {
  readonly prep: Prep;
  readonly shoe: Shoe;
  readonly burn: Burn;
  readonly cover: Cover;
  readonly round: Round;
  readonly counting: Counting;
  readonly house: House;
  readonly tally: Tally;
  readonly outputs: Outputs;
  readonly batches: Readonly<Record<Batch, BatchState>>;
  readonly devices: Readonly<Record<DeviceName, DeviceState>>;
}

export interface TableState extends StateParts {
  readonly phase: Phase;
  /** Open findings, oldest first. */
  readonly findings: readonly Finding[];
  /** Duties of the shoe in play (or being prepared). */
  readonly duties: readonly Duty[];
  /** Armed timers and when they are due, ns. */
  readonly timers: Readonly<Record<string, number>>;
  readonly seq: number;
  readonly atNs: number;
  readonly wallMs: number;
}

export const freshBatch: BatchState = {
  onTable: true,
  id: null,
  quarantined: false,
  lastCount: null,
  countedBy: null,
  countRequired: null,
  inUseSinceNs: 0,
  token: null,
  wrongInRow: 0,
};

export const freshPrep = (batch: Batch, cutTurn: Cutter | 'any'): Prep => ({
  washed: false,
  shuffledBy: [],
  source: null,
  batch,
  machineRunning: false,
  cutTurn,
  declined: [],
  cutOffered: null,
  cutBy: null,
  cutDone: false,
  markerDone: false,
  recutAfter: null,
  cutDueNs: null,
});

export const freshRound: Round = {
  no: 0,
  betsClosed: false,
  cards: 0,
  faces: [],
  countsCalled: false,
  hands: null,
  coverSeen: false,
};

export const freshBurn: Burn = {
  done: 0,
  required: null,
  rank: null,
  rankFrom: null,
  stated: 0,
  dealerOwed: 0,
};

export const freshCover: Cover = {
  roundsLeft: null,
  waiting: false,
  lastHandDue: false,
  lastHandCalled: false,
  inLastHand: false,
};

export const freshShoe: Shoe = {
  no: 0,
  isLoaded: false,
  batch: null,
  loaded: 0,
  out: 0,
  outKnown: true,
  rounds: 0,
  played: false,
  coversOut: 0,
  behind: null,
  loadedNs: 0,
};

/** A table that was never opened. */
export const initialState = (table: Table): TableState => ({
  phase: 'closed',
  findings: [],
  duties: [],
  timers: {},
  seq: 0,
  atNs: 0,
  wallMs: 0,
  prep: freshPrep(table.batches[0] ?? 'red', table.seats),
  shoe: freshShoe,
  burn: freshBurn,
  cover: freshCover,
  round: freshRound,
  counting: { roundsSince: 0, sinceNs: 0, stub: null },
  house: {
    boot: 0,
    dealer: null,
    wallTrusted: true,
    reshuffler: null,
    misdeal: null,
    lidOpen: false,
    previousBatch: null,
  },
  tally: { raised: {}, cardsAfterWarning: 0, timeToStopNs: 0, stopSinceNs: 0 },
  outputs: { gateLocked: true, tower: null, display: null },
  batches: Object.fromEntries(table.batches.map((batch) => [batch, freshBatch])),
  devices: {},
});
