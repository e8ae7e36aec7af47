import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Panel, pressOfLine } from '../../../controller/runtime/panel.js';
import { decode } from '../../../firmware-bridge/framing/decode.js';
import { frameOf, jsonBytes } from '../../../firmware-bridge/framing/encode.js';
import { Framer } from '../../../firmware-bridge/framing/framer.js';
import { loadProfile } from '../../../firmware-bridge/files.js';

const ACK = 0x06;
const NAK = 0x15;
const profile = loadProfile('panel', '.');

describe('a line typed at the panel', () => {
  it('is a press with the lowest role its key takes', () => {
    expect(pressOfLine('open-table')).toEqual({ key: 'open-table', role: 'dealer' });
    expect(pressOfLine('first-card 7')).toEqual({ key: 'first-card', role: 'dealer', value: 7 });
    expect(pressOfLine('cut seat 3')).toEqual({ key: 'cut', role: 'dealer', value: 'seat 3' });
    expect(pressOfLine('clear burn.over')).toMatchObject({ role: 'floor' });
  });

  it('takes another role before a colon', () => {
    expect(pressOfLine('floor: open-table')).toEqual({ key: 'open-table', role: 'floor' });
  });

  it('is answered in plain words where it cannot be sent', () => {
    expect(pressOfLine('opne-table')).toMatch(/there is no key opne-table/);
    expect(pressOfLine('boss: open-table')).toMatch(/there is no role boss: dealer, floor/);
    expect(pressOfLine('!!')).toMatch(/write KEY or KEY VALUE/);
  });
});

const LONG_MS = 20_000;

/** A panel that somebody types at, and what they read there. */
class Terminal {
  readonly input = new PassThrough();
  readonly ended: Promise<number>;
  #said = '';

  constructor() {
    const output = new PassThrough();
    output.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
    });
    const parts = { profile, host: '127.0.0.1', port: 0, input: this.input, output };
    this.ended = new Panel(parts).run(new AbortController().signal);
  }

  get said(): string {
    return this.#said;
  }

  async says(words: string): Promise<void> {
    await expect.poll(() => this.#said, { timeout: LONG_MS }).toContain(words);
  }

  /** A table at this panel, which answers as it is told to. */
  async table(answer: (value: object, table: Socket) => void): Promise<Socket> {
    await this.says('waiting for the table');
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(this.#said)?.[1]);
    const table = createConnection(port, '127.0.0.1');
    const framer = new Framer(profile.frame, {
      frame: (buffer, from, to) => {
        const { decoded } = decode(profile, buffer, from, to);
        const value = decoded.ok && decoded.says.say === 'json' ? decoded.says.value : null;
        if (typeof value === 'object' && value !== null) answer(value, table);
      },
      rejected: () => undefined,
    });
    table.on('data', (bytes) => framer.push(bytes, 0));
    return table;
  }
}

const isPress = (value: object): value is { key: unknown } => 'key' in value;

describe('the panel of a terminal', () => {
  it('waits for the table, sends each press once and says what became of it', async () => {
    const terminal = new Terminal();
    terminal.input.write('open-table\nnonsense\nfirst-card 7\n');
    const heard: object[] = [];
    const table = await terminal.table((value, socket) => {
      heard.push(value);
      const isRefused = isPress(value) && value.key !== 'open-table';
      socket.write(Uint8Array.of(isRefused ? NAK : ACK));
    });
    await terminal.says('first-card: refused');
    terminal.input.end();
    expect(await terminal.ended).toBe(2);
    table.destroy();
    expect(terminal.said).toContain('open-table: taken');
    expect(terminal.said).toContain('not sent: there is no key nonsense');
    expect(heard).toEqual([
      { identity: 'terminal panel' },
      { n: 0, key: 'open-table', role: 'dealer' },
      { n: 1, key: 'first-card', role: 'dealer', value: 7 },
    ]);
  });

  it('says in words what the table sounds and announces', async () => {
    const terminal = new Terminal();
    const table = await terminal.table((_value, socket) => socket.write(Uint8Array.of(ACK)));
    for (const value of [{ sound: 'escalate' }, { announce: 'last hand' }, { sound: 'hum' }]) {
      table.write(frameOf(profile.frame, jsonBytes(value)));
    }
    await terminal.says('table says {"sound":"hum"}');
    expect(terminal.said).toContain('panel: sound: a finding nobody has answered yet');
    expect(terminal.said).toContain('panel: announced: last hand');
    terminal.input.end();
    await terminal.ended;
    table.destroy();
  });

  it('does not take the answer to its own name for the answer to a press', async () => {
    const terminal = new Terminal();
    terminal.input.write('open-table\n');
    let isAnswered = false;
    const table = await terminal.table((value, socket) => {
      if (!isPress(value)) return;
      // Late, as of a table that is busy: first comes what is owed for the name.
      socket.write(Uint8Array.of(ACK));
      setTimeout(() => {
        isAnswered = true;
        socket.write(Uint8Array.of(NAK));
      }, 50);
    });
    await terminal.says('open-table: ');
    expect(isAnswered).toBe(true);
    expect(terminal.said).toContain('open-table: refused');
    terminal.input.end();
    await terminal.ended;
    table.destroy();
  });

  it('has no answer to a press where the table went away, whatever the next one says', async () => {
    const terminal = new Terminal();
    terminal.input.write('open-table\n');
    const first = await terminal.table((value, socket) => {
      if (isPress(value)) socket.destroy();
    });
    await once(first, 'close');
    const next = await terminal.table((_value, socket) => socket.write(Uint8Array.of(ACK)));
    await terminal.says('open-table: the table went away before it answered');
    terminal.input.end();
    expect(await terminal.ended).toBe(1);
    next.destroy();
  });
});
