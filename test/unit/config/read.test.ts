import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fitProblems, tableOf } from '../../../controller/config/fit.js';
import {
  configJsonSchema,
  configProblemText,
  readConfig,
} from '../../../controller/config/read.js';
import { isLoopback } from '../../../controller/config/loopback.js';
import { hostPort } from '../../../controller/config/schema.js';
import { DEFAULT_POLICY } from '../../../controller/core/procedure.js';
import { plainProcedure, plainRules } from '../../fakes/rules.js';

const example = readFileSync(
  new URL('../../../controller/config/example.yaml', import.meta.url),
  'utf8',
);

const least = [
  'config: 1',
  'place: { site: house, pit: p1, table: t1 }',
  'procedure: pa/631a-baccarat',
  'table: { decks: 8 }',
  'board: virtual',
].join('\n');

const problemsOf = (text: string): string[] => {
  const read = readConfig(text, 'table.yaml');
  return read.ok ? [] : read.problems.map(configProblemText);
};

describe('the configuration', () => {
  it('takes the documented example, whose values are the defaults it claims', () => {
    const read = readConfig(example, 'example.yaml');
    expect(read).toMatchObject({ ok: true, config: { place: { table: 'bac-01' } } });
    expect(read.ok && tableOf(read.config).policy).toEqual(DEFAULT_POLICY);
    const commented = example
      .replaceAll(
        /^# ((?:broker|deviceKeyFile|commandKeysFile|shufflerProfile|calibration):| {2}\w+:)/gm,
        '$1',
      )
      .replaceAll(/^# {3}(\w+:)/gm, '  $1');
    expect(problemsOf(commented)).toEqual([]);
    expect(readConfig(commented, 'x')).toMatchObject({ config: { broker: { protocol: 5 } } });
  });

  it('fills what is left out', () => {
    const read = readConfig(least, 'table.yaml');
    expect(read).toMatchObject({
      ok: true,
      config: { journal: 'cutcard.journal', keepDays: 30, log: 'info' },
    });
    expect(read.ok && read.config.table).toEqual({
      decks: 8,
      crew: 1,
      seats: 7,
      dealing: 'shoe',
      shuffler: 'none',
      reader: 'none',
      batches: ['red'],
      enforcement: 'lock',
      policy: DEFAULT_POLICY,
    });
  });

  it.each([
    [
      'an unknown key',
      `${least}\nbord: x`,
      /^table\.yaml:6: bord: there is no such key; did you mean `board`\?$/,
    ],
    [
      'an unknown key inside a block',
      least.replace('decks: 8', 'decks: 8, sets: 7'),
      /table\.yaml:4: table\.sets: there is no such key; did you mean `seats`/,
    ],
    [
      'a key that is nothing like any',
      `${least}\nxyzzy: 1`,
      /6: xyzzy: there is no such key; it takes config, place,/,
    ],
    [
      'a missing key',
      least.replace(/board.*/, ''),
      /table\.yaml:1: board: it is missing; write board: `virtual`/,
    ],
    [
      'a wrong word',
      least.replace('decks: 8', 'decks: 8, shuffler: counter'),
      /4: table\.shuffler: "counter" is not taken; write the machine: `none`/,
    ],
    [
      'a number out of range',
      least.replace('decks: 8', 'decks: 80'),
      /4: table\.decks: 80 is not taken; write decks in one stack: a whole number from 1 to 12/,
    ],
    [
      'text for a number',
      least.replace('decks: 8', 'decks: eight'),
      /table\.decks: "eight" is not taken/,
    ],
    [
      'a name no topic may carry',
      least.replace('t1', 'T/1'),
      /2: place\.table: "T\/1" is not taken; write name of the table/,
    ],
    [
      'a block where a value belongs',
      least.replace('board: virtual', 'board: { a: 1 }'),
      /5: board: this kind of value is not taken/,
    ],
    [
      'another version',
      least.replace('config: 1', 'config: 2'),
      /1: config: 2 is not taken; write version of this format: 1/,
    ],
    [
      'plain MQTT across the network',
      `${least}\nbroker:\n  url: mqtt://10.0.0.5:1883`,
      /7: broker\.url: messages would cross the network unprotected/,
    ],
    [
      'plain MQTT across the network behind a name that looks like this machine',
      `${least}\nbroker:\n  url: mqtt://127.0.0.1:x@10.0.0.5:1883`,
      /7: broker\.url: messages would cross the network unprotected/,
    ],
    [
      'TLS without its files',
      `${least}\nbroker: { url: "mqtts://b:8883", caFile: a, certFile: b }`,
      /6: broker\.keyFile: mqtts:\/\/ needs it/,
    ],
    [
      'a password without a name',
      `${least}\nbroker: { url: "mqtt://127.0.0.1:1", passwordFile: a }`,
      /broker\.passwordFile: there is a password and no name/,
    ],
    [
      'a page for everybody',
      `${least}\npage: { listen: "0.0.0.0:80" }`,
      /page\.listen: there is no login/,
    ],
    [
      'passwords on a bare line',
      `${least}\npage: { listen: "10.0.0.5:80", usersFile: users.yaml }`,
      /6: page\.listen: passwords would cross the network unprotected; give tls/,
    ],
    [
      'a proxy that vouches for whom nobody knows',
      `${least}\npage: { proxy: { addresses: [127.0.0.1] } }`,
      /page\.proxy: .*no list says what they may; give usersFile/,
    ],
    [
      'a proxy by its name',
      `${least}\npage: { usersFile: u, proxy: { addresses: [lb-1] } }`,
      /page\.proxy\.addresses\[0\]: "lb-1" is not taken/,
    ],
    [
      'a port there is not',
      `${least}\npage: { listen: "127.0.0.1:99999" }`,
      /page\.listen: the port is above 65535/,
    ],
    [
      'one colour twice',
      least.replace('decks: 8', 'decks: 8, batches: [red, red]'),
      /table\.batches: a colour is named twice/,
    ],
    [
      'a bad colour',
      least.replace('decks: 8', 'decks: 8, batches: [red, 7]'),
      /table\.batches\[1\]: 7 is not taken/,
    ],
    ['no YAML', 'config: [1', /table\.yaml:1: file: not readable as YAML/],
    [
      'one key twice',
      `${least}\nboard: pi4`,
      /6: file: not readable as YAML: Map keys must be unique/,
    ],
    ['a reference', `${least}\nlog: *x`, /references|Unresolved alias/],
    ['nothing', '', /file: .*/],
    ['a list', '- 1', /file: this kind|file: \[1\] is not taken/],
  ])('refuses %s, naming line, field, cause and cure', (_what, text, message) => {
    const problems = problemsOf(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join('\n')).toMatch(message);
  });

  it('reports everything at once, in the order of the file', () => {
    const text = `${least.replace('decks: 8', 'decks: 0')}\nlog: loud\nfoo: 1`;
    expect(problemsOf(text).map((line) => line.split(':')[1])).toEqual(['4', '6', '7']);
  });

  it('refuses a file too long to be one', () => {
    expect(problemsOf(`#${'x'.repeat(100_001)}`)[0]).toMatch(/longer than 100000/);
  });

  it('prints a JSON schema that closes every block', () => {
    const schema = JSON.stringify(configJsonSchema());
    expect(schema).toContain('draft/2020-12');
    expect(schema.match(/"properties":\{/g)?.length).toBe(
      schema.match(/"additionalProperties":false/g)?.length,
    );
  });

  it('knows hosts and ports', () => {
    expect(hostPort('127.0.0.1:80')).toEqual({ host: '127.0.0.1', port: 80 });
    expect(hostPort('[::1]:80')).toEqual({ host: '::1', port: 80 });
    expect(hostPort('a:99999')).toBeNull();
    expect(isLoopback('127.3.2.1')).toBe(true);
    expect(isLoopback('localhost')).toBe(true);
    expect(isLoopback('127.0.0.1.example')).toBe(false);
  });
});

describe('a table and its procedure', () => {
  it('go together or say why not', () => {
    const { table } = plainRules;
    expect(fitProblems(plainProcedure, table)).toEqual([]);
    const strict = {
      ...plainProcedure,
      dealing: ['hand'] as const,
      deck: { ...plainProcedure.deck, decksMin: 6, decksMax: 6, alternate: true },
    };
    const problems = fitProblems(strict, { ...table, shuffler: 'none' });
    expect(problems.map(({ key }) => key)).toEqual(['decks', 'dealing', 'shuffler', 'batches']);
    expect(problems[0]?.cause).toBe('test/plain is played with 6 decks (policy:test), not 8');
  });
});
