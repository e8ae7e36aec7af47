import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Cutcard } from '../support/cutcard.js';
import { needsProgram, skipWhere } from '../support/needs.js';
import { Mosquitto, publishOnce, Subscriber, until, whyNoMosquitto } from './mqtt-tools.js';
import { needsBuild } from './storage-child.js';

skipWhere(whyNoMosquitto() ?? needsProgram('cc') ?? needsBuild());

const ROOT = 'cutcard/v1/north/p1/bac-04';
const SOURCE = fileURLToPath(new URL('disk-fault.c', import.meta.url));
const CONFIG = `config: 1
place: { site: north, pit: p1, table: bac-04 }
procedure: pa/627a-minibaccarat
table: { decks: 8, shuffler: counting }
board: virtual
journal: table.journal
`;

it('a table whose disk has failed says good-bye to the broker and ends by itself', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cutcard-stop-'));
  const library = join(folder, 'disk-fault.so');
  spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl']);
  writeFileSync(join(folder, 'cutcard.yaml'), CONFIG);
  const broker = await Mosquitto.start();
  const subscriber = await Subscriber.start(broker.port, ['cutcard/v1/#']);
  const table = new Cutcard(
    ['run', '--config', 'cutcard.yaml', '--broker', `mqtt://127.0.0.1:${broker.port}`],
    folder,
    { LD_PRELOAD: library, CUTCARD_FAULT: 'sync:60:EIO' },
  );
  const last = (): string => subscriber.of(`${ROOT}/status`).at(-1) ?? '';
  try {
    await until('born', () => last().includes('"online"'));
    // Each order that is none becomes a row, until the disk takes no more of them.
    for (let i = 0; i < 100 && !last().includes('"fault"'); i += 1) {
      publishOnce(broker.port, `${ROOT}/cmd`, '{}');
      await until('answered', () => subscriber.of(`${ROOT}/cmd/reply`).length > i);
    }
    await until('the fault', () => last().includes('"reason":"fault"'));
    await table.end('SIGTERM');
    expect(table.out + table.err).not.toContain('not stopped within');
    expect(table.out + table.err).toContain('"stopped"');
    await until('good-bye', () => last().includes('"offline"'));
    expect(JSON.parse(last())).toMatchObject({ status: 'offline', reason: 'stop' });
  } finally {
    await table.end('SIGKILL');
    subscriber.stop();
    await broker.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
