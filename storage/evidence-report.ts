import type { Finding } from '../controller/core/finding.js';
import type { TableStep } from '../controller/core/ports.js';
import { readCheckpoint } from './checkpoint.js';
import { decisionText, DOUBT_WORDS, observationText, wallText, watchedText } from './describe.js';
import { type Evidence, marksIn, type PlayedBefore, stepsOf } from './evidence.js';
import { type PlayedRound, PlayFollower } from './play.js';
import { markText } from './rebuilt.js';

const STYLE =
  'body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:70em;padding:0 1em;' +
  'color:#111;background:#fff}h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}' +
  'table{border-collapse:collapse;width:100%}th,td{border:1px solid #999;padding:.25em .5em;' +
  'text-align:left;vertical-align:top}th{background:#eee}code{font-size:.85em;' +
  'overflow-wrap:anywhere}.asked{background:#fff6d6}ul{margin:0;padding-left:1.2em}' +
  '@media print{body{margin:0;max-width:none}tr{break-inside:avoid}}';

const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

const row = (cells: readonly string[], tag = 'td'): string =>
  `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  if (rows.length === 0) return '<p>None.</p>';
  const lines = rows.map((cells) => row(cells));
  return ['<table>', row(heads, 'th'), ...lines, '</table>'].join('\n');
};

/** A finding's life as the rows tell it. */
interface Life {
  readonly finding: Finding;
  readonly ended: string;
}

const livesOf = (steps: readonly TableStep[]): readonly Life[] => {
  const lives = new Map<string, Life>();
  for (const { observation, decisions } of steps) {
    for (const decision of decisions) {
      if (decision.do === 'raised' || decision.do === 'changed') {
        const { finding } = decision;
        lives.set(finding.id, { finding, ended: lives.get(finding.id)?.ended ?? 'open' });
      }
      if (decision.do !== 'cleared') continue;
      const life = lives.get(decision.id);
      const who = decision.by.badge ?? decision.by.role;
      const ended = `row ${observation.seq}: ${decision.how} (${who})`;
      if (life !== undefined) lives.set(decision.id, { ...life, ended });
    }
  }
  return [...lives.values()];
};

const findingRow = ({ finding, ended }: Life): readonly string[] =>
  [
    finding.id,
    `${finding.code} (${finding.severity})`,
    `§ ${finding.clause}`,
    `expected ${finding.expected}; observed ${finding.observed}`,
    `${finding.cardsAfterWarning ?? 0}`,
    ended,
  ].map(escape);

interface VoidList {
  readonly rounds: readonly PlayedRound[];
  /** What is to be known of it; null where all of it is here. */
  readonly note: string | null;
}

/** Rounds in doubt: begun since the last count that proved the deck, up to the row asked about. */
const voidList = (
  steps: readonly TableStep[],
  toSeq: number,
  before: PlayedBefore | undefined,
): VoidList => {
  const play = new PlayFollower(before?.shoe ?? null);
  for (const step of steps) {
    if (step.observation.seq > toSeq) break;
    play.follow(step);
  }
  const rounds = play.roundsSinceCount();
  if (before === undefined || play.countSeq > 0 || before.rounds === 0) {
    return { rounds, note: null };
  }
  const since =
    before.countSeq > 0
      ? `The last proved count is row ${before.countSeq}, before the first row here.`
      : `No proved count was found back to row ${before.lookedFrom}.`;
  const all = before.rounds + rounds.length;
  const note =
    `${since} ${all} rounds were begun since: the ${rounds.length} listed here, and ` +
    `${before.rounds} before them whose rows are not in this file.`;
  return { rounds, note };
};

const raisedAt = (steps: readonly TableStep[], id: string | null): number | null => {
  const raising = steps.find(({ decisions }) =>
    decisions.some((decision) => decision.do === 'raised' && decision.finding.id === id),
  );
  return raising?.observation.seq ?? null;
};

const roundRow = (round: PlayedRound): readonly string[] => [
  `${round.shoe ?? '?'}.${round.round}`,
  `${round.fromSeq} to ${round.toSeq}`,
  escape(wallText(round.wallMs, round.wallTrusted)),
  `${round.cards}`,
];

const videoRows = (steps: readonly TableStep[]): readonly (readonly string[])[] =>
  steps.flatMap(({ observation, decisions }) =>
    decisions.flatMap((decision) =>
      decision.do === 'direct' && decision.directive.to === 'video'
        ? [
            [
              `${observation.seq}`,
              wallText(observation.wallMs, observation.wallTrusted),
              decision.directive.mark,
            ].map(escape),
          ]
        : [],
    ),
  );

const stepRow = ({ observation, decisions }: TableStep): string => {
  const { seq, wallMs, wallTrusted, atNs } = observation;
  const followed = decisions.map((decision) => `<li>${escape(decisionText(decision))}</li>`);
  return row([
    `${seq}`,
    `${escape(wallText(wallMs, wallTrusted))}<br>${watchedText(atNs)}`,
    escape(observationText(observation)),
    followed.length === 0 ? '' : `<ul>${followed.join('')}</ul>`,
  ]);
};

const checkpointRow = (body: string): readonly string[] => {
  const said = readCheckpoint(body);
  if (said === null) return ['not readable'];
  return [
    `${said.seq}`,
    escape(wallText(said.wallMs, said.wallTrusted)),
    `${said.boot}`,
    `<code>${said.hash}</code>`,
    `<code>${said.procedure ?? 'none'}</code><br><code>${said.table ?? 'none'}</code>`,
    `<code>${said.key}</code>`,
  ];
};

const rebuiltParts = (evidence: Evidence): readonly string[] =>
  marksIn(evidence).map((mark) => `<p>This journal was rebuilt: ${escape(markText(mark))}.</p>`);

const voidParts = ({ rounds, note }: VoidList): readonly string[] => [
  ...(note === null ? [] : [`<p>${escape(note)}</p>`]),
  table(['round', 'rows', 'began', 'cards'], rounds.map(roundRow)),
];

/** The file before and after the data; `report` in the heading is not looked at. */
export const reportAround = (evidence: Evidence): readonly [string, string] => {
  const { head, rows, checkpoints, documents, keys } = evidence;
  const { about } = head;
  const all = stepsOf(rows);
  const asked = all.filter(
    ({ observation: { seq } }) => seq >= about.fromSeq && seq <= about.toSeq,
  );
  const title = `Evidence: ${about.kind} ${about.name}`;
  const first = rows[0]?.seq ?? 0;
  const last = rows.at(-1)?.seq ?? 0;
  const signed = `${head.startSigned ? 'a signed checkpoint' : 'no signed checkpoint'} to ${
    head.endSigned ? 'a signed checkpoint' : 'no signed checkpoint yet'
  }`;
  const doubtTo = raisedAt(all, about.finding) ?? about.toSeq;
  const before = [
    '<!doctype html>',
    '<html lang="en">',
    '<head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ` +
      `style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width">',
    `<title>${escape(title)}</title><style>${STYLE}</style></head>`,
    '<body>',
    `<h1>${escape(title)}</h1>`,
    `<p>Journal ${escape(head.journal)}, rows ${first} to ${last} (from ${signed}); rows asked ` +
      `for: ${about.fromSeq} to ${about.toSeq}. ` +
      `Exported ${escape(wallText(head.exportedMs, true))} ` +
      `by version ${escape(head.version)}. To check this file: ` +
      '<code>cutcard evidence verify FILE --key PUBLIC-KEY</code>.</p>',
    `<p>Times are UTC. ${escape(DOUBT_WORDS)}.</p>`,
    ...rebuiltParts(evidence),
    '<h2>Findings</h2>',
    table(
      ['number', 'finding', 'clause', 'what', 'cards after warning', 'ended'],
      livesOf(asked).map(findingRow),
    ),
    '<h2>Void list: rounds since the last proved count</h2>',
    ...voidParts(voidList(all, doubtTo, head.before)),
    '<h2>Video marks</h2>',
    table(['row', 'time', 'mark'], videoRows(asked)),
    '<h2>What happened, and what followed</h2>',
    '<table>',
    row(['row', 'time, watched time', 'happened', 'followed'], 'th'),
    ...asked.map(stepRow),
    '</table>',
    '<h2>Signed checkpoints</h2>',
    table(
      ['row', 'signed', 'start', 'hash', 'procedure, configuration', 'key'],
      checkpoints.map(({ body }) => checkpointRow(body)),
    ),
    '<h2>Procedure and configuration</h2>',
    table(
      ['kind', 'SHA-256', 'text'],
      documents.map(({ kind, hash, text }) => [
        escape(kind),
        `<code>${hash}</code>`,
        `<details><summary>${text.length} characters</summary>` +
          `<code>${escape(text)}</code></details>`,
      ]),
    ),
    '<h2>Keys</h2>',
    table(
      ['name', 'public key'],
      keys.map(({ name, publicKey }) => [`<code>${name}</code>`, `<code>${publicKey}</code>`]),
    ),
    '',
  ].join('\n');
  return [before, '\n</body>\n</html>\n'];
};
