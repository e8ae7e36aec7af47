import { describe, expect, it } from 'vitest';
import { gamingDayNamed, gamingDayOf, gamingDays } from '../../../surveillance/floor/days.js';
import { csvOf, htmlOf, type Report } from '../../../surveillance/floor/report-form.js';

const report = (cell: string): Report => ({
  title: 'Table <north>',
  facts: [['From', '2026-11-29']],
  lists: [{ title: 'Findings', heads: ['a', 'b'], rows: [[cell, '-5']] }],
});

describe('a report', () => {
  it('escapes what came from a table, in HTML', () => {
    const html = htmlOf(report('<script>alert("x")</script> & more'), '/reports/report.css');
    expect(html).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; more');
    expect(html).not.toContain('<script');
    expect(html).toContain('<title>Table &lt;north&gt;</title>');
  });

  it('gives a spreadsheet text and no formula', () => {
    const line = (cell: string) => csvOf(report(cell)).split('\r\n').at(-2);
    expect(line('=HYPERLINK("x")')).toBe(`"'=HYPERLINK(""x"")",-5`);
    expect(line('@SUM(1)')).toBe("'@SUM(1),-5");
    expect(line('one, two')).toBe('"one, two",-5');
    expect(line('plain')).toBe('plain,-5');
  });

  it('says so where a list is empty', () => {
    const empty = { ...report('x'), lists: [{ title: 'Shoes', heads: ['a'], rows: [] }] };
    expect(htmlOf(empty, 'x.css')).toContain('<p>None.</p>');
  });
});

describe('a gaming day', () => {
  const local = (text: string): number => new Date(text).getTime();

  it('begins at its hour and not at midnight', () => {
    expect(gamingDayOf(local('2026-11-30T05:59:59'), 6).day).toBe('2026-11-29');
    expect(gamingDayOf(local('2026-11-30T06:00:00'), 6).day).toBe('2026-11-30');
    expect(gamingDayOf(local('2026-11-30T00:30:00'), 0).day).toBe('2026-11-30');
  });

  it('ends where the next begins, through a month and a year', () => {
    const days = gamingDays(local('2026-12-30T12:00:00'), local('2027-01-02T12:00:00'), 6, 10);
    expect(days.map(({ day }) => day)).toEqual([
      '2026-12-30',
      '2026-12-31',
      '2027-01-01',
      '2027-01-02',
    ]);
    for (const [i, day] of days.entries()) {
      if (i > 0) expect(day.fromMs).toBe(days[i - 1]?.toMs);
    }
  });

  it('gives the newest ones where there are too many', () => {
    const days = gamingDays(local('2020-01-01T12:00:00'), local('2026-11-29T12:00:00'), 6, 3);
    expect(days.map(({ day }) => day)).toEqual(['2026-11-27', '2026-11-28', '2026-11-29']);
  });

  it('is found by its name, and nonsense is not', () => {
    expect(gamingDayNamed('2026-11-29', 6)?.fromMs).toBe(local('2026-11-29T06:00:00'));
    expect(gamingDayNamed('2026-02-31', 6)).toBeNull();
    expect(gamingDayNamed('today', 6)).toBeNull();
  });
});
