import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LineSpec } from '../../../firmware-bridge/bus/gpio.js';
import {
  chipInfo,
  GPIO,
  inputRequest,
  outputRequest,
} from '../../../firmware-bridge/bus/gpio-uapi.js';
import { listChips } from '../../../firmware-bridge/bus/gpiochip.js';
import { loadNative } from '../../../firmware-bridge/bus/native.js';
import { notifySystemd } from '../../../firmware-bridge/bus/notify.js';
import { packageRoot } from '../../../firmware-bridge/files.js';
import { needsFile, skipWhere } from '../../support/needs.js';

const addon = join(packageRoot(), 'firmware-bridge/bus/native/build/Release/cutcard_native.node');
// Without a compiler the addon is not there, and `npm run build` has said so.
const missing = needsFile(addon, 'the addon was not built (npm rebuild builds it)');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cutcard-native-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fifo = (name: string): number => {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
};

describe('the addon', () => {
  skipWhere(missing);

  it('calls back with the bytes, until it is told to stop', async () => {
    const native = loadNative();
    const fd = fifo('plain');
    const buffer = Buffer.alloc(64);
    const heard: string[] = [];
    const handle = native.watch(fd, buffer, (bytes, errno) => {
      heard.push(errno === 0 ? buffer.toString('latin1', 0, bytes) : `errno ${errno}`);
    });
    writeSync(fd, 'edge');
    await pause(30);
    native.unwatch(handle);
    native.unwatch(handle);
    writeSync(fd, 'late');
    await pause(30);
    expect(heard).toEqual(['edge']);
    closeSync(fd);
  });

  it('may be stopped from inside its own callback', async () => {
    const native = loadNative();
    const fd = fifo('inside');
    const buffer = Buffer.alloc(4);
    let calls = 0;
    const handle = native.watch(fd, buffer, () => {
      calls += 1;
      native.unwatch(handle);
    });
    writeSync(fd, 'abcdefgh');
    await pause(30);
    expect(calls).toBe(1);
    closeSync(fd);
  });

  it('reports the error that ends it', async () => {
    const native = loadNative();
    const path = join(folder, 'ends');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY);
    const errors: number[] = [];
    const handle = native.watch(reader, Buffer.alloc(8), (_bytes, errno) => errors.push(errno));
    closeSync(writer);
    await pause(30);
    expect(errors).toEqual([32]);
    native.unwatch(handle);
    closeSync(reader);
  });

  it('refuses wrong arguments and wrong sizes without a crash', () => {
    const native = loadNative();
    expect(() => native.ioctl(-1, GPIO.CHIPINFO, new Uint8Array(3))).toThrow(/ioctl size/);
    expect(() => native.ioctl(-1, GPIO.CHIPINFO, new Uint8Array(68))).toThrow(/Bad file/);
    expect(() => native.watch(-1, new Uint8Array(4), () => undefined)).toThrow();
    expect(() => native.watch(0, new Uint8Array(0), () => undefined)).toThrow();
    expect(() => native.unwatch({})).toThrow();
  });

  it('lets a worker end while it watches, and survives a collected handle', () => {
    // In a process of its own: a fault here would be a crash, not an exception.
    const script = `
      const { Worker, isMainThread } = require('node:worker_threads');
      const fs = require('node:fs');
      const native = require(${JSON.stringify(addon)});
      const watch = () => {
        const fd = fs.openSync(process.env.FIFO, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
        return native.watch(fd, Buffer.alloc(8), () => {});
      };
      if (isMainThread) {
        for (let i = 0; i < 50; i += 1) watch();
        gc(); setImmediate(() => { gc();
          const w = new Worker(__filename);
          w.on('exit', (code) => { console.log('worker', code); process.exit(0); });
        });
      } else { watch(); setTimeout(() => process.exit(3), 50); }
    `;
    const path = join(folder, 'worker');
    execFileSync('mkfifo', [path]);
    const file = join(folder, 'worker.cjs');
    execFileSync('sh', ['-c', 'cat > "$0"', file], { input: script });
    const run = spawnSync(process.execPath, ['--expose-gc', file], {
      env: { ...process.env, FIFO: path },
      encoding: 'utf8',
    });
    expect([run.status, run.stdout, run.stderr]).toEqual([0, 'worker 3\n', '']);
  });

  it('tells systemd, and takes it calmly when nobody listens', () => {
    expect(notifySystemd('READY=1', undefined)).toBe(false);
    expect(notifySystemd('READY=1', join(folder, 'nobody'))).toBe(false);
    const script = `
import os, socket, subprocess, sys
path = sys.argv[1]
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(path if path[0] != '@' else '\\0' + path[1:])
s.settimeout(10)
told = 'require(process.argv[1]).notify(process.argv[2], "READY=1")'
subprocess.run([sys.argv[2], '-e', told, sys.argv[3], path], check=True)
print(s.recv(100).decode())
`;
    for (const path of [join(folder, 'notify'), '@cutcard-test-notify']) {
      const run = spawnSync('python3', ['-c', script, path, process.execPath, addon], {
        encoding: 'utf8',
      });
      expect([run.stdout, run.stderr]).toEqual(['READY=1\n', '']);
    }
  });

  it('finds no GPIO chip on a machine without one, and says so', () => {
    const { chips, refused } = listChips(loadNative(), folder);
    expect([chips, refused]).toEqual([[], []]);
  });
});

describe('the layout of uAPI v2', () => {
  const line = (name: string, offset: number, more: Partial<LineSpec> = {}): LineSpec => ({
    name,
    chip: 'pinctrl-sim',
    offset,
    activeLow: false,
    bias: 'as-is',
    debounceUs: 0,
    ...more,
  });
  const u32 = (bytes: Uint8Array, at: number): number =>
    new DataView(bytes.buffer).getUint32(at, true);

  it('asks for two beams in one request, each with its own flags', () => {
    const request = inputRequest([
      line('beam-a', 17, { activeLow: true, bias: 'up' }),
      line('beam-b', 27, { debounceUs: 2000 }),
    ]);
    expect(request).toHaveLength(592);
    expect([u32(request, 0), u32(request, 4), u32(request, 560)]).toEqual([17, 27, 2]);
    expect(Buffer.from(request).toString('latin1', 256, 263)).toBe('cutcard');
    expect(u32(request, 288)).toBe(4 + 48);
    expect(u32(request, 296)).toBe(3);
    const attr = (i: number) => [0, 8, 16].map((at) => u32(request, 320 + 24 * i + at));
    expect(attr(0)).toEqual([1, 2 + 4 + 48 + 256, 1]);
    expect(attr(1)).toEqual([1, 4 + 48, 2]);
    expect(attr(2)).toEqual([3, 2000, 2]);
    expect(u32(request, 564)).toBe(1024);
  });

  it('asks for an output with its first level', () => {
    const request = outputRequest(line('gate', 16), true);
    expect([u32(request, 288), u32(request, 296)]).toEqual([8, 1]);
    expect([320, 328, 336].map((at) => u32(request, at))).toEqual([2, 1, 1]);
  });

  it("reads a chip's name and label", () => {
    const answer = new Uint8Array(GPIO.CHIPINFO_BYTES);
    answer.set(Buffer.from('gpiochip0'), 0);
    answer.set(Buffer.from('pinctrl-bcm2711'), 32);
    answer[64] = 58;
    expect(chipInfo(answer)).toEqual({ name: 'gpiochip0', label: 'pinctrl-bcm2711', lines: 58 });
  });
});
