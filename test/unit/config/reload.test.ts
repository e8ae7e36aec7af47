import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configJsonSchema } from '../../../controller/config/read.js';
import { LIVE_FIELDS } from '../../../controller/config/reload.js';
import type { SiteConfig } from '../../../controller/config/schema.js';
import { type LoadedConfig, readConfigFile } from '../../../controller/runtime/config-file.js';
import { type Log, silentLog } from '../../../controller/runtime/log-port.js';
import { Reloader } from '../../../controller/runtime/reload.js';

const example = readFileSync('controller/config/example.yaml', 'utf8');
let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reload-'));
  file = join(folder, 'table.yaml');
  writeFileSync(file, example);
});
afterEach(() => rmSync(folder, { recursive: true }));

const load = (): LoadedConfig => {
  const read = readConfigFile(file);
  if (!read.ok) throw new Error('the example is not read');
  return read.loaded;
};

const rig = () => {
  const said: string[] = [];
  const note = (fields: object, text: string): void =>
    void said.push(`${text} ${JSON.stringify(fields)}`);
  const log: Log = { ...silentLog, info: note, warn: note, error: note };
  const applied: SiteConfig[] = [];
  const reloader = new Reloader({ loaded: load(), log, apply: (config) => applied.push(config) });
  const change = (from: string, to: string): void => {
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(from);
    writeFileSync(file, text.replace(from, to));
  };
  return { said, applied, reloader, change };
};

describe('reading the configuration again', () => {
  it('takes over what may change live', async () => {
    const { said, applied, reloader, change } = rig();
    change('log: info', 'log: debug');
    change('keepDays: 30', 'keepDays: 45');
    await reloader.reload();
    expect(applied.map(({ log, keepDays }) => [log, keepDays])).toEqual([['debug', 45]]);
    expect(said).toEqual(['taken over from the configuration {"fields":["keepDays","log"]}']);
    await reloader.reload();
    expect(said.at(-1)).toMatch(/nothing has changed/);
  });

  it('names what needs a restart, and goes on naming it', async () => {
    const { said, reloader, change } = rig();
    change('pa/631a-baccarat', 'pa/627a-minibaccarat');
    change('decks: 8 ', 'decks: 6 ');
    await reloader.reload();
    await reloader.reload();
    const text = 'changed, but waits for a restart {"fields":["procedure","table"]}';
    expect(said).toEqual([text, text]);
  });

  it('changes nothing where the file cannot be used', async () => {
    const { said, applied, reloader, change } = rig();
    change('log: info', 'log: loud');
    await reloader.reload();
    expect(applied).toEqual([]);
    expect(said[0]).toMatch(/table\.yaml:\d+: log: /);
    expect(said[1]).toMatch(/goes on with what it has/);
    rmSync(file);
    await reloader.reload();
    expect(applied).toEqual([]);
    writeFileSync(file, example);
    await reloader.reload();
    expect(said.at(-1)).toMatch(/nothing has changed/);
  });

  it('SIGHUP reads it again, and only while it is listened for', async () => {
    const { said, reloader, change } = rig();
    const before = process.listenerCount('SIGHUP');
    reloader.start();
    expect(process.listenerCount('SIGHUP')).toBe(before + 1);
    change('log: info', 'log: warn');
    process.kill(process.pid, 'SIGHUP');
    await expect.poll(() => said, { timeout: 20_000 }).toHaveLength(1);
    reloader.stop();
    expect(process.listenerCount('SIGHUP')).toBe(before);
  });

  it('the schema says of each field which it is', () => {
    const { properties } = configJsonSchema();
    for (const field of LIVE_FIELDS) {
      expect(properties).toHaveProperty([field, 'x-reload'], 'live');
    }
    expect(properties).toHaveProperty(['procedure', 'x-reload'], 'restart');
  });
});
