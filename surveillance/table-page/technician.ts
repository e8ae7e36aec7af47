/** A value with how long ago it was seen, ms. */
export interface Seen<T> {
  readonly value: T;
  readonly agoMs: number;
}

/** An input or output line of the board. */
export interface TechLine {
  readonly name: string;
  readonly place: string;
  readonly direction: 'in' | 'out';
  readonly level: Seen<boolean> | null;
  /** Edges, or times it was set, since the start. */
  readonly changes: number;
  readonly error: Seen<string> | null;
}

/** A register of a chip, as it was last read or written. */
export interface TechRegister {
  readonly bus: string;
  /** `0x20` */
  readonly address: string;
  readonly register: string;
  readonly device: string;
  readonly bytes: Seen<string> | null;
  readonly error: Seen<string> | null;
}

/** A serial line or a connection. */
export interface TechStream {
  readonly name: string;
  readonly device: string;
  readonly isOpen: boolean;
  readonly received: number;
  readonly sent: number;
  /** The newest bytes in hex; null where they are nobody's business (ranks, badges). */
  readonly last: Seen<string> | null;
  readonly isSecret: boolean;
  readonly error: Seen<string> | null;
}

export interface TechDevice {
  readonly name: string;
  readonly state: string;
  readonly identity: string | null;
  readonly reason: string | null;
  readonly counts: Readonly<Record<string, number>>;
  /** How the device was calibrated, in words; null where it needs none. */
  readonly calibration: string | null;
}

/** One line of the doctor. */
export interface TechCheck {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly what: string;
  readonly seen: string;
  readonly cure: string;
}

/** Everything the technician's page shows. */
export interface TechReport {
  readonly board: string;
  readonly wallMs: number;
  readonly lines: readonly TechLine[];
  readonly registers: readonly TechRegister[];
  readonly streams: readonly TechStream[];
  readonly devices: readonly TechDevice[];
  readonly checks: readonly TechCheck[];
  readonly figures: Readonly<Record<string, number | null>>;
}

/** The inside of a table; whoever runs the table provides it. */
export type TechSource = () => Promise<TechReport>;

const LISTS = ['lines', 'registers', 'streams', 'devices', 'checks'] as const;

/** Whether a message has a report's outline; what is in it comes from a server of this version. */
export const isTechReport = (value: unknown): value is TechReport => {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map(Object.entries(value));
  return (
    typeof fields.get('board') === 'string' &&
    LISTS.every((list) => Array.isArray(fields.get(list)))
  );
};
