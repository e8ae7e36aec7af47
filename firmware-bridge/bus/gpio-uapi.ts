import type { LineSpec } from './gpio.js';

/** Linux GPIO character device, uAPI v2 (include/uapi/linux/gpio.h): requests and layouts. */
export const GPIO = {
  CHIPINFO: 0x8044b401,
  GET_LINE: 0xc250b407,
  LINE_INFO: 0xc100b405,
  LINE_INFO_BYTES: 256,
  GET_VALUES: 0xc010b40e,
  SET_VALUES: 0xc010b40f,
  CHIPINFO_BYTES: 68,
  REQUEST_BYTES: 592,
  VALUES_BYTES: 16,
  EVENT_BYTES: 48,
  NAME_BYTES: 32,
  LINES_MAX: 64,
  ATTRS_MAX: 10,
  /** Most events the kernel keeps for one request. */
  EVENTS_MAX: 1024,
  RISING: 1,
} as const;

const FLAG = {
  ACTIVE_LOW: 2,
  INPUT: 4,
  OUTPUT: 8,
  EDGES: 16 + 32,
  PULL_UP: 256,
  PULL_DOWN: 512,
  BIAS_OFF: 1024,
} as const;
const ATTR = { FLAGS: 1, VALUES: 2, DEBOUNCE: 3 } as const;

/** Offsets inside gpio_v2_line_request. */
const CONSUMER_AT = 256;
const CONFIG_AT = 288;
const ATTRS_AT = CONFIG_AT + 32;
const ATTR_BYTES = 24;
const NUM_ATTRS_AT = CONFIG_AT + 8;
const NUM_LINES_AT = 560;
const EVENTS_AT = 564;
const FD_AT = 588;

const BIAS = { up: FLAG.PULL_UP, down: FLAG.PULL_DOWN, off: FLAG.BIAS_OFF, 'as-is': 0 } as const;

interface Attr {
  readonly id: number;
  readonly value: number;
  readonly mask: number;
}

const flagsOf = (line: LineSpec, direction: number): number =>
  direction + BIAS[line.bias] + (line.activeLow ? FLAG.ACTIVE_LOW : 0);

const request = (lines: readonly LineSpec[], base: number, attrs: readonly Attr[]): Uint8Array => {
  const bytes = new Uint8Array(GPIO.REQUEST_BYTES);
  const view = new DataView(bytes.buffer);
  lines.forEach((line, i) => view.setUint32(4 * i, line.offset, true));
  new TextEncoder().encodeInto('cutcard', bytes.subarray(CONSUMER_AT, CONSUMER_AT + 31));
  view.setUint32(CONFIG_AT, base, true);
  view.setUint32(NUM_ATTRS_AT, attrs.length, true);
  attrs.forEach((attr, i) => {
    const at = ATTRS_AT + ATTR_BYTES * i;
    view.setUint32(at, attr.id, true);
    view.setUint32(at + 8, attr.value, true);
    view.setUint32(at + 16, attr.mask, true);
  });
  view.setUint32(NUM_LINES_AT, lines.length, true);
  view.setUint32(EVENTS_AT, GPIO.EVENTS_MAX, true);
  return bytes;
};

/** Lines that are watched together: the kernel keeps their edges in one order. */
export const inputRequest = (lines: readonly LineSpec[]): Uint8Array => {
  const direction = FLAG.INPUT + FLAG.EDGES;
  const attrs: Attr[] = [];
  lines.forEach((line, i) => {
    attrs.push({ id: ATTR.FLAGS, value: flagsOf(line, direction), mask: 2 ** i });
    if (line.debounceUs > 0) {
      attrs.push({ id: ATTR.DEBOUNCE, value: line.debounceUs, mask: 2 ** i });
    }
  });
  return request(lines, direction, attrs);
};

/** One output, driven to its first level by the same call that requests it. */
export const outputRequest = (line: LineSpec, active: boolean): Uint8Array =>
  request([line], flagsOf(line, FLAG.OUTPUT), [
    { id: ATTR.VALUES, value: active ? 1 : 0, mask: 1 },
  ]);

export const requestedFd = (answer: Uint8Array): number =>
  new DataView(answer.buffer, answer.byteOffset).getInt32(FD_AT, true);

/** Name, label and number of lines out of gpiochip_info. */
export const chipInfo = (
  answer: Uint8Array,
): { readonly name: string; readonly label: string; readonly lines: number } => ({
  name: textAt(answer, 0),
  label: textAt(answer, GPIO.NAME_BYTES),
  lines: new DataView(answer.buffer, answer.byteOffset).getUint32(2 * GPIO.NAME_BYTES, true),
});

const textAt = (bytes: Uint8Array, at: number): string => {
  const end = bytes.indexOf(0, at);
  const to = end < 0 || end > at + GPIO.NAME_BYTES ? at + GPIO.NAME_BYTES : end;
  return new TextDecoder().decode(bytes.subarray(at, to));
};

/** Asks about a line without taking it. */
export const lineInfoRequest = (offset: number): Uint8Array => {
  const bytes = new Uint8Array(GPIO.LINE_INFO_BYTES);
  new DataView(bytes.buffer).setUint32(2 * GPIO.NAME_BYTES, offset, true);
  return bytes;
};

/** Who owns a line: gpio_v2_line_info, flag bit 0 is "used". */
export const lineInfo = (
  answer: Uint8Array,
): { readonly name: string; readonly consumer: string; readonly used: boolean } => ({
  name: textAt(answer, 0),
  consumer: textAt(answer, GPIO.NAME_BYTES),
  used: (new DataView(answer.buffer, answer.byteOffset).getUint32(72, true) & 1) !== 0,
});
