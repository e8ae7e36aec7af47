import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { packageRoot } from '../../../firmware-bridge/files.js';

/** Label of the kernel's simulated chip. */
export const CHIP = 'cutcard-sim';

/** Offsets of the rig's board (rig.yaml) that the checks move themselves. */
export const LINE = { gate: 16, beamA: 17, beamB: 27, lid: 22, shoe: 23 } as const;

const fileSchema = z.looseObject({
  gpio: z.object({ backend: z.string() }),
  streams: z.record(z.string(), z.unknown()),
  devices: z.record(z.string(), z.looseObject({ stream: z.string().optional() })),
});

/** The rig's board over one backend, with all its devices or a few; returns the file's path. */
export const rigBoardFile = (
  backend: 'gpiochip' | 'onoff',
  only: readonly string[] = [],
): string => {
  const text = readFileSync(join(packageRoot(), 'test/arm/rig.yaml'), 'utf8');
  const board = fileSchema.parse(parse(text));
  const devices = Object.fromEntries(
    Object.entries(board.devices).filter(([name]) => only.length === 0 || only.includes(name)),
  );
  const used = new Set(Object.values(devices).map(({ stream }) => stream));
  const streams = Object.fromEntries(
    Object.entries(board.streams).filter(([name]) => used.has(name)),
  );
  const file = `/tmp/rig-${backend}-${process.pid}.yaml`;
  writeFileSync(file, stringify({ ...board, gpio: { backend }, streams, devices }));
  return file;
};
