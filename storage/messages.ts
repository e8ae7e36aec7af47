import type { DocumentKind } from '../controller/core/ports.js';
import { type FaultCode, JournalFault } from './fault.js';
import type { Opened, RowBatch, SavedState } from './store.js';

/** What the journal sends its writer's thread. `id`: the reply carries the same. */
export type ToWriter =
  | { readonly say: 'append'; readonly batch: RowBatch; readonly rest: number }
  | { readonly say: 'cursor'; readonly consumer: string; readonly seq: number }
  | { readonly say: 'state'; readonly saved: SavedState }
  | {
      readonly say: 'document';
      readonly id: number;
      readonly kind: DocumentKind;
      readonly hash: string;
      readonly text: string;
    }
  | {
      readonly say: 'prune';
      readonly id: number;
      readonly seq: number;
      readonly consumer: string;
      readonly wallMs: number;
    }
  | { readonly say: 'backup'; readonly id: number; readonly to: string }
  | { readonly say: 'close'; readonly id: number };

export type FromWriter =
  | { readonly say: 'opened'; readonly opened: Opened }
  | { readonly say: 'durable'; readonly seq: number }
  | { readonly say: 'done'; readonly id: number; readonly n: number }
  /** `id` null: the writer as a whole has failed and will write nothing more. */
  | { readonly say: 'fault'; readonly id: number | null; readonly fault: WireFault };

/** A fault on its way between threads, where classes do not travel. */
export interface WireFault {
  readonly code: FaultCode;
  readonly what: string;
}

export const toWire = (fault: JournalFault): WireFault => ({ code: fault.code, what: fault.what });
export const fromWire = ({ code, what }: WireFault): JournalFault => new JournalFault(code, what);
