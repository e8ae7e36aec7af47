import { describe, expect, it } from 'vitest';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { loadBoard } from '../../../firmware-bridge/boards/load.js';
import { BoardBridge } from '../../../firmware-bridge/bridge.js';
import type { Buses } from '../../../firmware-bridge/bus/buses.js';
import { BusError } from '../../../firmware-bridge/bus/errors.js';
import type { EdgeSink, LineSpec } from '../../../firmware-bridge/bus/gpio.js';
import type { I2cDone } from '../../../firmware-bridge/bus/i2c.js';
import type { ByteStream, StreamSink } from '../../../firmware-bridge/bus/stream.js';
import { BusWatch } from '../../../firmware-bridge/watch/bus-watch.js';

const line: LineSpec = {
  name: 'beam-a',
  chip: 'virtual',
  offset: 4,
  activeLow: false,
  bias: 'off',
  debounceUs: 0,
};

/** Buses whose other end a test holds. */
const rig = () => {
  const clock = new SimulatedClock();
  const held: { edge: EdgeSink | null; i2c: I2cDone | null; set: boolean[] } = {
    edge: null,
    i2c: null,
    set: [],
  };
  const sinks = new Map<string, StreamSink>();
  const stream = (name: string): ByteStream => ({
    open: (sink) => {
      sinks.set(name, sink);
      sink.opened();
    },
    write: () => undefined,
    close: () => undefined,
  });
  const input = (sink: EdgeSink) => {
    held.edge = sink;
    return { read: () => true, close: () => undefined };
  };
  const buses: Buses = {
    gpio: {
      input: (_line, sink) => input(sink),
      inputs: (_lines, list) => list.map(input),
      output: () => ({ set: (active) => held.set.push(active), close: () => undefined }),
      close: () => undefined,
    },
    i2c: {
      head: {
        read: (_address, _register, _length, done) => (held.i2c = done),
        write: (_address, _bytes, done) => (held.i2c = done),
        close: () => undefined,
      },
    },
    streams: { shuffler: stream('shuffler'), reader: stream('reader'), badge: stream('badge') },
  };
  const watch = new BusWatch(buses, loadBoard('virtual'), clock);
  return { clock, held, sinks, watch };
};

const heard: string[] = [];
const deaf: StreamSink = {
  opened: () => heard.push('opened'),
  bytes: (chunk) => heard.push(`${chunk.length} bytes`),
  closed: (reason) => heard.push(reason),
};

describe('what went over the buses last', () => {
  it('keeps a line’s level with the kernel’s time, and its last error beside it', () => {
    const { held, watch, clock } = rig();
    const edges: string[] = [];
    watch.buses.gpio.input(line, {
      edge: (active, atNs, seq) => edges.push(`${active} ${atNs} ${seq}`),
      fault: (error) => edges.push(error.message),
    });
    held.edge?.edge(true, 700, 1);
    clock.runUntil(5e9);
    held.edge?.fault(new BusError('io', 'the chip is away', ''));
    const seen = watch.lines.get('beam-a');
    expect(seen).toMatchObject({ active: true, atNs: 700, changes: 1, error: 'the chip is away' });
    expect(seen?.errorNs).toBe(5e9);
    expect(edges).toEqual(['true 700 1', 'the chip is away']);
  });

  it('shows every line of the board’s devices, and why those of a missing chip are not had', () => {
    const clock = new SimulatedClock();
    const missing = (): never => {
      throw new BusError('absent', 'there is no such chip', '');
    };
    const gpio = { input: missing, inputs: missing, output: missing, close: () => undefined };
    const board = loadBoard('dev-buttons');
    const { panel: _panel, ...devices } = board.devices;
    const buses = { gpio, i2c: {}, streams: {} };
    const bridge = new BoardBridge({ ...board, devices, streams: {} }, buses, clock);
    void bridge.start(() => undefined);
    const seen = [...bridge.watch.lines.values()];
    expect(seen.map(({ spec }) => spec.name)).toEqual([
      ...['beam-a', 'beam-b', 'gate', 'tower-green', 'tower-amber', 'tower-red', 'buzzer', 'lid'],
    ]);
    for (const { error, errorNs, atNs } of seen) {
      expect(error).toBe('there is no such chip');
      expect([errorNs, atNs]).toEqual([0, -1]);
    }
    expect(bridge.watch.lines.get('tower-red')?.direction).toBe('out');
    expect(bridge.watch.lines.get('beam-b')?.direction).toBe('in');
    void bridge.stop();
  });

  it('counts an output’s changes, not how often it is told', () => {
    const { held, watch } = rig();
    const out = watch.buses.gpio.output({ ...line, name: 'gate' }, false);
    for (const active of [true, true, false]) out.set(active);
    expect(held.set).toEqual([true, true, false]);
    expect(watch.lines.get('gate')).toMatchObject({ direction: 'out', active: false, changes: 2 });
  });

  it('keeps what a register said last, and that it did not answer', () => {
    const { held, watch } = rig();
    const done: string[] = [];
    const note: I2cDone = (error, bytes) => done.push(error?.message ?? String(bytes.length));
    watch.buses.i2c['head']?.read(0x29, 0x14, 2, note);
    held.i2c?.(null, Uint8Array.of(1, 2));
    watch.buses.i2c['head']?.read(0x29, 0x14, 2, note);
    held.i2c?.(new BusError('io', 'no answer', ''), new Uint8Array(0));
    watch.buses.i2c['head']?.write(0x20, Uint8Array.of(0x12, 0xff), note);
    const read = watch.registers.get('head/41/20');
    expect([...(read?.bytes.subarray(0, read.length) ?? [])]).toEqual([1, 2]);
    expect(read?.error).toBe('no answer');
    const written = watch.registers.get('head/32/-1');
    expect([...(written?.bytes.subarray(0, written.length) ?? [])]).toEqual([0x12, 0xff]);
    expect(done).toEqual(['2', 'no answer']);
  });

  it('keeps a stream’s newest bytes, but none of ranks and badges', () => {
    const { sinks, watch } = rig();
    for (const name of ['shuffler', 'reader', 'badge']) {
      watch.buses.streams[name]?.open(deaf);
      sinks.get(name)?.bytes(Uint8Array.of(2, 0x37, 0x68, 3), 50);
    }
    sinks.get('shuffler')?.bytes(new Uint8Array(100).fill(9), 60);
    sinks.get('shuffler')?.closed('unplugged');
    const shuffler = watch.streams.get('shuffler');
    expect(shuffler).toMatchObject({
      device: 'shuffler',
      isOpen: false,
      received: 104,
      length: 32,
    });
    expect(shuffler).toMatchObject({ atNs: 60, error: 'unplugged', isSecret: false });
    for (const name of ['reader', 'badge']) {
      const secret = watch.streams.get(name);
      expect(secret).toMatchObject({ isSecret: true, received: 4, length: 0, isOpen: true });
      expect([...(secret?.bytes ?? [])].every((byte) => byte === 0)).toBe(true);
    }
    expect(heard.filter((word) => word.endsWith('bytes'))).toHaveLength(4);
  });
});
