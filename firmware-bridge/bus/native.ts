import { createRequire } from 'node:module';
import { join } from 'node:path';
import { packageRoot } from '../files.js';
import { BusError, reasonOf } from './errors.js';

/** What the addon exports (firmware-bridge/bus/native/cutcard_native.c). */
export interface Native {
  /** One ioctl; `buffer` must be as long as the request says and is changed in place. */
  ioctl(fd: number, request: number, buffer: Uint8Array): void;
  /** Calls back with bytes that lie in `buffer`, or with a positive errno, after which it ended. */
  watch(fd: number, buffer: Uint8Array, callback: (bytes: number, errno: number) => void): object;
  unwatch(handle: object): void;
  /** One datagram to a UNIX socket; `@name` is an abstract one. */
  notify(path: string, text: string): void;
}

const isNative = (module: unknown): module is Native =>
  typeof module === 'object' &&
  module !== null &&
  ['ioctl', 'watch', 'unwatch', 'notify'].every(
    (name) =>
      name in module && typeof Object.getOwnPropertyDescriptor(module, name)?.value === 'function',
  );

let loaded: Native | null = null;

/** The addon, loaded once. Throws `BusError` with the cure when it was never built. */
export const loadNative = (): Native => {
  if (loaded !== null) return loaded;
  const file = join(packageRoot(), 'firmware-bridge/bus/native/build/Release/cutcard_native.node');
  let module: unknown;
  try {
    module = createRequire(import.meta.url)(file);
  } catch (cause) {
    const cure = 'install gcc, make and python3, then run `npm rebuild` in the package';
    throw new BusError('config', `the addon cannot be loaded: ${reasonOf(cause)}`, cure, cause);
  }
  if (!isNative(module)) {
    throw new BusError('config', `${file} is another addon`, 'remove it and build again');
  }
  loaded = module;
  return loaded;
};

/** Error code of a thrown system error: `EACCES`; '' where there is none. */
export const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
