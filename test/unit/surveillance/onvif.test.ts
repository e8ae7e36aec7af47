import { describe, expect, it } from 'vitest';
import { isTopicPrefix, videoEventOf } from '../../../surveillance/video/onvif.js';
import { benchOf, card, findingOf, ROOT } from './rows.js';

describe('events for video systems', () => {
  it("a finding's life as ONVIF-style JSON", async () => {
    const bench = benchOf({ cameras: ['C-17', 'C-18'] });
    bench.publisher.start(bench.state);
    await bench.pass(10);
    await bench.commit(card, [
      { do: 'raised', finding: findingOf('1.0', { severity: 'stop', cardsAfterWarning: 3 }) },
      { do: 'direct', directive: { to: 'video', mark: 'burn.short' } },
    ]);
    await bench.commit(card, [
      { do: 'cleared', id: '1.0', code: 'burn.short', by: { role: 'floor' }, how: 'floor' },
    ]);
    await bench.pass(100);
    const events = bench.transport.published.flatMap(({ topic, payload }) => {
      const event = videoEventOf('video/north', topic, payload);
      return event === null
        ? []
        : [{ topic: event.topic, body: JSON.parse(event.payload) as object }];
    });
    expect(events).toMatchObject([
      {
        topic: 'video/north/onvif-ej/cutcard:Table/Finding/&north/p1/bac-04',
        body: {
          UtcTime: '2026-01-05T14:00:00.010Z',
          Source: { Site: 'north', Pit: 'p1', Table: 'bac-04' },
          Data: {
            Code: 'burn.short',
            Clause: '631a.5(f)',
            Severity: 'stop',
            Change: 'raised',
            Active: true,
            CardsAfterWarning: 3,
            Row: 1,
            Cameras: 'C-17,C-18',
            Historical: false,
          },
        },
      },
      {
        topic: 'video/north/onvif-ej/cutcard:Table/Mark/&north/p1/bac-04',
        body: { Data: { Mark: 'burn.short', From: 'rules' } },
      },
      { body: { Data: { Change: 'cleared', Active: false, How: 'floor' } } },
    ]);
  });

  it.each([
    [`${ROOT}/event`, '{}'],
    [`${ROOT}/alert`, 'not json'],
    [`${ROOT}/alert`, '{}'],
    ['elsewhere/alert', '{}'],
  ])('passes over %s with %s', (topic, payload) => {
    expect(videoEventOf('video', topic, payload)).toBeNull();
  });

  it.each(['', 'a//b', '/a', 'a/#', '$SYS', 'a b'])('`%s` cannot begin a topic', (prefix) => {
    expect(isTopicPrefix(prefix)).toBe(false);
  });
});
