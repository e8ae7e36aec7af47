import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandKeyOf, makeCommandKey } from '../../../surveillance/mqtt/command-sign.js';
import type { AllowedKey } from '../../../surveillance/mqtt/command-guard.js';
import { plainAddress } from '../broker-target.js';
import { CONSUMER, startFloor } from '../floor/start-floor.js';
import { createLog } from '../log.js';
import { programVersion } from '../version.js';
import { Neighbours } from './neighbours.js';

const KEY_NAME = 'demo-floor';

export interface DemoFloorParts {
  readonly site: string;
  /** `mqtt://127.0.0.1:PORT` */
  readonly broker: string;
  readonly port: number;
  readonly seed: number;
  readonly speed: number;
  readonly human: boolean;
}

/** The floor service of the demo, and the tables beside the demo's own. */
export interface DemoFloor {
  readonly url: string;
  readonly consumer: string;
  /** What the demo's table must list, so that the floor may ask it for rows. */
  readonly key: AllowedKey;
  /** The tables beside begin to play. */
  play(): Promise<void>;
  stop(): Promise<void>;
}

/** @throws Refusal where the wall cannot be served. */
export const startDemoFloor = async (parts: DemoFloorParts): Promise<DemoFloor> => {
  const { site, broker, port, seed, speed, human } = parts;
  // The tables beside begin anew with each demo, and so must what is held of them; the demo's own
  // table is asked for its rows.
  const folder = mkdtempSync(join(tmpdir(), 'cutcard-wall-'));
  const { pem, publicKey } = makeCommandKey();
  const key: AllowedKey = { name: KEY_NAME, publicKey, role: 'surveillance' };
  const address = plainAddress(broker, '3.1.1');
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const floor = await startFloor({
    store: join(folder, 'floor.db'),
    broker: () => address,
    port,
    site,
    log: createLog('error'),
    version: programVersion(),
    commandKey: { name: KEY_NAME, key: commandKeyOf(pem) },
  }).catch((cause: unknown) => {
    remove();
    throw cause;
  });
  const neighbours = new Neighbours({
    site,
    address,
    consumer: CONSUMER,
    keys: [key],
    version: programVersion(),
    seed,
    speed,
    human,
  });
  return {
    url: floor.url,
    consumer: CONSUMER,
    key,
    play: () => neighbours.start(),
    stop: async () => {
      await neighbours.stop();
      await floor.stop();
      remove();
    },
  };
};
