import type { Batch, DeviceName, Lamp, Sensed } from '../../controller/core/observation.js';
import type { Bridge } from '../../controller/core/ports.js';
import type { Press } from '../../controller/core/press.js';
import type { Table } from '../../controller/core/procedure.js';
import type { NoiseModel } from './noise.js';

export type ShufflerSaid = Extract<Sensed, { kind: `shuffler.${string}` }>;

export interface VirtualTableOptions {
  /** Same seed, same noise, same calls: the same edges, registers and bytes to the nanosecond. */
  readonly seed: number;
  /** Multiplies jitter, bounce, flicker and drift; 1 is nominal, 0 a perfect world. */
  readonly noise?: number;
  /** What noise there is at the nominal level: see noise.ts. */
  readonly model?: NoiseModel;
  /** Decides which devices exist: shuffler, rank reader. */
  readonly table: Pick<Table, 'shuffler' | 'reader' | 'batches' | 'policy'>;
  /** Name or path of a shuffler profile in place of the board's own. */
  readonly shufflerProfile?: string;
  /** Fits a lamp tap to the shuffler's light (off by default). */
  readonly lampTap?: boolean;
  /** Writes every edge, register read and byte to this file (see trace/record.ts). */
  readonly record?: { readonly file: string; readonly procedure: string };
}

export interface VirtualTable {
  /** May be started again after `stop`, as a process is after a power cut. */
  readonly bridge: Bridge;
  readonly hands: Hands;
  /** Stops the bridge for good and finishes a recording. */
  readonly close: () => Promise<void>;
}

/**
 * What people and machines do at the virtual table. Each call schedules physical events from now,
 * or from the end of what the same hand still does, and returns the time in ns by which every
 * observation of it has been told: move the clock there. Observations come out one for one.
 */
export interface Hands {
  /**
   * Draws cards. A number draws that many unread; a list gives faces (`7h`, `Td`, `?`), which only
   * a rank reader sees. `back` is the colour of the backs, by default the table's first batch.
   */
  cards(what: number | readonly string[], back?: Batch): number;
  cover(): number;
  /** A card goes back into the shoe. */
  back(): number;
  /** Two cards overlapped leave at once, the second so far behind the first; in one steady pull,
   *  unless the hand is to stop on the way. */
  double(back?: Batch, shiftMm?: number, stops?: boolean): number;
  /** A card shows itself at the mouth and is taken back: nothing is observed. */
  touch(): number;
  /** Something lies in the mouth for so long. */
  block(ms: number): number;
  /** A beam's receiver shows this from now on, whatever passes; null: it works again. */
  stick(beam: 'a' | 'b', covered: boolean | null): number;
  /** The kernel's queue overflows: so many edges of a beam are never told. */
  loseEdges(beam: 'a' | 'b', count: number): number;
  /** On the keypad where it can be keyed there (`canKey`), else on the operator panel. */
  press(press: Press): number;
  /** The shuffler says so, encoded by its declared profile. Throws if there is no shuffler. */
  shuffler(said: ShufflerSaid): number;
  /** Raw bytes on the shuffler's line, one character per byte (`\x02CNT 416\x03`). */
  serial(raw: string): number;
  /** Sets the shuffler's light for the lamp tap. */
  lamp(lamp: Lamp): number;
  lid(open: boolean): number;
  /** Puts a shoe on, or takes it off. */
  shoe(present: boolean): number;
  /** Pulls a device's cable or plugs it in again; the name is the board's. */
  link(device: DeviceName, up: boolean): number;
  /** A machine on a stream says nothing any more, though its line stays open. */
  mute(device: DeviceName): number;
  /** What the outputs show now. */
  gate(): 'open' | 'locked';
  tower(): {
    readonly colour: 'green' | 'amber' | 'red' | 'off';
    readonly light: 'steady' | 'blink';
  };
  /** The display's four lines as its glass shows them, trailing blanks cut. */
  display(): readonly string[];
  /** Last words announced and sound asked for, '' before the first. */
  announced(): string;
  sounded(): string;
}
