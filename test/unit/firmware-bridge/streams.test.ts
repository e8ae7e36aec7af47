import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cancel, Scheduler } from '../../../controller/core/ports.js';
import { SerialStream } from '../../../firmware-bridge/bus/serial.js';
import type { ByteStream, StreamSink } from '../../../firmware-bridge/bus/stream.js';
import { TcpStream } from '../../../firmware-bridge/bus/tcp.js';
import { VirtualStream } from '../../../firmware-bridge/bus/virtual-stream.js';

/** The contract runs in real time: two of the backends have a kernel behind them. */
class Clock implements Scheduler {
  nowNs(): number {
    return Number(process.hrtime.bigint());
  }
  wallMs(): number {
    return Date.now();
  }
  wallTrusted(): boolean {
    return false;
  }
  at(dueNs: number, task: () => void): Cancel {
    const timer = setTimeout(task, Math.max(0, (dueNs - this.nowNs()) / 1e6));
    return () => clearTimeout(timer);
  }
}

/** The far end of a stream under test. */
interface FarEnd {
  readonly stream: ByteStream;
  say(text: string): void;
  readonly heard: string[];
  pull(): void;
  plug(): Promise<void>;
  end(): Promise<void>;
}

const until = async (done: () => boolean): Promise<void> => {
  for (let i = 0; i < 500 && !done(); i += 1) await pause(10);
};

const virtualEnd = (): Promise<FarEnd> => {
  const stream = new VirtualStream(new Clock(), 115_200);
  const heard: string[] = [];
  stream.onWrite = (bytes) => heard.push(Buffer.from(bytes).toString('latin1'));
  return Promise.resolve({
    stream,
    heard,
    say: (text) => void stream.say(Buffer.from(text, 'latin1'), 0),
    pull: () => stream.plug(false),
    plug: () => {
      stream.plug(true);
      return Promise.resolve();
    },
    end: () => Promise.resolve(),
  });
};

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });

const tcpEnd = async (): Promise<FarEnd> => {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  const serve = (): Server =>
    createServer((socket) => {
      sockets.add(socket);
      socket.on('data', (chunk) => heard.push(chunk.toString('latin1')));
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    });
  let server = serve();
  const port = await listen(server, 0);
  const stop = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    stream: new TcpStream('127.0.0.1', port, new Clock()),
    heard,
    say: (text) => sockets.forEach((socket) => socket.write(text, 'latin1')),
    pull: stop,
    plug: async () => {
      server = serve();
      await listen(server, port);
    },
    end: () => {
      stop();
      return Promise.resolve();
    },
  };
};

/** A pseudo terminal held by a small program: what it is told comes out of the port. */
const PTY = `
import os, pty, sys, tty, threading
master, slave = pty.openpty()
tty.setraw(slave)
link = sys.argv[1]
if os.path.islink(link): os.unlink(link)
os.symlink(os.ttyname(slave), link)
os.close(slave)
keep = os.open(os.readlink(link), os.O_RDWR | os.O_NOCTTY)
tty.setraw(keep)
def out():
    while True:
        os.write(1, os.read(master, 4096))
threading.Thread(target=out, daemon=True).start()
while True:
    data = os.read(0, 4096)
    if not data: break
    os.write(master, data)
`;

const serialEnd = async (folder: string): Promise<FarEnd> => {
  const link = join(folder, 'port');
  const heard: string[] = [];
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    rmSync(link, { force: true });
    child = spawn('python3', ['-c', PTY, link], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdout?.on('data', (chunk: Buffer) => heard.push(chunk.toString('latin1')));
    await until(() => {
      try {
        return readlinkSync(link) !== '';
      } catch {
        return false;
      }
    });
    await pause(50);
  };
  await start();
  const line = { baud: 9600, dataBits: 8, parity: 'none', stopBits: 1 } as const;
  const stop = (): void => {
    child?.kill('SIGKILL');
    child = null;
    rmSync(link, { force: true });
  };
  return {
    stream: new SerialStream(link, line, new Clock()),
    heard,
    say: (text) => void child?.stdin?.write(Buffer.from(text, 'latin1')),
    pull: stop,
    plug: start,
    end: () => {
      stop();
      return Promise.resolve();
    },
  };
};

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cutcard-streams-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['virtual', () => virtualEnd()],
  ['tcp', () => tcpEnd()],
  ['serial', () => serialEnd(folder)],
] as const)('a byte stream over %s', (_name, make) => {
  it('opens, carries every byte both ways, tells the loss, and opens again', async () => {
    const far = await make();
    const events: string[] = [];
    let text = '';
    let lastNs = 0;
    const sink: StreamSink = {
      opened: () => events.push('opened'),
      bytes: (chunk, atNs) => {
        text += Buffer.from(chunk).toString('latin1');
        expect(atNs).toBeGreaterThanOrEqual(lastNs);
        lastNs = atNs;
      },
      closed: (reason) => {
        expect(reason).not.toBe('');
        events.push('closed');
      },
    };
    far.stream.open(sink);
    await until(() => events.length > 0);
    await pause(30);
    const every = String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i));
    far.say(every);
    await until(() => text.length >= 256);
    expect(text).toBe(every);
    far.stream.write(Buffer.from('\x06\x15', 'latin1'));
    await until(() => far.heard.join('').length >= 2);
    expect(far.heard.join('')).toBe('\x06\x15');

    far.pull();
    await until(() => events.length > 1);
    expect(events).toEqual(['opened', 'closed']);
    far.stream.write(Buffer.from('lost'));

    far.stream.open(sink);
    await until(() => events.length > 2);
    expect(events).toEqual(['opened', 'closed', 'closed']);

    await far.plug();
    far.stream.open(sink);
    await until(() => events.length > 3);
    expect(events.at(-1)).toBe('opened');
    text = '';
    far.say('back');
    await until(() => text.length >= 4);
    expect(text).toBe('back');

    far.stream.close();
    far.stream.close();
    await pause(50);
    expect(events).toHaveLength(4);
    await far.end();
  });
});
