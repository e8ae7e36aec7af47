import { X509Certificate } from 'node:crypto';
import { fail, type Finding, ok, warn } from '../../firmware-bridge/doctor/hardware.js';
import { readGiven } from '../config/given-file.js';

/** Days of life below which a certificate is a matter for today. */
const CERTIFICATE_DAYS = 7;
const DAY_MS = 86_400_000;

/** What the doctor says of the table's certificate; `nowMs`: wall time, ms since 1970. */
export const certificateFinding = (certFile: string, nowMs: number): Finding => {
  const what = `certificate ${certFile}`;
  const cure = 'cutcard provision request, have it signed, lay it beside as issued.crt';
  try {
    const { validFrom, validTo } = new X509Certificate(readGiven(certFile));
    const [fromMs, toMs] = [Date.parse(validFrom), Date.parse(validTo)];
    const days = Math.floor((toMs - nowMs) / DAY_MS);
    if (fromMs > nowMs) return fail(what, `valid from ${validFrom}`, 'compare the clocks');
    if (days < 0) return fail(what, `expired on ${validTo}`, cure);
    const seen = `${days} days left`;
    const isDue = days < Math.max(CERTIFICATE_DAYS, (toMs - fromMs) / DAY_MS / 3);
    return isDue ? warn(what, seen, cure) : ok(what, seen);
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error);
    return fail(what, seen, cure);
  }
};
