import { describe, expect, it } from 'vitest';
import {
  plainFloorConfig,
  readFloorConfig,
} from '../../../controller/runtime/floor/floor-config.js';
import { connectDesk } from '../../../surveillance/mqtt/desk.js';

const BARE = /would cross the network unprotected.* mqtts:\/\//;

describe('a broker without TLS', () => {
  it('is taken on this machine only, by the floor', () => {
    expect(plainFloorConfig({ broker: 'mqtt://127.0.0.1:1883' }).broker.url).toMatch(/127/);
    expect(plainFloorConfig({ broker: 'mqtt://[::1]:1883' }).broker.url).toMatch(/::1/);
    expect(() => plainFloorConfig({ broker: 'mqtt://10.0.0.5:1883' })).toThrow(BARE);
    const text = 'broker: { url: "mqtt://house:1883", username: floor, passwordFile: secret }';
    expect(() => readFloorConfig(text, 'floor.yaml')).toThrow(/^floor\.yaml: broker\.url: /);
    expect(() => readFloorConfig(text, 'floor.yaml')).toThrow(BARE);
  });

  it('is taken on this machine only, by a desk, before a password is read', () => {
    const away = { broker: 'mqtt://10.0.0.5', username: 'desk', passwordFile: '/no/such/file' };
    expect(() => connectDesk(away)).toThrow(BARE);
    expect(() => connectDesk({ broker: 'mqtt://127.0.0.1:x@10.0.0.5' })).toThrow(BARE);
  });
});

describe('a configuration of the floor', () => {
  it('is told what is wrong in plain words', () => {
    const told = (text: string): string => {
      try {
        readFloorConfig(text, 'f.yaml');
        return 'taken';
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
    };
    const broker = 'broker: { url: "mqtt://127.0.0.1:1", protocol: 4 }';
    expect(told(broker)).toContain('broker.protocol: takes 5 or 3.1.1');
    expect(told('site: north')).toContain('broker: is missing: it takes a block of `key: value`');
    const fine = 'broker: { url: "mqtt://127.0.0.1:1" }';
    expect(told(`${fine}\nretentionYears: 90`)).toContain('retentionYears: is to be at most 50');
    expect(told(`${fine}\ncolour: red`)).toContain('file: there is no key `colour` here');
    expect(told('a: &a [1]\nb: *a')).toContain('f.yaml: references (*name) are not taken');
  });
});
