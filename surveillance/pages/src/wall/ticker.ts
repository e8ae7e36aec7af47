const TICK_MS = 1000;

const listeners = new Set<() => void>();
let timer: number | undefined;

/** Calls back once a second: one timer for every age on the page. */
export const everySecond = (listener: () => void): (() => void) => {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
};
