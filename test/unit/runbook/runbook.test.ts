import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FINDING_CODES } from '../../../controller/core/finding.js';
import { FINDING_RULES } from '../../../controller/core/finding-rules.js';
import { PRESS_KEYS } from '../../../controller/core/press-parse.js';
import { READERS } from '../../../controller/runtime/runbook/entry.js';
import {
  answer,
  FAULT_GROUPS,
  GENERATED_FROM_HERE,
  RUNBOOK,
  runbookPage,
} from '../../../controller/runtime/runbook/runbook.js';

describe('the runbook', () => {
  it('docs/RUNBOOK.md is up to date (npm run runbook)', () => {
    const page = readFileSync('docs/RUNBOOK.md', 'utf8');
    expect(page.slice(page.indexOf(GENERATED_FROM_HERE))).toBe(
      `${GENERATED_FROM_HERE}\n\n${runbookPage()}`,
    );
  });

  it.each(FINDING_CODES)('%s: somebody has something to do, and whoever may clear it', (code) => {
    const entry = RUNBOOK[code];
    expect(entry.means).toMatch(/[.]$/);
    const busy = READERS.filter((reader) => entry[reader] !== '');
    expect(busy).not.toEqual([]);
    for (const reader of busy) expect(entry[reader]).toMatch(/[.]$/);
    const { severity } = FINDING_RULES[code];
    if (severity === 'stop') {
      // No card may leave: the dealer must be told so, and the floor how to end it.
      expect(entry.dealer).not.toBe('');
      expect(entry.floor).not.toBe('');
    }
    if (severity === 'hold') expect(entry.dealer).not.toBe('');
  });

  it.each(FINDING_CODES)('%s: what stands in ticks for dealer and floor is a key', (code) => {
    const { dealer, floor } = RUNBOOK[code];
    // The floor's page puts the key of that name at the finding.
    for (const [, name] of `${dealer} ${floor}`.matchAll(/`([^`]*)`/g)) {
      expect(PRESS_KEYS).toContain(name);
    }
    if (FINDING_RULES[code].authority !== 'floor') return;
    // An order that is only described has no key there.
    if (/order a reshuffle/i.test(floor)) expect(floor).toContain('(`reshuffle`)');
  });

  it('every fault has a meaning and a cure', () => {
    for (const { prefix, faults } of FAULT_GROUPS) {
      for (const [code, { means, cure }] of Object.entries(faults)) {
        expect(means).toMatch(/[.]$/);
        expect(cure).toMatch(/[.]$/);
        expect(answer(`${prefix}/${code}`)?.lines).toEqual([`${prefix}/${code}`, means, cure]);
      }
    }
  });

  it('answers one finding, all of them, and nothing it does not know', () => {
    expect(answer('burn.short')?.lines[0]).toBe(
      'burn.short (hold; until the missing step is done; may be cleared by: dealer)',
    );
    expect(answer(undefined)?.lines.length).toBeGreaterThan(FINDING_CODES.length);
    expect(answer('burn.shorter')).toBeNull();
    expect(answer('journal/constructor')).toBeNull();
  });
});
