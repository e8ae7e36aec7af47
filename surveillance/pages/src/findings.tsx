import type { PermittedKey } from '../../../controller/core/permitted.js';
import type { PageFinding } from '../../table-page/message.js';
import { Shape } from './frame.js';
import type { Given } from './key-words.js';
import { ScrollBox } from './scroll-box.js';
import {
  ageText,
  byUrgency,
  clauseText,
  clearText,
  levelText,
  plural,
  severityMark,
} from './words.js';

/** What may be pressed about findings; a key that is not taken now is null. */
export interface Acting {
  readonly press: (key: PermittedKey, given: Given) => void;
  readonly isBusy: boolean;
  readonly seen: PermittedKey | null;
  readonly clear: PermittedKey | null;
}

interface FindingProps {
  readonly finding: PageFinding;
  readonly watchedNs: number;
  readonly acting: Acting | null;
}

interface ActionProps {
  readonly finding: PageFinding;
  readonly acting: Acting;
  readonly offered: PermittedKey | null;
  readonly word: string;
}

const Action = ({ finding, acting, offered, word }: ActionProps) => {
  const choices = offered?.asks[0]?.choices ?? [];
  if (offered === null || !choices.includes(finding.id)) return null;
  return (
    <button
      type="button"
      class="key key-small"
      aria-disabled={acting.isBusy}
      onClick={() => {
        if (!acting.isBusy) acting.press(offered, { finding: finding.id });
      }}
    >
      {word}
      <span class="unheard"> {finding.code}</span>
    </button>
  );
};

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

const FindingCard = ({ finding, watchedNs, acting }: FindingProps) => {
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
      {acting !== null && (
        <p class="actions">
          <Action finding={finding} acting={acting} offered={acting.clear} word="Clear" />
          <Action finding={finding} acting={acting} offered={acting.seen} word="Seen" />
        </p>
      )}
    </li>
  );
};

interface FindingsProps {
  readonly findings: readonly PageFinding[];
  readonly watchedNs: number;
  /** null: nothing is pressed here. */
  readonly acting?: Acting | null;
}

/** Open findings, what needs eyes first on top. */
export const Findings = ({ findings, watchedNs, acting = null }: FindingsProps) => (
  <section class="panel findings" aria-labelledby="findings-title">
    <h2 id="findings-title">
      Open findings <span class="number">{findings.length}</span>
    </h2>
    <ScrollBox labelledBy="findings-title">
      {findings.length === 0 ? (
        <p class="none">None. The table follows its procedure.</p>
      ) : (
        <ul class="cards" aria-live="polite">
          {byUrgency(findings).map((finding) => (
            <FindingCard key={finding.id} finding={finding} watchedNs={watchedNs} acting={acting} />
          ))}
        </ul>
      )}
    </ScrollBox>
  </section>
);
