import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import type { NoiseModel } from '../../firmware-bridge/virtual/noise.js';

/**
 * What people and things do at the table, as `npm run truth -- --params FILE` takes it: every
 * distribution of docs/TRUTH.md, to be replaced by what was measured at a real table.
 */
const range = (low: number, high: number, unit: string, max: number) =>
  z
    .tuple([z.number().min(0).max(max), z.number().min(0).max(max)])
    .refine(([from, to]) => from <= to, 'the first number is the lower one')
    .default([low, high])
    .describe(`uniform between two bounds, ${unit}`);
const chance = (usual: number) =>
  z.number().min(0).max(1).default(usual).describe('a probability, 0 to 1');
const number = (usual: number, low: number, high: number, says: string) =>
  z.number().min(low).max(high).default(usual).describe(says);

const HOUR_MS = 3_600_000;

/** Our own estimates are the defaults: where each comes from stands in docs/TRUTH.md. */
const schema = z.strictObject({
  truth: z.literal(1).describe('version of this file'),
  source: z.string().min(1).max(500).describe('who measured what, where and when'),
  hand: z
    .strictObject({
      speedMmS: range(300, 1200, 'mm/s', 5000),
      change: number(0.2, 0, 0.9, 'largest change of speed in one pull, a part of it'),
      pauseMs: range(150, 420, 'ms', HOUR_MS),
      stopChance: chance(0.005),
      stopMs: range(250, 900, 'ms', 10_000),
      peekChance: chance(0.01),
      peekMm: range(4, 45, 'mm', 60),
      overlapMm: range(14, 40, 'mm', 63),
    })
    .prefault({}),
  finger: z
    .strictObject({
      chance: chance(0.25),
      gapMs: range(20, 80, 'ms', 1000),
      stayMs: range(50, 500, 'ms', 1900),
    })
    .prefault({}),
  beam: z
    .strictObject({
      scatterMs: number(0.05, 0, 5, 'largest scatter of one edge, ms'),
      bounceMs: range(1, 5, 'ms', 50),
      pulseMs: range(0.1, 0.8, 'ms', 50),
      flickerChance: chance(0.002),
      flickerMs: range(0.1, 1.5, 'ms', 50),
    })
    .prefault({}),
  colour: z
    .strictObject({
      scatter: number(0.01, 0, 0.5, 'deviation of a reading, a part of it'),
      drift: number(0.05, 0, 0.5, 'amplitude of the lamp, a part of it'),
      driftPeriodS: number(3600, 60, 1e6, 'its period, s'),
    })
    .prefault({}),
  key: z
    .strictObject({
      holdMs: range(60, 120, 'ms', 5000),
      gapMs: range(60, 150, 'ms', 5000),
      bounceMs: range(0.5, 5, 'ms', 50),
      pulseMs: range(0.1, 0.9, 'ms', 50),
    })
    .prefault({}),
  serial: z.strictObject({ lostByteChance: chance(1e-4), repeatChance: chance(1e-3) }).prefault({}),
  people: z
    .strictObject({
      dealMs: range(0, 700, 'ms: extra wait before a card', HOUR_MS),
      pressMs: range(300, 2500, 'ms: from the deed to its key', HOUR_MS),
      lateChance: chance(0.02),
      lateMs: range(4000, 9000, 'ms: how late a late key is', HOUR_MS),
    })
    .prefault({}),
});

type File = z.infer<typeof schema>;

export interface TruthParams {
  readonly source: string;
  readonly model: NoiseModel;
  readonly people: File['people'];
}

const paramsOf = ({ source, people, truth: _version, ...model }: File): TruthParams => ({
  source,
  people,
  model,
});

export const NOMINAL: TruthParams = paramsOf(
  schema.parse({ truth: 1, source: 'estimates of docs/TRUTH.md; no dealer was measured' }),
);

/** A parameter file that cannot be used; the message names file, field and cure. */
export class ParamsError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ParamsError';
  }
}

/** @throws ParamsError. What the file leaves out keeps our estimate. */
export const readParams = (text: string, file: string): TruthParams => {
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ParamsError(`${file}: not YAML: ${why}`, { cause });
  }
  const read = schema.safeParse(value);
  if (read.success) return paramsOf(read.data);
  const [first] = read.error.issues;
  const field = first?.path.join('.') ?? '';
  const shown = field === '' ? 'the file' : `\`${field}\``;
  throw new ParamsError(
    `${file}: ${shown}: ${first?.message ?? 'wrong'}. ` +
      'The fields and their units are printed by `npm run truth -- --schema`.',
  );
};

export const loadParams = (file: string): TruthParams => {
  try {
    return readParams(readFileSync(file, 'utf8'), file);
  } catch (cause) {
    if (cause instanceof ParamsError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ParamsError(`${file}: cannot be read (${why}). Check the path.`, { cause });
  }
};

/** JSON Schema of the parameter file. */
export const paramsSchema = (): unknown => z.toJSONSchema(schema);
