/** 128 + SIGINT: what a shell expects of a program that was interrupted by force. */
const FORCED = 130;

/** Aborts at the first Ctrl-C or SIGTERM; a second one ends the process at once. */
export const abortOnSignals = (): AbortSignal => {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(FORCED);
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return controller.signal;
};
