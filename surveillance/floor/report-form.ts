/** A report before it has a form: facts above, lists below. */
export interface Report {
  readonly title: string;
  readonly facts: readonly (readonly [string, string])[];
  readonly lists: readonly ReportList[];
}

export interface ReportList {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Served beside the reports: the pages' rules allow no style inside a document. */
export const REPORT_CSS = `body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;
max-width:75em;padding:0 1em;color:#111;background:#fff}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}
table{border-collapse:collapse;width:100%}
th,td{border:1px solid #999;padding:.25em .5em;text-align:left;vertical-align:top}
th{background:#eee}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1em}
dt{font-weight:600}dd{margin:0}
@media print{body{margin:0;max-width:none}tr{break-inside:avoid}h2{break-after:avoid}}
`;

/** To be printed: no script, a sheet of style from `css`. */
export const htmlOf = ({ title, facts, lists }: Report, css: string): string => {
  const lines = [
    '<!doctype html>',
    '<html lang="en">',
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    `<title>${escape(title)}</title><link rel="stylesheet" href="${css}"></head>`,
    `<body><h1>${escape(title)}</h1>`,
    '<dl>',
    ...facts.map(([name, value]) => `<dt>${escape(name)}</dt><dd>${escape(value)}</dd>`),
    '</dl>',
  ];
  for (const list of lists) {
    lines.push(`<h2>${escape(list.title)}</h2>`);
    if (list.rows.length === 0) {
      lines.push('<p>None.</p>');
      continue;
    }
    const heads = list.heads.map((head) => `<th scope="col">${escape(head)}</th>`).join('');
    lines.push('<table>', `<thead><tr>${heads}</tr></thead>`, '<tbody>');
    for (const row of list.rows) {
      lines.push(`<tr>${row.map((cell) => `<td>${escape(cell)}</td>`).join('')}</tr>`);
    }
    lines.push('</tbody>', '</table>');
  }
  lines.push('</body></html>', '');
  return lines.join('\n');
};

/** A spreadsheet takes a cell that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

const cell = (text: string): string => {
  const safe = FORMULA.test(text) && !/^-?\d+([.,]\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const line = (cells: readonly string[]): string => cells.map(cell).join(',');

/** RFC 4180: facts as two columns, then each list under its title, an empty line between. */
export const csvOf = ({ title, facts, lists }: Report): string => {
  const lines = [line([title]), ...facts.map((fact) => line(fact))];
  for (const list of lists) {
    lines.push('', line([list.title]), line(list.heads), ...list.rows.map(line));
  }
  return `${lines.join('\r\n')}\r\n`;
};
