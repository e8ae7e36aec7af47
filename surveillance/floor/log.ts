/** What the service needs of a log; pino's loggers fit as they are. */
export interface FloorLog {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}
