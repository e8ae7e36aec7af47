import { describe, expect, test } from 'vitest';
import {
  emptyModel,
  type PageModel,
  wallNow,
  watchedNow,
  withBeat,
  withLoss,
  withState,
} from '../../../surveillance/pages/src/model.js';
import { pageStateOf } from '../../../surveillance/table-page/message.js';
import { FakeTable } from '../../fakes/table-page-source.js';

const MS = 1e6;

const texts = ({ lines }: PageModel): string[] => lines.map(({ text }) => text);

describe('what a page knows', () => {
  test('lines follow on each other, none twice', () => {
    const table = new FakeTable();
    table.step({}, 'first');
    table.step({}, 'second');
    const one = withState(emptyModel, pageStateOf(table, null), 0);
    table.step({}, 'third');
    // A message that repeats what is known, as after a break.
    const two = withState(one, pageStateOf(table, 1), 1);
    expect(texts(two)).toEqual(['first', 'second', 'third']);
  });

  test('a hole in the lines stays marked until another journal is shown', () => {
    const table = new FakeTable();
    table.step({}, 'before');
    const one = withState(emptyModel, pageStateOf(table, null), 0);
    for (let i = 0; i < 250; i += 1) table.step({}, `step ${i}`);
    const two = withState(one, pageStateOf(table, 1), 1);
    expect(two.linesMissed).toBe(true);
    expect(texts(two)).not.toContain('before');
    table.step({}, 'after');
    const three = withState(two, pageStateOf(table, 251), 2);
    expect(three.linesMissed).toBe(true);
    expect(texts(three).at(-1)).toBe('after');
    const other = new FakeTable();
    other.step({}, 'another journal');
    const four = withState(three, pageStateOf(other, null), 3);
    expect(four.linesMissed).toBe(false);
    expect(texts(four)).toEqual(['another journal']);
  });

  test('keeps a bounded number of lines', () => {
    const table = new FakeTable();
    let model = emptyModel;
    for (let i = 1; i <= 500; i += 1) {
      table.step({}, `step ${i}`);
      model = withState(model, pageStateOf(table, i - 1), i);
    }
    expect(model.lines).toHaveLength(200);
    expect(texts(model).at(-1)).toBe('step 500');
  });

  test('time goes on between messages and stands still once the line is lost', () => {
    const table = new FakeTable();
    table.pass(10);
    table.step({});
    const live = withState(emptyModel, pageStateOf(table, null), 1000);
    expect(watchedNow(live, 4000)).toBe(13_000 * MS);
    expect(wallNow(live, 4000) - wallNow(live, 1000)).toBe(3000);
    const lost = withLoss(live);
    expect(lost.link).toBe('lost');
    expect(watchedNow(lost, 60_000)).toBe(10_000 * MS);
    expect(withLoss(lost)).toBe(lost);
  });

  test('a beat makes a lost line live again, and tells nothing to a page without a state', () => {
    const table = new FakeTable();
    table.step({});
    const beat = { watchedNs: 5e9, wallMs: 42, wallTrusted: true, seq: 1 };
    const lost = withLoss(withState(emptyModel, pageStateOf(table, null), 0));
    expect(withBeat(lost, beat, 7)).toMatchObject({ link: 'live', watchedNs: 5e9, wallMs: 42 });
    expect(withBeat(emptyModel, beat, 7)).toBe(emptyModel);
    expect(withLoss(emptyModel)).toBe(emptyModel);
  });
});
