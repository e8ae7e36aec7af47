import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadFloorConfig } from '../../../controller/runtime/floor/floor-config.js';

const folder = mkdtempSync(join(tmpdir(), 'cutcard-floor-config-'));
const file = join(folder, 'floor.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

const withHeader = (header: string): ReturnType<typeof loadFloorConfig> => {
  writeFileSync(
    file,
    'site: north\nstore: floor.db\nbroker: { url: "mqtt://127.0.0.1:1883" }\n' +
      'usersFile: users.yaml\nlisten:\n' +
      `  proxy: { addresses: ["127.0.0.1"], userHeader: ${header} }\n`,
  );
  return loadFloorConfig(file);
};

test('a proxy names people in a header of its own, in none where a stranger comes first', () => {
  expect(withHeader('x-remote-user').listen.proxy?.userHeader).toBe('x-remote-user');
  for (const header of ['from', 'authorization', 'user-agent', 'X-Remote-User', 'cookie']) {
    expect(() => withHeader(header), header).toThrow(/userHeader/);
  }
});
