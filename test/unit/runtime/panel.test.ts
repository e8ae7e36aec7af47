import { createConnection, createServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Panel, pressOfLine } from '../../../controller/runtime/panel.js';
import { decode } from '../../../firmware-bridge/framing/decode.js';
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

describe('the panel of a terminal', () => {
  it('waits for the table, sends each press once and says what became of it', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    let said = '';
    output.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const port = await freePort();
    const parts = { profile, host: '127.0.0.1', port, input, output };
    const ended = new Panel(parts).run(new AbortController().signal);
    input.write('open-table\nnonsense\nfirst-card 7\n');
    await expect.poll(() => said, { timeout: 20_000 }).toContain('waiting for the table');

    const heard: unknown[] = [];
    const table = createConnection(port, '127.0.0.1');
    const framer = new Framer(profile.frame, {
      frame: (buffer, from, to) => {
        const { decoded } = decode(profile, buffer, from, to);
        const value = decoded.ok && decoded.says.say === 'json' ? decoded.says.value : null;
        heard.push(value);
        const isPress = typeof value === 'object' && value !== null && 'key' in value;
        if (isPress) table.write(Uint8Array.of(value.key === 'open-table' ? ACK : NAK));
      },
      rejected: () => undefined,
    });
    table.on('data', (bytes) => framer.push(bytes, 0));
    await expect.poll(() => said, { timeout: 20_000 }).toContain('first-card: refused');
    input.end();
    expect(await ended).toBe(2);
    table.destroy();
    expect(said).toContain('open-table: taken');
    expect(said).toContain('not sent: there is no key nonsense');
    expect(heard).toEqual([
      { identity: 'terminal panel' },
      { n: 0, key: 'open-table', role: 'dealer' },
      { n: 1, key: 'first-card', role: 'dealer', value: 7 },
    ]);
  });
});

/** A port that was free a moment ago. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
