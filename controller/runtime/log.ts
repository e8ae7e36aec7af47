import { destination, pino } from 'pino';
import type { Log } from './log-port.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Fields that could tell a player's secret or a password never reach a log line. */
const REDACTED = [
  'rank',
  'suit',
  'faces',
  '*.rank',
  '*.suit',
  '*.faces',
  'password',
  '*.password',
  'key',
  '*.key',
];

/** JSON lines on stderr, one write each, so that nothing is lost when the process dies. */
export const createLog = (level: LogLevel, fd = 2): Log & { level: string } =>
  pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED, remove: true },
    },
    destination({ dest: fd, sync: true }),
  );
