/** Check algorithms a profile may name. The CRCs' parameters are those of public catalogues. */
export const CHECK_KINDS = [
  'none',
  'xor',
  'lrc',
  'sum8',
  'sum16',
  'twos8',
  'crc8',
  'crc16-ccitt',
  'crc16-xmodem',
  'crc16-modbus',
  'crc16-arc',
  'crc32',
] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

/** Bytes a check takes on the wire in binary; twice that in ASCII hex. */
export const CHECK_BYTES: Readonly<Record<CheckKind, number>> = {
  none: 0,
  xor: 1,
  lrc: 1,
  sum8: 1,
  sum16: 2,
  twos8: 1,
  crc8: 1,
  'crc16-ccitt': 2,
  'crc16-xmodem': 2,
  'crc16-modbus': 2,
  'crc16-arc': 2,
  crc32: 4,
};

/** Check over `bytes[from, to)`, as an unsigned number. */
export const checkOf = (kind: CheckKind, bytes: Uint8Array, from: number, to: number): number => {
  switch (kind) {
    case 'none':
      return 0;
    case 'xor':
      return fold(bytes, from, to, (sum, byte) => sum ^ byte);
    // Longitudinal redundancy check of ISO 1155: column parity, that is xor; many machines call
    // the two's complement sum of Modbus ASCII by the same name: that one is `twos8` here.
    case 'lrc':
      return fold(bytes, from, to, (sum, byte) => sum ^ byte);
    case 'sum8':
      return fold(bytes, from, to, (sum, byte) => (sum + byte) & 0xff);
    case 'sum16':
      return fold(bytes, from, to, (sum, byte) => (sum + byte) & 0xffff);
    case 'twos8':
      return -fold(bytes, from, to, (sum, byte) => (sum + byte) & 0xff) & 0xff;
    case 'crc8':
      return crcMsb(bytes, from, to, { width: 8, poly: 0x07, init: 0 });
    case 'crc16-ccitt':
      return crcMsb(bytes, from, to, { width: 16, poly: 0x1021, init: 0xffff });
    case 'crc16-xmodem':
      return crcMsb(bytes, from, to, { width: 16, poly: 0x1021, init: 0 });
    case 'crc16-modbus':
      return crcLsb(bytes, from, to, 0xa001, 0xffff);
    case 'crc16-arc':
      return crcLsb(bytes, from, to, 0xa001, 0);
    case 'crc32':
      return (crcLsb(bytes, from, to, 0xedb88320, 0xffffffff) ^ 0xffffffff) >>> 0;
  }
};

const fold = (
  bytes: Uint8Array,
  from: number,
  to: number,
  step: (sum: number, byte: number) => number,
): number => {
  let sum = 0;
  for (let i = from; i < to; i += 1) sum = step(sum, bytes[i] ?? 0);
  return sum;
};

interface Msb {
  readonly width: 8 | 16;
  readonly poly: number;
  readonly init: number;
}

/** Most significant bit first, not reflected. */
const crcMsb = (bytes: Uint8Array, from: number, to: number, crc: Msb): number => {
  const top = 1 << (crc.width - 1);
  const mask = crc.width === 8 ? 0xff : 0xffff;
  let sum = crc.init;
  for (let i = from; i < to; i += 1) {
    sum ^= (bytes[i] ?? 0) << (crc.width - 8);
    for (let bit = 0; bit < 8; bit += 1) {
      sum = (sum & top) === 0 ? (sum << 1) & mask : ((sum << 1) ^ crc.poly) & mask;
    }
  }
  return sum;
};

/** Least significant bit first, reflected polynomial. */
const crcLsb = (
  bytes: Uint8Array,
  from: number,
  to: number,
  poly: number,
  init: number,
): number => {
  let sum = init;
  for (let i = from; i < to; i += 1) {
    sum = (sum ^ (bytes[i] ?? 0)) >>> 0;
    for (let bit = 0; bit < 8; bit += 1) {
      sum = (sum & 1) === 0 ? sum >>> 1 : ((sum >>> 1) ^ poly) >>> 0;
    }
  }
  return sum >>> 0;
};

const HEX = '0123456789ABCDEF';

/** Writes a check at `at`; returns how many bytes it took. */
export const putCheck = (
  into: Uint8Array,
  at: number,
  value: number,
  bytes: number,
  form: CheckForm,
): number => {
  for (let i = 0; i < bytes; i += 1) {
    const shift = 8 * (form.endian === 'big' ? bytes - 1 - i : i);
    const byte = (value >>> shift) & 0xff;
    if (form.encoding === 'binary') into[at + i] = byte;
    else {
      into[at + 2 * i] = HEX.charCodeAt(byte >> 4);
      into[at + 2 * i + 1] = HEX.charCodeAt(byte & 15);
    }
  }
  return form.encoding === 'binary' ? bytes : 2 * bytes;
};

export interface CheckForm {
  readonly encoding: 'binary' | 'hex';
  readonly endian: 'big' | 'little';
}

/** Reads a check; -1 where hex digits are none. */
export const getCheck = (from: Uint8Array, at: number, bytes: number, form: CheckForm): number => {
  let value = 0;
  for (let i = 0; i < bytes; i += 1) {
    const k = form.endian === 'big' ? i : bytes - 1 - i;
    let byte: number;
    if (form.encoding === 'binary') byte = from[at + k] ?? 0;
    else {
      const high = nibble(from[at + 2 * k] ?? 0);
      const low = nibble(from[at + 2 * k + 1] ?? 0);
      if (high < 0 || low < 0) return -1;
      byte = high * 16 + low;
    }
    value = value * 256 + byte;
  }
  return value;
};

const nibble = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
};
