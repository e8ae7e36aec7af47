/** What the checks in a guest ask of the host. */
export type Asked =
  /** One command of the agent (guest/agent.c). */
  | { readonly agent: string }
  /** Bytes, in hex, on a serial line; or what was heard there since, in hex. */
  | { readonly send: string; readonly to: SerialName }
  | { readonly heard: SerialName }
  /** The story to play: a `Story` as JSON. */
  | { readonly story: true }
  /** Sets a property of a device of the emulator. */
  | { readonly device: string; readonly property: string; readonly value: number };

export type SerialName = 'serial' | 'panel';

/** What the checks in a guest tell the host. */
export type Said =
  | { readonly say: 'ask'; readonly id: number; readonly asked: Asked }
  | { readonly say: 'passed'; readonly name: string; readonly ms: number }
  | { readonly say: 'failed'; readonly name: string; readonly why: string }
  | { readonly say: 'note'; readonly text: string }
  | { readonly say: 'figure'; readonly figure: ArmFigure }
  | { readonly say: 'journal'; readonly backend: string; readonly rows: readonly string[] }
  | { readonly say: 'end' };

/** Times of one kind in an emulated guest, microseconds of the guest's own clock. */
export interface ArmFigure {
  readonly what: 'edge to callback' | 'edge to gate output';
  readonly backend: 'gpiochip' | 'onoff' | 'virtual';
  readonly count: number;
  readonly p50Us: number;
  readonly p95Us: number;
  readonly maxUs: number;
}

/** One thing that happens at the table of a story, and how many rows there are before it. */
export interface Scene {
  /** Rows of the story that must be there before this begins. */
  readonly rows: number;
  readonly act: { readonly play: string } | { readonly send: string; readonly to: SerialName };
}

/** A scenario as wires and bytes, with the journal it came to on virtual lines. */
export interface Story {
  readonly procedure: string;
  /** The configuration's `table`, as YAML. */
  readonly table: string;
  readonly scenes: readonly Scene[];
  readonly rows: number;
}
