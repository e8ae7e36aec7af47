import { z } from 'zod';
import { CHECK_KINDS } from './checks.js';

/** Longest frame any profile may declare, bytes. */
export const FRAME_BYTES_MAX = 1024;
/** Sentences in one profile, fields in one sentence. */
export const SENTENCES_MAX = 64;
export const FIELDS_MAX = 16;

const byte = z.int().min(0).max(255);
/** Bytes as numbers (`[0x02]`) or as text (`"\r\n"`). */
const bytes = z
  .union([z.array(byte).max(4), z.string().max(4)])
  .transform((v) => (typeof v === 'string' ? Array.from(v, (c) => c.charCodeAt(0) & 0xff) : v));

const word = z.string().regex(/^[a-z][a-z0-9-]*$/, 'is a lower-case word: letters, digits, dashes');

const lineSchema = z.strictObject({
  baud: z.int().min(1200).max(115_200),
  dataBits: z.union([z.literal(7), z.literal(8)]).default(8),
  parity: z.enum(['none', 'even', 'odd']).default('none'),
  stopBits: z.union([z.literal(1), z.literal(2)]).default(1),
});

const endSchema = z.union([
  z.strictObject({ terminator: bytes }),
  z.strictObject({
    /** Offset of the length field in the frame; `adds`: whole frame = value + adds. */
    length: z.strictObject({
      at: z.int().min(0).max(16),
      bytes: z.union([z.literal(1), z.literal(2)]).default(1),
      endian: z.enum(['big', 'little']).default('big'),
      adds: z.int().min(0).max(16),
    }),
  }),
  z.strictObject({ fixed: z.int().min(1).max(FRAME_BYTES_MAX) }),
]);

const checkSchema = z.strictObject({
  kind: z.enum(CHECK_KINDS),
  encoding: z.enum(['binary', 'hex']).default('binary'),
  endian: z.enum(['big', 'little']).default('big'),
  /** The start byte and the terminator count into the check. */
  coversStart: z.boolean().default(false),
  coversEnd: z.boolean().default(false),
  place: z.enum(['before-end', 'after-end']).default('before-end'),
  /** One character in front of the check (`*`): with it the check may be left out. */
  marker: z.string().length(1).optional(),
  optional: z.boolean().default(false),
});

const frameSchema = z.strictObject({
  /** Any of these bytes begins a frame; none: a frame begins where the last one ended. */
  start: bytes.default([]),
  end: endSchema,
  check: checkSchema.default({
    kind: 'none',
    encoding: 'binary',
    endian: 'big',
    coversStart: false,
    coversEnd: false,
    place: 'before-end',
    optional: false,
  }),
  maxBytes: z.int().min(4).max(FRAME_BYTES_MAX).default(128),
  /** A pause inside a frame longer than this drops it, ms. */
  gapMs: z.int().min(1).max(10_000).optional(),
});

const mapSchema = z.record(z.string(), z.union([z.string(), z.boolean(), z.int()]));

const textField = z.strictObject({
  name: word,
  type: z.enum(['int', 'word', 'text']),
  min: z.int().optional(),
  max: z.int().optional(),
  /** What the machine says -> our word. A value that is not listed refuses the frame. */
  map: mapSchema.optional(),
  /** May be missing at the end, or stand as `-`. */
  optional: z.boolean().default(false),
});

const binaryField = z.strictObject({
  name: word,
  type: z.enum(['u8', 'u16', 'u32', 'bcd', 'bit', 'char']),
  /** Offset in the payload, bytes. */
  at: z.int().min(0).max(FRAME_BYTES_MAX),
  bit: z.int().min(0).max(7).optional(),
  endian: z.enum(['big', 'little']).default('big'),
  min: z.int().optional(),
  max: z.int().optional(),
  map: mapSchema.optional(),
  /** This raw value means the machine does not know. */
  absent: z.int().optional(),
});

/** What a sentence tells: an observation, or something the device itself uses. */
export const OBSERVE_KINDS = [
  'shuffler.start',
  'shuffler.done',
  'shuffler.lamp',
  'shuffler.jam',
  'shuffler.door',
  'shuffler.inventory',
  'shuffler.unload',
  'rack.count',
  'alive',
  'identity',
  'rank',
  'badge',
  'press',
] as const;

const tellSchema = {
  observe: z.enum(OBSERVE_KINDS),
  /** Key of the observation -> `$field`, or a constant. */
  with: z.record(z.string(), z.union([z.string(), z.boolean(), z.int()])).default({}),
};

const textSentence = z.strictObject({
  code: z.string().min(1).max(16),
  fields: z.array(textField).max(FIELDS_MAX).default([]),
  ...tellSchema,
});
const binarySentence = z.strictObject({
  code: byte,
  /** Payload length in bytes, code included. */
  bytes: z.int().min(1).max(FRAME_BYTES_MAX),
  fields: z.array(binaryField).max(FIELDS_MAX).default([]),
  ...tellSchema,
});

const common = {
  profile: z.literal(1),
  name: word,
  title: z.string().min(1).max(120),
  device: z.enum(['shuffler', 'rank-reader', 'badge-reader', 'panel', 'rack']),
  line: lineSchema,
  frame: frameSchema,
  /** Answer to a frame that was taken or not; nothing is ever sent without this. */
  ack: z.strictObject({ accept: byte, refuse: byte }).optional(),
  heartbeat: z.strictObject({ silenceMs: z.int().min(100).max(600_000) }).optional(),
};

const textProfile = z.strictObject({
  ...common,
  body: z.literal('text'),
  separator: z.enum([' ', ',', ';', '|']).default(' '),
  /** A token `#nn` in front numbers the message; the same number and words again are dropped. */
  repeat: z
    .strictObject({ marker: z.string().length(1), windowMs: z.int().min(1).max(60_000) })
    .optional(),
  sentences: z.array(textSentence).min(1).max(SENTENCES_MAX),
});

const binaryProfile = z.strictObject({
  ...common,
  body: z.literal('binary'),
  /** Offset of the code byte in the payload. */
  codeAt: z.int().min(0).max(16).default(0),
  repeat: z
    .strictObject({
      at: z.int().min(0).max(FRAME_BYTES_MAX),
      windowMs: z.int().min(1).max(60_000),
    })
    .optional(),
  sentences: z.array(binarySentence).min(1).max(SENTENCES_MAX),
});

/** The payload is one JSON object; only the operator panel speaks so. */
const jsonProfile = z.strictObject({
  ...common,
  body: z.literal('json'),
  repeat: z.strictObject({ key: word, windowMs: z.int().min(1).max(60_000) }).optional(),
});

export const profileSchema = z.discriminatedUnion('body', [
  textProfile,
  binaryProfile,
  jsonProfile,
]);

export type Profile = z.infer<typeof profileSchema>;
export type TextProfile = z.infer<typeof textProfile>;
export type BinaryProfile = z.infer<typeof binaryProfile>;
export type FrameRule = z.infer<typeof frameSchema>;
export type BinarySentence = z.infer<typeof binarySentence>;
export type TextField = z.infer<typeof textField>;
export type BinaryField = z.infer<typeof binaryField>;
export type FieldValue = string | number | boolean;
