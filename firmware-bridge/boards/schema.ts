import { z } from 'zod';
import { KEYPAD_KEYS } from '../devices/keypad-codec.js';

const name = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'is a short lower-case word');
const address = z.int().min(0x08).max(0x77);

const lineSchema = z.strictObject({
  /** Label of the chip as `gpiodetect` shows it; never its number. */
  chip: z.string().min(1).max(64),
  offset: z.int().min(0).max(1023),
  active: z.enum(['high', 'low']).default('high'),
  bias: z.enum(['up', 'down', 'off', 'as-is']).default('as-is'),
  /** Filter in the kernel, microseconds; beams leave it at 0. */
  debounceUs: z.int().min(0).max(1_000_000).default(0),
  /** Name of the net in the wiring drawing, and where it comes out. */
  net: z.string().max(32).optional(),
  pin: z.string().max(64).optional(),
});

const byIdPath = z
  .string()
  .regex(
    /^\/dev\/(serial\/by-(id|path)\/.+|cutcard-[a-z0-9-]+)$/,
    'is a by-id, by-path or udev name (/dev/serial/by-id/..., /dev/cutcard-...): numbers move',
  );

const streamSchema = z.discriminatedUnion('backend', [
  z.strictObject({ backend: z.literal('virtual') }),
  z.strictObject({ backend: z.literal('serial'), path: byIdPath }),
  z.strictObject({
    backend: z.literal('tcp'),
    host: z.string().min(1).max(253),
    port: z.int().min(1).max(65_535),
  }),
]);

const i2cSchema = z.discriminatedUnion('backend', [
  z.strictObject({ backend: z.literal('virtual') }),
  z.strictObject({
    backend: z.literal('i2c-dev'),
    /** Number of /dev/i2c-N. */
    number: z.int().min(0).max(255),
  }),
]);

const counts = z.number().min(0).max(65_535);
const colourSchema = z.strictObject({
  name,
  kind: z.enum(['back', 'cover', 'nothing']),
  clear: counts,
  red: counts,
  green: counts,
  blue: counts,
});

export const calibrationSchema = z.strictObject({
  spacingMm: z.number().min(4).max(30),
  cardMm: z.number().min(50).max(100),
  coverMm: z.number().min(50).max(120),
  colours: z.array(colourSchema).min(2).max(12),
});

const declared = { stream: name, profile: z.string().min(1).max(200) };

const deviceSchema = z.discriminatedUnion('driver', [
  z.strictObject({
    driver: z.literal('shoe-mouth'),
    beamA: name,
    beamB: name,
    colour: name.optional(),
    reader: name.optional(),
    /** Values here, or the name of a file that `cutcard calibrate` wrote. */
    calibration: z.union([calibrationSchema, z.string().min(1).max(200)]),
    /** Something that lies in the mouth this long blocks it, ms; the house's policy goes before. */
    blockedMs: z.int().min(100).max(60_000).default(2000),
  }),
  z.strictObject({ driver: z.literal('tcs34725'), bus: name, address: address.default(0x29) }),
  z.strictObject({
    driver: z.literal('keypad'),
    bus: name,
    address: address.default(0x20),
    interrupt: name,
    floorKey: name.optional(),
    techKey: name.optional(),
    keys: z.array(z.enum(KEYPAD_KEYS)).min(1).max(16),
  }),
  z.strictObject({ driver: z.literal('display'), bus: name, address: address.default(0x27) }),
  z.strictObject({ driver: z.literal('ds3231'), bus: name, address: address.default(0x68) }),
  z.strictObject({ driver: z.literal('gate'), line: name, safe: z.enum(['locked', 'open']) }),
  z.strictObject({ driver: z.literal('tower'), green: name, amber: name, red: name }),
  z.strictObject({ driver: z.literal('sounder'), line: name }),
  z.strictObject({ driver: z.literal('lid'), line: name }),
  z.strictObject({ driver: z.literal('shoe-present'), line: name }),
  z.strictObject({ driver: z.literal('lamp-tap'), green: name, red: name }),
  z.strictObject({ driver: z.literal('shuffler'), ...declared }),
  z.strictObject({ driver: z.literal('rack'), ...declared }),
  z.strictObject({ driver: z.literal('panel'), ...declared }),
  z.strictObject({ driver: z.literal('rank-reader'), ...declared, mouth: name }),
  z.strictObject({ driver: z.literal('badge-reader'), ...declared, keypad: name }),
]);

/** Drivers whose lines are outputs: they are told and say nothing. */
export const OUTPUT_DRIVERS: readonly string[] = ['gate', 'tower', 'sounder'];

export const boardSchema = z.strictObject({
  board: z.literal(1),
  name,
  title: z.string().min(1).max(120),
  gpio: z.strictObject({ backend: z.enum(['virtual', 'gpiochip', 'onoff']) }),
  i2c: z.record(name, i2cSchema).default({}),
  streams: z.record(name, streamSchema).default({}),
  lines: z.record(name, lineSchema),
  devices: z.record(name, deviceSchema),
});

export type BoardFile = z.infer<typeof boardSchema>;
export type DeviceSpec = BoardFile['devices'][string];
