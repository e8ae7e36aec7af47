import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { Decision } from '../../../controller/core/decision.js';
import type { Duty } from '../../../controller/core/duty.js';
import type { Finding } from '../../../controller/core/finding.js';
import type { Observation } from '../../../controller/core/observation.js';
import { PRESS_KEYS } from '../../../controller/core/press-parse.js';
import { initialState } from '../../../controller/core/state.js';
import type { TableView } from '../../../controller/core/view.js';
import { viewOf } from '../../../controller/core/view.js';
import { observationSchema } from '../../../surveillance/contract/inputs.js';
import type { checkpointSchema, StateMessage } from '../../../surveillance/contract/messages.js';
import { eventSchema } from '../../../surveillance/contract/messages.js';
import type {
  decisionSchema,
  dutySchema,
  findingSchema,
} from '../../../surveillance/contract/outcome.js';
import {
  ackTopicOf,
  clientIdOf,
  parseTopic,
  tableNameFault,
  tableRoot,
  topicOf,
} from '../../../surveillance/contract/topics.js';
import { messageFault, ownMessageFault } from '../../../surveillance/contract/validate.js';
import { tableOf } from './rows.js';

type Deep<T> = T extends (infer E)[]
  ? readonly Deep<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Deep<T[K]> }
    : T;
/** Compiles only while every value of `From` fits `To`. */
type Fits<From extends To, To> = [From, To];

/** The contract and the core say the same of one another: drift does not compile. */
export type InStep = [
  Fits<Observation, Deep<z.output<typeof observationSchema>>>,
  Fits<Deep<z.output<typeof observationSchema>>, Observation>,
  Fits<Finding, Deep<z.output<typeof findingSchema>>>,
  Fits<Deep<z.output<typeof findingSchema>>, Finding>,
  Fits<Duty, Deep<z.output<typeof dutySchema>>>,
  Fits<Deep<z.output<typeof dutySchema>>, Duty>,
  Fits<Exclude<Decision, { do: 'noted' }>, Deep<z.output<typeof decisionSchema>>>,
  Fits<TableView, Deep<Omit<StateMessage, 'wallMs' | 'wallTrusted' | 'boot' | 'cameras'>>>,
  Fits<{ seq: number }, Pick<z.output<typeof checkpointSchema>, 'seq'>>,
];

const name = { site: 'north', pit: 'p1', table: 'bac-04' };

describe('topics', () => {
  it('reads back what it writes', () => {
    expect(tableRoot(name)).toBe('cutcard/v1/north/p1/bac-04');
    expect(parseTopic(topicOf(name, 'cmd/reply'))).toEqual({
      name,
      kind: 'cmd/reply',
      consumer: null,
    });
    expect(parseTopic(ackTopicOf(name, 'historian'))).toEqual({
      name,
      kind: 'ack',
      consumer: 'historian',
    });
    expect(clientIdOf(name)).toBe('cutcard:north:p1:bac-04');
  });

  it.each([
    'cutcard/v2/north/p1/t/event',
    'cutcard/v1/north/p1/t',
    'cutcard/v1/north/p1/t/ack',
    'cutcard/v1/north/p1/t/ack/x/y',
    'cutcard/v1/north/p1/t/event/more',
    'cutcard/v1/north/+/t/event',
    'cutcard/v1//p1/t/event',
    '',
  ])('is not ours: %s', (topic) => {
    expect(parseTopic(topic)).toBeNull();
  });

  it.each(['', 'a/b', 'a+', '#', '$SYS', ' a', 'x'.repeat(33)])(
    'refuses `%s` as a part of a topic and says which field',
    (table) => {
      expect(tableNameFault({ ...name, table })).toContain('table `');
    },
  );
});

describe('schemas', () => {
  const stamp = { seq: 3, atNs: 5, wallMs: 7, wallTrusted: true };

  it('knows every press', () => {
    const known = new Set<string>();
    for (const key of PRESS_KEYS) {
      const bare = observationSchema.safeParse({ ...stamp, kind: 'press', role: 'dealer', key });
      const unknown = bare.error?.issues.some((issue) => issue.path.at(-1) === 'key') ?? false;
      if (!unknown) known.add(key);
    }
    expect([...known]).toEqual([...PRESS_KEYS]);
  });

  it('takes the view of a table that was never opened', () => {
    const view = viewOf(initialState(tableOf()));
    const state = { ...view, wallMs: 1, wallTrusted: true, boot: 1 };
    expect(ownMessageFault('state', JSON.stringify(state))).toBeNull();
  });

  it('names the field that is wrong', () => {
    const fault = messageFault('event', {
      seq: 1,
      prev: '0'.repeat(64),
      hash: 'short',
      observation: { ...stamp, kind: 'cover.out' },
      decisions: [],
    });
    expect(fault).toContain('hash');
  });

  it('passes over what a later version may add, but not in our own output', () => {
    const event = {
      seq: 1,
      prev: '0'.repeat(64),
      hash: 'a'.repeat(64),
      observation: { ...stamp, kind: 'cover.out', colour: 'yellow' },
      decisions: [],
    };
    expect(eventSchema.safeParse(event).success).toBe(true);
    expect(ownMessageFault('event', JSON.stringify(event))).toContain('does not describe');
  });

  it('refuses an observation of no known kind', () => {
    expect(observationSchema.safeParse({ ...stamp, kind: 'card.sideways' }).success).toBe(false);
  });
});
