import type { JournalRow } from '../../controller/core/ports.js';
import type { TableState } from '../../controller/core/state.js';
import { viewOf } from '../../controller/core/view.js';
import type { Scheduler } from '../../controller/core/ports.js';
import type { HealthMessage, StateMessage, StatusMessage } from '../contract/messages.js';
import type { BoxHealth, PublisherStats, ShownFault } from './publisher-parts.js';

/** `"cameras":["c1"],` or nothing: the same for every event of a table, so written once. */
export const camerasText = (cameras: readonly string[]): string =>
  cameras.length === 0 ? '' : `"cameras":${JSON.stringify(cameras)},`;

/**
 * An event is the row's own canonical text with its place in the chain before it:
 *
 *     {"seq":7,"prev":"…","hash":"…",["historical":true,]["cameras":[…],]
 *      "decisions":[…],"observation":{…}}
 *
 * The row is never taken apart on the way out: what was hashed is sent byte for byte, and a
 * consumer finds it again from `"decisions"` on.
 */
export const eventPayload = (row: JournalRow, isLate: boolean, cameras: string): string =>
  `{"seq":${row.seq},"prev":"${row.prev}","hash":"${row.hash}",${
    isLate ? '"historical":true,' : ''
  }${cameras}${row.body.slice(1)}`;

/** `shown`: what the table shows while no row can be written; `seq` stays the last durable one. */
export const statePayload = (
  state: TableState,
  cameras: readonly string[],
  shown: ShownFault | null,
): string => {
  const message: Readonly<StateMessage> = {
    ...copyOfView(state),
    ...shown,
    wallMs: state.wallMs,
    wallTrusted: state.house.wallTrusted,
    boot: state.house.boot,
    ...(cameras.length === 0 ? {} : { cameras: [...cameras] }),
  };
  return JSON.stringify(message);
};

/** The view with lists of its own: a message is not tied to the state it was made from. */
const copyOfView = (
  state: TableState,
): Omit<StateMessage, 'wallMs' | 'wallTrusted' | 'boot' | 'cameras'> => {
  const view = viewOf(state);
  return {
    ...view,
    quarantined: [...view.quarantined],
    findings: [...view.findings],
    duties: [...view.duties],
    raised: { ...view.raised },
  };
};

export const healthPayload = (
  box: BoxHealth,
  stats: PublisherStats,
  about: {
    readonly state: TableState | null;
    readonly scheduler: Scheduler;
    readonly shown: ShownFault | null;
  },
): string => {
  const { state, scheduler, shown } = about;
  const message: HealthMessage = {
    ...box,
    wallMs: scheduler.wallMs(),
    wallTrusted: scheduler.wallTrusted(),
    boot: state?.house.boot ?? 0,
    seq: state?.seq ?? 0,
    queued: stats.queued,
    undelivered: stats.undelivered,
    outstanding: stats.outstanding,
    connects: stats.connects,
    faults: { ...stats.faults },
    refusedCommands: stats.refusedCommands,
    ...(shown === null ? {} : { fault: shown.fault }),
  };
  return JSON.stringify(message);
};

export const statusPayload = (message: StatusMessage): string => JSON.stringify(message);
