import { describe, expect, it } from 'vitest';
import type { Happening } from '../../../controller/core/observation.js';
import { SimulatedClock } from '../../../controller/core/simulated-clock.js';
import { VirtualStream } from '../../../firmware-bridge/bus/virtual-stream.js';
import { DeclaredDevice, GARBAGE_FRAMES } from '../../../firmware-bridge/devices/declared.js';
import { Link, REOPEN_MAX_NS, REOPEN_MIN_NS } from '../../../firmware-bridge/devices/link.js';
import { loadProfile } from '../../../firmware-bridge/files.js';
import type { Says } from '../../../firmware-bridge/framing/says.js';

const like = (pattern: RegExp): unknown => expect.stringMatching(pattern);

const rig = (silenceNs: number | null) => {
  const clock = new SimulatedClock();
  const told: [Happening, number][] = [];
  const opens: number[] = [];
  const link: Link = new Link({
    device: 'reader',
    scheduler: clock,
    tell: (h, atNs) => told.push([h, atNs]),
    silenceNs,
    open: () => void opens.push(clock.nowNs()),
    shut: () => undefined,
  });
  return { clock, told, opens, link };
};

describe('a link', () => {
  it('tells up with its identity, down with its reason, and opens again with longer pauses', () => {
    const { clock, told, opens, link } = rig(null);
    link.start();
    link.start();
    link.up('x/1');
    link.down('cable');
    for (let i = 0; i < 8; i += 1) {
      clock.runUntil(clock.nowNs() + REOPEN_MAX_NS);
      link.down('still');
    }
    link.up();
    expect(told.map(([h]) => h)).toEqual([
      { kind: 'link.up', device: 'reader', identity: 'x/1' },
      { kind: 'link.down', device: 'reader', reason: 'cable' },
    ]);
    expect((opens[1] ?? 0) - (opens[0] ?? 0)).toBe(REOPEN_MIN_NS);
    clock.runUntil(clock.nowNs() + REOPEN_MAX_NS);
    link.up();
    expect(told.at(-1)?.[0]).toEqual({ kind: 'link.up', device: 'reader', identity: 'x/1' });
  });

  it('goes stale in silence, once, and comes back when something is heard', () => {
    const { clock, told, link } = rig(5e9);
    link.start();
    link.up();
    clock.runUntil(3e9);
    link.heard(3e9);
    clock.runUntil(7.9e9);
    expect(told).toHaveLength(1);
    clock.runUntil(30e9);
    expect(told.slice(1)).toEqual([[{ kind: 'device.stale', device: 'reader' }, 8e9]]);
    link.heard(31e9);
    expect(told.at(-1)?.[0]).toEqual({ kind: 'link.up', device: 'reader' });
  });

  it('comes to an end where a sum of times is rounded', () => {
    const { clock, told, link } = rig(17e9);
    link.start();
    link.up();
    // Beyond 104 days, or off the whole nanosecond, (a + b) - a may be less than b.
    for (let i = 1; i <= 300; i += 1) {
      clock.runUntil(clock.nowNs() + 1e9 / 7 + 30e9);
      link.heard(clock.nowNs());
    }
    clock.runUntil(clock.nowNs() + 30e9);
    expect(told.filter(([h]) => h.kind === 'device.stale')).toHaveLength(301);
  });

  it('does nothing any more when it was stopped', () => {
    const { clock, told, opens, link } = rig(5e9);
    link.start();
    link.up();
    link.down('gone');
    link.stop();
    link.stop();
    clock.runUntil(60e9);
    expect(opens).toHaveLength(1);
    expect(told).toHaveLength(2);
  });
});

const declaredRig = (name: string) => {
  const clock = new SimulatedClock();
  const profile = loadProfile(name, '/');
  const stream = new VirtualStream(clock, profile.line.baud);
  const told: Happening[] = [];
  const said: Says[] = [];
  const answers: number[] = [];
  stream.onWrite = (bytes) => answers.push(...bytes);
  const device: DeclaredDevice = new DeclaredDevice({
    name: 'shuffler',
    scheduler: clock,
    stream,
    profile,
    onSays: (says) => {
      said.push(says);
      return true;
    },
  });
  device.start((h) => told.push(h));
  clock.runUntil(1e6);
  const hear = (text: string): void => {
    clock.runUntil(
      stream.say(
        Uint8Array.from(text, (c) => c.charCodeAt(0)),
        clock.nowNs(),
      ),
    );
  };
  return { clock, stream, device, told, said, answers, hear };
};

describe('a declared device', () => {
  it('drops a message that was sent again, not one that only looks alike', () => {
    const { hear, said } = declaredRig('shuffler-lines');
    hear('#01 JAM\r\n#01 JAM\r\n#02 JAM\r\nJAM\r\nJAM\r\n');
    expect(said).toHaveLength(4);
  });

  it('names its machine once', () => {
    const { hear, told } = declaredRig('shuffler-stx');
    hear('\x02ID box 7\x03\x02ID box 7\x03');
    expect(told).toEqual([
      { kind: 'link.up', device: 'shuffler' },
      { kind: 'link.up', device: 'shuffler', identity: 'box 7' },
    ]);
  });

  it('calls garbage by its name and listens again', () => {
    const { clock, hear, told, device } = declaredRig('shuffler-stx');
    for (let i = 0; i < GARBAGE_FRAMES; i += 1) hear('\x02XYZ\x03');
    expect(told.at(-1)).toMatchObject({
      kind: 'link.down',
      reason: like(/garbage.*9600 baud/),
    });
    clock.runUntil(clock.nowNs() + 1e9);
    expect(told.at(-1)).toMatchObject({ kind: 'link.up' });
    expect(device.status().state).toBe('up');
  });

  it('goes stale when the machine falls silent and up when it speaks', () => {
    const { clock, hear, told } = declaredRig('shuffler-stx');
    clock.runUntil(20e9);
    expect(told.at(-1)).toEqual({ kind: 'device.stale', device: 'shuffler' });
    hear('\x02ALIVE\x03');
    expect(told.at(-1)).toMatchObject({ kind: 'link.up' });
  });

  it('answers only where the profile says so', () => {
    const silent = declaredRig('shuffler-stx');
    silent.hear('\x02JAM\x03\x02BAD\x03');
    expect(silent.answers).toEqual([]);
    const talking = declaredRig('shuffler-binary');
    talking.hear('\xa5\x02\x13\x01\x00\x00');
    expect(talking.answers).toEqual([0x15]);
  });
});
