/**
 * Ends one part after the other, each even where one before it could not be ended: a dead bus is
 * not to keep the journal open, nor the process alive. @throws what went wrong first
 */
export const endAll = async (ends: readonly (() => Promise<void> | void)[]): Promise<void> => {
  const wrong: unknown[] = [];
  for (const end of ends) {
    try {
      await end();
    } catch (cause) {
      wrong.push(cause);
    }
  }
  if (wrong.length > 0) throw wrong[0];
};
