import type { Bridge, Scheduler } from '../core/ports.js';
import type { Finding as Check } from '../../firmware-bridge/doctor/hardware.js';
import { BoardBridge } from '../../firmware-bridge/bridge.js';
import type { SeenLine, SeenRegister, SeenStream } from '../../firmware-bridge/watch/bus-watch.js';
import type {
  Seen,
  TechDevice,
  TechLine,
  TechRegister,
  TechReport,
  TechSource,
  TechStream,
} from '../../surveillance/table-page/technician.js';
import { HealthProbe } from './health.js';
import type { TableLoop } from './loop.js';

/** The doctor is asked again after so long, ms: it opens files and buses. */
const DOCTOR_MS = 30_000;

export interface TechnicianParts {
  readonly bridge: Bridge;
  readonly loop: TableLoop;
  readonly scheduler: Scheduler;
  readonly journalFolder: string;
}

const hexOf = (bytes: Uint8Array, length: number): string =>
  Buffer.from(bytes.subarray(0, length))
    .toString('hex')
    .replace(/(..)(?=.)/g, '$1 ');

const hexNumber = (n: number): string => `0x${n.toString(16).padStart(2, '0')}`;

/** The inside of one board as it is now. */
class Inside {
  readonly #bridge: BoardBridge;
  readonly #nowNs: number;

  constructor(bridge: BoardBridge, nowNs: number) {
    this.#bridge = bridge;
    this.#nowNs = nowNs;
  }

  lines(): readonly TechLine[] {
    return [...this.#bridge.watch.lines.values()].map((line) => ({
      name: line.spec.name,
      place: `${line.spec.chip} ${line.spec.offset}`,
      direction: line.direction,
      level: this.#seen(line, line.active),
      changes: line.changes,
      error: this.#error(line),
    }));
  }

  registers(): readonly TechRegister[] {
    return [...this.#bridge.watch.registers.values()].map((one) => ({
      bus: one.bus,
      address: hexNumber(one.address),
      register: one.register < 0 ? 'written' : hexNumber(one.register),
      device: this.#at(one.bus, one.address),
      bytes: this.#seen(one, hexOf(one.bytes, one.length)),
      error: this.#error(one),
    }));
  }

  streams(): readonly TechStream[] {
    return [...this.#bridge.watch.streams.values()].map((one) => ({
      name: one.name,
      device: one.device,
      isOpen: one.isOpen,
      received: one.received,
      sent: one.sent,
      last: one.isSecret ? null : this.#seen(one, hexOf(one.bytes, one.length)),
      isSecret: one.isSecret,
      error: this.#error(one),
    }));
  }

  devices(): readonly TechDevice[] {
    return Object.entries(this.#bridge.status()).map(([name, status]) => ({
      name,
      state: status.state,
      identity: status.identity,
      reason: status.reason,
      counts: status.counts,
      calibration: this.#calibration(name),
    }));
  }

  #calibration(name: string): string | null {
    const found = this.#bridge.board.calibrations[name];
    if (found === undefined) return null;
    const { spacingMm, cardMm, coverMm, colours } = found;
    const backs = colours.map((colour) => colour.name).join(', ');
    return `beams ${spacingMm} mm apart, card ${cardMm} mm, cover ${coverMm} mm; ${backs}`;
  }

  #at(bus: string, address: number): string {
    const found = Object.entries(this.#bridge.board.devices).find(
      ([, spec]) => 'address' in spec && spec.bus === bus && spec.address === address,
    );
    return found?.[0] ?? '';
  }

  #seen<T>({ atNs }: SeenLine | SeenRegister | SeenStream, value: T): Seen<T> | null {
    return atNs < 0 ? null : { value, agoMs: this.#agoMs(atNs) };
  }

  #error({ error, errorNs }: SeenLine | SeenRegister | SeenStream): Seen<string> | null {
    return errorNs < 0 ? null : { value: error, agoMs: this.#agoMs(errorNs) };
  }

  #agoMs(atNs: number): number {
    return Math.max(0, Math.round((this.#nowNs - atNs) / 1e6));
  }
}

/** An update puts the program's files in other places before the service is restarted. */
const cannotAsk = (cause: unknown): readonly Check[] => [
  {
    what: 'doctor',
    state: 'fail',
    seen: cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause),
    cure: 'the program’s files were replaced under it: restart the service',
  },
];

/** The doctor's lines, worked out at most once in a while. */
const doctorFor = (board: string, folder: string): (() => Promise<readonly Check[]>) => {
  let askedMs = Number.NEGATIVE_INFINITY;
  let answer: Promise<readonly Check[]> = Promise.resolve([]);
  return () => {
    if (performance.now() - askedMs < DOCTOR_MS) return answer;
    askedMs = performance.now();
    answer = import('./doctor.js')
      .then(({ examineRunning }) => examineRunning(board, folder))
      .catch(cannotAsk);
    return answer;
  };
};

/** What the technician's page shows of a running table; no rank, no badge, no key. */
export const technicianSource = (parts: TechnicianParts): TechSource => {
  const { bridge, loop, scheduler, journalFolder } = parts;
  // Its own, not started: a look would end the supervisor's measuring of delays.
  const health = new HealthProbe({ journalFolder, queued: () => loop.queued });
  const board = bridge instanceof BoardBridge ? bridge : null;
  // On the clock that the ages below count on, which is not ours where time is simulated.
  const startedNs = scheduler.nowNs();
  const doctor = board === null ? null : doctorFor(board.board.file, journalFolder);
  return async (): Promise<TechReport> => {
    const checks = doctor === null ? [] : await doctor();
    const { rssBytes, diskFreeBytes, temperatureC, queued } = await health.look();
    const inside = board === null ? null : new Inside(board, scheduler.nowNs());
    return {
      board: board === null ? '' : `${board.board.name}: ${board.board.title}`,
      wallMs: scheduler.wallMs(),
      lines: inside?.lines() ?? [],
      registers: inside?.registers() ?? [],
      streams: inside?.streams() ?? [],
      devices: inside?.devices() ?? [],
      checks: checks.map(({ state, what, seen, cure }) => ({ level: state, what, seen, cure })),
      figures: {
        rssBytes,
        diskFreeBytes,
        temperatureC,
        uptimeS: Math.round((scheduler.nowNs() - startedNs) / 1e9),
        queued,
        rows: loop.state().seq,
        lost: loop.lost,
      },
    };
  };
};
