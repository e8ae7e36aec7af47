import { execFile } from 'node:child_process';

/** A time service that does not answer by then counts as not knowing. */
const ASK_MS = 2000;
const ANSWER_MAX_BYTES = 16_384;

const ask = (program: string, args: readonly string[]): Promise<string | null> =>
  new Promise((resolve) => {
    const options = { timeout: ASK_MS, maxBuffer: ANSWER_MAX_BYTES, encoding: 'utf8' } as const;
    execFile(program, args, options, (error, stdout) => resolve(error === null ? stdout : null));
  });

/** `Leap status` of `chronyc -c tracking` is its last field; anything but `Normal` is no trust. */
export const trustFromChrony = (answer: string): boolean =>
  answer.trim().split(',').at(-1)?.trim() === 'Normal';

/**
 * Whether the wall clock is known to be synchronised: chrony's word, else systemd's, else null
 * because nobody on this machine can say.
 */
export const clockTrust = async (): Promise<boolean | null> => {
  const chrony = await ask('chronyc', ['-c', 'tracking']);
  if (chrony !== null) return trustFromChrony(chrony);
  const systemd = await ask('timedatectl', ['show', '--property=NTPSynchronized', '--value']);
  return systemd === null ? null : systemd.trim() === 'yes';
};
