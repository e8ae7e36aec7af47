import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { z } from 'zod';
import { packageRoot } from '../../../firmware-bridge/files.js';
import { openJournal } from '../../../storage/journal.js';
import { verifyChain } from '../../../storage/verify.js';
import { EmbeddedBroker } from '../../../surveillance/mqtt/embedded-broker.js';
import { until } from '../../contract/gpio.js';
import { isStory, storyOf } from '../canonical.js';
import type { Story } from '../words.js';
import { rigBoardFile } from './board.js';
import { type Backend, BACKENDS, type Check, type Rig } from './check.js';
import { idle } from './lines.js';

const storySchema: z.ZodType<Story> = z.object({
  procedure: z.string(),
  table: z.string(),
  rows: z.number(),
  scenes: z.array(
    z.object({
      rows: z.number(),
      act: z.union([
        z.object({ play: z.string() }),
        z.object({ send: z.string(), to: z.enum(['serial', 'panel']) }),
      ]),
    }),
  ),
});

const eventSchema = z.looseObject({
  seq: z.number(),
  observation: z.looseObject({ kind: z.string(), device: z.string().optional() }),
});

const CLI = join(packageRoot(), 'dist/bundle/cli.js');

const configOf = (story: Story, backend: Backend, brokerUrl: string): string => `
config: 1
place: { site: rig, pit: arm, table: ${backend} }
procedure: ${story.procedure}
table: ${story.table}
board: ${rigBoardFile(backend)}
journal: rig.journal
broker: { url: "${brokerUrl}", protocol: "3.1.1" }
log: warn
`;

/** What surveillance hears: the rows of the journal, as they are published. */
class Listener {
  storyRows = 0;
  readonly up = new Set<string>();
  readonly #seen = new Set<number>();

  hear(text: string): void {
    const event = eventSchema.parse(JSON.parse(text));
    if (this.#seen.has(event.seq)) return;
    this.#seen.add(event.seq);
    const { kind, device } = event.observation;
    if (kind === 'link.up' && device !== undefined) this.up.add(device);
    if (isStory(kind)) this.storyRows += 1;
  }
}

const DEVICES = ['mouth', 'gate', 'tower', 'buzzer', 'lid', 'shoe', 'shuffler', 'panel'];

const playScenes = async ({ port, wires }: Rig, story: Story, heard: Listener): Promise<void> => {
  for (const [i, { rows, act }] of story.scenes.entries()) {
    await until(
      `${rows} rows before scene ${i + 1}, ${JSON.stringify(act).slice(0, 60)}`,
      () => heard.storyRows >= rows,
    );
    process.stdout.write(`story: scene ${i + 1}\n`);
    if ('play' in act) await wires.agent(`play ${act.play}`);
    else await port.ask(act);
  }
  await until(`all ${story.rows} rows`, () => heard.storyRows >= story.rows);
};

const ended = async (child: ChildProcess): Promise<void> => {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
  assert.equal(child.exitCode, 0, 'the controller ends in order');
};

/** The story's rows as they lie on the disk, once the chain over them was checked. */
const rowsOf = async (path: string): Promise<readonly string[]> => {
  const { damage } = await verifyChain(path, { deep: true });
  assert.equal(damage, null);
  const journal = await openJournal(path, { writer: 'inline' });
  const rows = await journal.read(0, journal.head().seq);
  await journal.close();
  return storyOf(rows.map(({ body }) => body));
};

/** The whole product on real lines, serial ports, disk and broker, through one scenario. */
const play =
  (backend: Backend) =>
  async (rig: Rig): Promise<void> => {
    await idle(rig);
    const story = storySchema.parse(JSON.parse(await rig.port.ask({ story: true })));
    const folder = `/tmp/story-${backend}`;
    mkdirSync(folder);
    const broker = new EmbeddedBroker();
    await broker.start();
    const client = await connectAsync(broker.url, { protocolVersion: 4 });
    const heard = new Listener();
    client.on('message', (_topic, payload) => heard.hear(payload.toString('utf8')));
    await client.subscribeAsync(`cutcard/v1/rig/arm/${backend}/event`, { qos: 1 });
    const config = join(folder, 'cutcard.yaml');
    writeFileSync(config, configOf(story, backend, broker.url));
    const controller = spawn(process.execPath, [CLI, 'run', '--config', config], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    try {
      await until(
        () => `every device is up; up are ${[...heard.up].join(' ')}`,
        () => DEVICES.every((name) => heard.up.has(name)),
      );
      process.stdout.write('story: every device is up\n');
      await playScenes(rig, story, heard);
      await ended(controller);
    } finally {
      controller.kill('SIGKILL');
      await client.endAsync(true);
      await broker.stop();
    }
    rig.port.say({ say: 'journal', backend, rows: await rowsOf(join(folder, 'rig.journal')) });
  };

export const STORY_CHECKS: readonly Check[] = BACKENDS.map(
  (backend): Check => [`${backend}: a scenario through the whole controller`, play(backend)],
);
