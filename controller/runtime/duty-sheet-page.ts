import { DOUBT_WORDS } from '../../storage/describe.js';
import type { DutySheet, SheetDuty, SheetFinding } from '../core/duty-sheet.js';
import {
  dutyWords,
  endText,
  entryText,
  findingText,
  lawText,
  OUTCOME_WORDS,
  type SheetHead,
  sheetFacts,
  sheetSummary,
  sheetTitle,
} from './duty-sheet-words.js';

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** Prints on A4 without a browser's own colours: what is wrong is bold and framed, not only red. */
const STYLE = `
  @page { size: A4; margin: 16mm 14mm; }
  body { font: 10.5pt/1.4 system-ui, sans-serif; color: #111; background: #fff; margin: 2rem auto;
    max-width: 60rem; padding: 0 1rem; }
  h1 { font-size: 17pt; margin: 0; } h2 { font-size: 12pt; margin: 1.4rem 0 .4rem; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 1rem 0; }
  dt { color: #444; } dd { margin: 0; overflow-wrap: anywhere; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: .25rem .5rem .25rem 0;
    border-bottom: 1px solid #bbb; }
  th { border-bottom: 2px solid #111; } tr { break-inside: avoid; }
  .bad { font-weight: 700; border: 2px solid #8a0f0f; color: #8a0f0f; padding: 0 .3rem; }
  .rows { color: #333; font-size: 9pt; }
  .sign { display: grid; grid-template-columns: 1fr 1fr; gap: 3rem; margin-top: 3.5rem; }
  .sign div { border-top: 1px solid #111; padding-top: .2rem; }
  @media print { body { margin: 0; max-width: none; padding: 0; } }
`;

const dutyRow = (duty: SheetDuty, head: SheetHead): string => {
  const bad = duty.outcome === 'not-met' ? ' class="bad"' : '';
  const entries = duty.entries.map(entryText);
  return `<tr><td>${escaped(lawText(duty.clause))}</td>
<td>${escaped(dutyWords(duty.duty, head))}</td>
<td><span${bad}>${OUTCOME_WORDS[duty.outcome]}</span></td>
<td>${duty.evidence}</td>
<td class="rows">${entries.map(escaped).join('<br>') || '&ndash;'}</td></tr>`;
};

const findingRow = (item: SheetFinding): string => {
  const { finding } = item;
  const bad = item.ended === null ? ' class="bad"' : '';
  const carried = item.carried ? ' (from an earlier shoe)' : '';
  return `<tr><td>${escaped(lawText(finding.clause))}</td>
<td>${escaped(finding.code)}, ${finding.severity}</td>
<td>${escaped(findingText(item))}</td>
<td class="rows">row ${finding.raisedSeq}${carried}</td>
<td class="rows"><span${bad}>${escaped(endText(item))}</span></td></tr>`;
};

const findingsTable = (findings: readonly SheetFinding[]): string =>
  findings.length === 0
    ? '<p>None.</p>'
    : `<table><thead><tr><th scope="col">Paragraph</th><th scope="col">Finding</th>
<th scope="col">What</th><th scope="col">Raised</th><th scope="col">Ended</th></tr></thead>
<tbody>${findings.map(findingRow).join('\n')}</tbody></table>`;

/** A sheet as one printable HTML page without script, picture or link to anything outside it. */
export const sheetHtml = (sheet: DutySheet, head: SheetHead): string => {
  const facts = sheetFacts(sheet, head)
    .map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`)
    .join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(sheetTitle(sheet))}</title><style>${STYLE}</style></head>
<body><main>
<h1>${escaped(sheetTitle(sheet))}</h1>
<p>${escaped(sheetSummary(sheet))}</p>
<dl>${facts}</dl>
<h2>Duties</h2>
<table><thead><tr><th scope="col">Paragraph</th><th scope="col">Duty</th>
<th scope="col">Outcome</th><th scope="col">Evidence</th><th scope="col">When, and journal row</th>
</tr></thead><tbody>${sheet.duties.map((duty) => dutyRow(duty, head)).join('\n')}</tbody></table>
<h2>Findings</h2>
${findingsTable(sheet.findings)}
<p class="rows">Sensed: hardware saw it. Attested: a person pressed it. Unseen: nobody can tell.
${DOUBT_WORDS}.</p>
<div class="sign"><div>Dealer</div><div>Floorperson</div></div>
</main></body></html>
`;
};
