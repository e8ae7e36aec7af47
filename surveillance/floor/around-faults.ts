import { isDataFault } from './store/db.js';

export interface Storing<T, R> {
  readonly write: (batch: readonly T[]) => Promise<R>;
  /** Written; a batch may be told in parts. */
  readonly written: (batch: readonly T[], result: R) => void;
  /** The one that the store cannot hold. */
  readonly setAside: (one: T, cause: unknown) => void;
}

/**
 * Writes a batch; where the store cannot hold one of it, all but that one, found by halving.
 * @throws what the store threw, where trying again may help
 */
export const storeAround = async <T, R>(
  batch: readonly T[],
  storing: Storing<T, R>,
): Promise<void> => {
  let result: R;
  try {
    result = await storing.write(batch);
  } catch (cause) {
    if (!isDataFault(cause)) throw cause;
    const [first] = batch;
    if (batch.length === 1 && first !== undefined) {
      storing.setAside(first, cause);
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await storeAround(batch.slice(0, middle), storing);
    await storeAround(batch.slice(middle), storing);
    return;
  }
  storing.written(batch, result);
};
