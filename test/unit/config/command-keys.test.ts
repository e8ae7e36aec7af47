import { describe, expect, it } from 'vitest';
import { readCommandKeys } from '../../../controller/config/command-keys.js';

const publicKey = Buffer.alloc(32, 7).toString('base64');

describe('the list of who may command a table', () => {
  it('takes names, roles and public keys', () => {
    const text = `- { name: floor-1, role: floor, publicKey: "${publicKey}" }\n`;
    expect(readCommandKeys(text, 'keys.yaml')).toEqual([
      { name: 'floor-1', role: 'floor', publicKey },
    ]);
    expect(readCommandKeys('', 'keys.yaml')).toEqual([]);
  });

  it.each([
    ['[', /keys\.yaml:1: not readable as YAML/],
    ['- { name: a, role: boss, publicKey: x }', /keys\.yaml: entry 0\.role: .*write a list/],
    [`- { name: a, role: floor, publicKey: short }`, /entry 0\.publicKey/],
    [`- { name: a, role: floor, publicKey: "${publicKey}", more: 1 }`, /entry 0/],
  ])('refuses %s with the place and what to write', (text, message) => {
    expect(() => readCommandKeys(text, 'keys.yaml')).toThrow(message);
  });
});
