import { basename, dirname } from 'node:path';

/** The folder of a table's identity; null where its files are kept some other way. */
export const identityFolder = (certFile: string, keyFile: string): string | null => {
  const dir = dirname(certFile);
  const isOurs = basename(certFile) === 'device.crt' && basename(keyFile) === 'device.key';
  return isOurs && dirname(keyFile) === dir ? dir : null;
};
