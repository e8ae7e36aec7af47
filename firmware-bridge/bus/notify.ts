import { loadNative } from './native.js';

/**
 * Tells systemd `READY=1`, `WATCHDOG=1`, `STATUS=...`. False when nobody listens (no
 * NOTIFY_SOCKET) or the addon is not there; a unit with WatchdogSec then restarts us, as it should.
 */
export const notifySystemd = (text: string, socket = process.env['NOTIFY_SOCKET']): boolean => {
  if (socket === undefined || socket === '') return false;
  try {
    loadNative().notify(socket, text);
    return true;
  } catch {
    return false;
  }
};
