/** What the command line says to whoever started it. */
export const EXIT = {
  ok: 0,
  /** Findings, differences, failed expectations: the program did its work and has news. */
  found: 1,
  usage: 2,
  internal: 70,
  /** sysexits' EX_CONFIG; the unit file does not restart on it. */
  config: 78,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * Exit code for a journal that cannot be used (`code` of a JournalFault): damage is news, what a
 * person can put right (another process, a full disk, no journal) is usage, and only a defect of
 * the program is internal.
 */
export const journalExit = (code: string): ExitCode => {
  if (code === 'corrupt') return EXIT.found;
  return code === 'order' || code === 'stopped' ? EXIT.internal : EXIT.usage;
};

/** What the system says of files that a person can put right. */
const FILE_CODES: ReadonlySet<string> = new Set([
  ...['EACCES', 'EBUSY', 'EEXIST', 'EISDIR', 'ELOOP', 'EMFILE', 'ENAMETOOLONG'],
  ...['ENOENT', 'ENOSPC', 'ENOTDIR', 'ENOTEMPTY', 'EPERM', 'EROFS'],
]);

/** The path of a file that the system refused; null for every other error. */
export const refusedFile = (error: unknown): string | null => {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return null;
  const { code, path } = error;
  return typeof path === 'string' && typeof code === 'string' && FILE_CODES.has(code) ? path : null;
};

/** Ends a command with a plain message on stderr and no stack: the user can put this right. */
export class Refusal extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'Refusal';
    this.exitCode = exitCode;
  }
}
