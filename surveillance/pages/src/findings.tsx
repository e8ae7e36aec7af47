import type { PageFinding } from '../../table-page/message.js';
import { Shape } from './frame.js';
import {
  ageText,
  byUrgency,
  clauseText,
  clearText,
  levelText,
  plural,
  severityMark,
} from './words.js';

interface FindingProps {
  readonly finding: PageFinding;
  readonly watchedNs: number;
}

const Facts = ({ finding }: { readonly finding: PageFinding }) => {
  const facts = [
    clearText(finding),
    ...(finding.cardsAfterWarning === 0
      ? []
      : [
          `${plural(finding.cardsAfterWarning, 'card')} out after the warning, ` +
            `the last after ${ageText(finding.timeToStopMs)}`,
        ]),
    ...(finding.repeats === 0 ? [] : [`Found ${plural(finding.repeats + 1, 'time')}`]),
    ...(finding.acknowledgedBy === null ? [] : [`Acknowledged by ${finding.acknowledgedBy}`]),
    ...(finding.level === 0 ? [] : [levelText(finding.level)]),
  ];
  return (
    <ul class="facts">
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
};

const FindingCard = ({ finding, watchedNs }: FindingProps) => {
  const mark = severityMark(finding.severity);
  return (
    <li class={`finding tone-${mark.tone} severity-${finding.severity}`}>
      <p class="finding-head">
        <span class="what">
          <span class="severity">
            <Shape mark={mark} />
            {mark.word}
          </span>
          <span class="code">{finding.code}</span>
          <span class="clause">{clauseText(finding.clause)}</span>
        </span>
        <span class="age">{ageText((watchedNs - finding.raisedNs) / 1e6)}</span>
      </p>
      <p class="remedy">{finding.remedy}</p>
      <p class="seen">
        <span class="label">Seen</span> {finding.observed}
      </p>
      <p class="seen">
        <span class="label">Expected</span> {finding.expected}
      </p>
      <Facts finding={finding} />
    </li>
  );
};

interface FindingsProps {
  readonly findings: readonly PageFinding[];
  readonly watchedNs: number;
}

/** Open findings, what needs eyes first on top. */
export const Findings = ({ findings, watchedNs }: FindingsProps) => (
  <section class="panel findings" aria-labelledby="findings-title">
    <h2 id="findings-title">
      Open findings <span class="number">{findings.length}</span>
    </h2>
    <div class="scroll" tabIndex={0} role="group" aria-labelledby="findings-title">
      {findings.length === 0 ? (
        <p class="none">None. The table follows its procedure.</p>
      ) : (
        <ul class="cards" aria-live="polite">
          {byUrgency(findings).map((finding) => (
            <FindingCard key={finding.id} finding={finding} watchedNs={watchedNs} />
          ))}
        </ul>
      )}
    </div>
  </section>
);
