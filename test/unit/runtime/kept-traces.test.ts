import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../controller/runtime/log-port.js';
import { runTrace } from '../../../controller/runtime/trace-run.js';

/**
 * Sessions that were recorded (`cutcard run --record`) and what they came to: put a new one beside
 * these, with the output of `cutcard run --trace FILE --json` as `NAME.expected.json`.
 */
const FOLDER = 'test/fixtures/traces';
const names = readdirSync(FOLDER).flatMap((file) => /^(.+)\.jsonl$/.exec(file)?.[1] ?? []);

describe('recorded sessions', () => {
  it('there are some', () => expect(names).not.toEqual([]));

  it.each(names)('%s comes to what it came to', async (name) => {
    const run = { file: `${FOLDER}/${name}.jsonl`, broker: null, log: silentLog, version: 'test' };
    const summary = await runTrace(run, new AbortController().signal);
    const expected: unknown = JSON.parse(readFileSync(`${FOLDER}/${name}.expected.json`, 'utf8'));
    expect(summary).toEqual(expected);
  });
});
