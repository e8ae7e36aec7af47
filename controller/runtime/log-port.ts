/**
 * What the shell needs of a log. pino's loggers fit as they are. Nobody logs a card's rank: only
 * kinds, counts and codes go here.
 */
export interface Log {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
  fatal(fields: object, text: string): void;
}

const nothing = (): void => undefined;

/** For tests and for commands whose output is a report. */
export const silentLog: Log = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
};
