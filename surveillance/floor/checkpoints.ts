import type { CheckpointMessage } from '../contract/messages.js';
import { storeAround } from './around-faults.js';
import { isDataFault } from './store/db.js';
import type { FloorStore } from './store/floor-store.js';
import type { PlacedCheckpoint } from './store/proof-store.js';

/** What comes within this time goes into one transaction, ms. */
const GATHER_MS = 10;
/** Checkpoints of one transaction. */
const BATCH_MAX = 1000;

interface Waiting {
  readonly table: string;
  readonly message: CheckpointMessage;
  readonly stored: () => void;
  readonly failed: (cause: unknown) => void;
}

/**
 * Stores checkpoints, those that come close together in one transaction: a table that sends them
 * without end would else have the service do nothing but wait for the disk.
 */
export class Checkpoints {
  readonly #store: FloorStore;
  #queue: Waiting[] = [];
  #isWorking = false;

  constructor(store: FloorStore) {
    this.#store = store;
  }

  /** Resolves when it is stored. @throws what the store threw */
  add(table: string, message: CheckpointMessage): Promise<void> {
    const stored = new Promise<void>((resolve, reject) => {
      this.#queue.push({ table, message, stored: resolve, failed: reject });
    });
    if (!this.#isWorking) void this.#run();
    return stored;
  }

  async #run(): Promise<void> {
    this.#isWorking = true;
    while (this.#queue.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
      await this.#commit(this.#queue.splice(0, BATCH_MAX));
    }
    this.#isWorking = false;
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    await storeAround(batch, {
      // Where trying again may help, those that were tried are told; the rest has its turn.
      write: (part) =>
        this.#write(part).catch((cause: unknown) => {
          if (isDataFault(cause)) throw cause;
          return { cause };
        }),
      written: (part, failure) => {
        for (const { stored, failed } of part) {
          if (failure === undefined) stored();
          else failed(failure.cause);
        }
      },
      setAside: ({ failed }, cause) => failed(cause),
    });
  }

  async #write(batch: readonly Waiting[]): Promise<undefined> {
    const { rows, proofs } = this.#store;
    const placed: PlacedCheckpoint[] = [];
    for (const { table, message } of batch) {
      placed.push({ place: await rows.placeOf(table), message });
    }
    await proofs.addCheckpoints(placed);
    return undefined;
  }
}
