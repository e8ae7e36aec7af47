import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { brokerFindings } from '../../controller/runtime/broker-finding.js';
import { readConfigFile } from '../../controller/runtime/config-file.js';
import { partyNameOf } from '../../surveillance/broker/floor-plan.js';
import { clientIdOf } from '../../surveillance/contract/topics.js';
import { makeAuthority } from '../../surveillance/identity/authority.js';
import { deviceFiles } from '../../surveillance/identity/device.js';
import { needsProgram } from '../support/needs.js';
import { NAME } from '../unit/surveillance/rows.js';
import { HOST, House } from '../support/house.js';
import { Mosquitto, whyNoMosquitto } from './mqtt-tools.js';

const why = whyNoMosquitto() ?? needsProgram('openssl');
beforeEach((context) => {
  if (why !== null) context.skip(why);
});

describe('what the doctor says of the broker', () => {
  const [house, strangers] = [new House<Mosquitto>(), new House<Mosquitto>()];
  let port = 0;

  /** A table with the files of one house that trusts the authority of this or another. */
  const findings = async (home: string, ca: string, url: string) => {
    const { key, certificate } = deviceFiles(home);
    const file = join(house.dir, 'table.yaml');
    const lines = [
      'config: 1',
      `place: { site: ${NAME.site}, pit: ${NAME.pit}, table: ${NAME.table} }`,
      'procedure: pa/627a-minibaccarat',
      'table: { decks: 8 }',
      'board: virtual',
      ...(url === ''
        ? []
        : [
            `broker: { url: "${url}", caFile: "${ca}/ca.crt", certFile: "${certificate}",`,
            `  keyFile: "${key}" }`,
          ]),
    ];
    writeFileSync(file, lines.join('\n'));
    const read = readConfigFile(file);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const found = await brokerFindings(read.loaded);
    return found.map(({ state, what, seen, cure }) => `${state} ${what}: ${seen} (${cure})`);
  };

  let mine = '';
  let theirs = '';
  beforeAll(async () => {
    if (why !== null) return;
    makeAuthority(house.ca, 'north-ca');
    makeAuthority(strangers.ca, 'south-ca');
    mine = house.identity('t04', clientIdOf(NAME));
    theirs = strangers.identity('t04', clientIdOf(NAME));
    const { key, certificate } = deviceFiles(
      house.identity('broker', partyNameOf('north', 'broker'), { hosts: [HOST] }),
    );
    house.use(
      await Mosquitto.start((listen) => {
        port = listen;
        return `listener ${listen} ${HOST}
cafile ${house.ca}/ca.crt
certfile ${certificate}
keyfile ${key}
require_certificate true
use_identity_as_username true
tls_version tlsv1.3
allow_anonymous false
user root
`;
      }),
    );
  });
  afterAll(async () => {
    await house.broker?.stop();
    for (const { dir } of [house, strangers]) rmSync(dir, { recursive: true, force: true });
  });
  const url = (): string => `mqtts://${HOST}:${port}`;

  it('a broker that takes the certificate is well', async () => {
    const said = await findings(mine, house.ca, url());
    expect(said).toHaveLength(2);
    expect(said[1]).toBe('ok broker login: taken, MQTT 5 ()');
  });

  it('another authority, and a certificate of another house, are named with the cure', async () => {
    for (const said of [
      await findings(mine, strangers.ca, url()),
      await findings(theirs, house.ca, url()),
    ]) {
      expect(said[0]).toMatch(/^ok broker/);
      expect(said[1]).toMatch(/^fail broker login: mqtts:.* cannot be used: .*provision status/);
    }
  });

  it('nobody there: one line; none configured: a warning that says what that means', async () => {
    const nobody = await findings(mine, house.ca, `mqtts://${HOST}:1`);
    expect(nobody).toHaveLength(1);
    expect(nobody[0]).toMatch(/^fail broker/);
    const none = await findings(mine, house.ca, '');
    expect(none).toEqual([expect.stringMatching(/^warn broker: none configured/)]);
  });
});
