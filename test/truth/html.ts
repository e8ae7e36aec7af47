import type { Alarms, Line, Report } from './report.js';

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c] ?? '&quot;');

const percent = (share: number): string => `${(share * 100).toFixed(3)} %`;

const BAR_PX = 160;
const AFTER_SHOWN = 9;

/** A bar for a share of one, with the part found late in another tone. */
const bar = ({ foundShare, late, injected, seen }: Line): string => {
  const lateShare = injected === 0 ? 0 : late / injected;
  const found = Math.round((foundShare - lateShare) * BAR_PX);
  const tone = seen === 'never' ? '#9aa4ad' : '#2c7a4b';
  return (
    `<svg width="${BAR_PX}" height="12" role="img" aria-label="${percent(foundShare)}">` +
    `<rect width="${BAR_PX}" height="12" fill="#e6e9ec"/>` +
    `<rect width="${found}" height="12" fill="${tone}"/>` +
    `<rect x="${found}" width="${Math.round(lateShare * BAR_PX)}" height="12" ` +
    'fill="#c98a00"/></svg>'
  );
};

/** Cards until found, as columns. */
const columns = ({ after }: Line): string => {
  const most = Math.max(1, ...after);
  const rects = after.slice(0, AFTER_SHOWN).map((n, i) => {
    const high = n === 0 ? 0 : Math.max(1, Math.round((n / most) * 20));
    return `<rect x="${i * 9}" y="${20 - high}" width="7" height="${high}" fill="#31688e"/>`;
  });
  const label = after.map((n, i) => `${n} after ${i}`).join(', ');
  const size = `width="${AFTER_SHOWN * 9}" height="20"`;
  return `<svg ${size} role="img" aria-label="${label}">${rects.join('')}</svg>`;
};

const goalWord = (met: boolean | null, none: string): string => {
  if (met === null) return none;
  return met ? 'met' : '<b>not met</b>';
};

const row = (line: Line): string => {
  const why = line.why === null ? '' : `. ${escape(line.why)}`;
  const cells = [
    `<b>${escape(line.kind)}</b><br><small>${escape(line.what)}${why}</small>`,
    line.seen,
    line.noise,
    line.injected,
    `${bar(line)} ${percent(line.foundShare)}`,
    columns(line),
    `${line.medianCards ?? '–'} / ${line.maxCards ?? '–'}`,
    line.missed,
    line.wrong,
    goalWord(line.met, 'cannot be seen'),
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
};

const alarmRow = (a: Alarms): string => {
  const cells = [
    a.noise,
    a.cards,
    a.falseAlarms,
    a.miscounts,
    a.perMillion.toFixed(2),
    a.upperPerMillion.toFixed(2),
    a.goalPerMillion,
    goalWord(a.met, 'too few cards to tell'),
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
};

/** The report as one page without anything from elsewhere. */
export const htmlOf = (report: Report): string => {
  const seconds = report.seconds.toFixed(0);
  const alarms = report.alarms.map(alarmRow).join('\n');
  const odd = report.odd.map((one) => `<li><code>${escape(JSON.stringify(one))}</code></li>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Truth: detection against false alarms</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 2rem; color: #1c2329; max-width: 1200px }
table { border-collapse: collapse; width: 100% } td, th { border-bottom: 1px solid #d5dade;
padding: 4px 8px; text-align: left; vertical-align: top } small { color: #56616b }
</style></head><body>
<h1>Truth: detection against false alarms</h1>
<p>${escape(report.at)}, ${escape(report.machine)}. Seed ${report.seed}, ${seconds} s,
${report.cardsPerSecond} cards/s. Noise model: ${escape(report.source)}.</p>
<h2>False alarms</h2>
<table><tr><th>noise</th><th>cards</th><th>false alarms</th><th>miscounts</th>
<th>per million</th><th>95 % below</th><th>goal</th><th></th></tr>
${alarms}</table>
<h2>Faults</h2>
<p>Columns: found after 0, 1, 2 … cards. Amber: found, but later than the goal.</p>
<table><tr><th>fault</th><th>known by</th><th>noise</th><th>injected</th><th>found</th>
<th>after</th><th>median / max</th><th>missed</th><th>wrong</th><th>goal</th></tr>
${report.lines.map(row).join('\n')}</table>
${odd.length === 0 ? '' : `<h2>Seeds to look at</h2><ul>${odd.join('\n')}</ul>`}
</body></html>
`;
};
