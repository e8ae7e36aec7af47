import type { PermittedKey } from '../../../controller/core/permitted.js';
import type { PressKey } from '../../../controller/core/press.js';
import type { PageFinding } from '../../table-page/message.js';
import { Entry } from './entry.js';
import { Shape } from './frame.js';
import { keysNamed, keyWord, withKeyWords } from './key-words.js';
import { ScrollBox } from './scroll-box.js';
import type { Asking } from './use-asking.js';
import {
  ageText,
  byUrgency,
  clauseText,
  clearText,
  levelText,
  plural,
  severityMark,
} from './words.js';

/** What may be pressed about findings by whoever is at this page. */
export interface Acting {
  readonly keys: readonly PermittedKey[];
  readonly asking: Asking;
  readonly isBusy: boolean;
}

interface FindingProps {
  readonly finding: PageFinding;
  /** Every open one: an answer may name another. */
  readonly findings: readonly PageFinding[];
  readonly watchedNs: number;
  readonly isFloor: boolean;
  readonly acting: Acting | null;
}

/** Keys that are pressed about one finding by its number: at that finding, never beside. */
export const ABOUT: readonly PressKey[] = ['clear', 'acknowledge'];

/**
 * The keys that stand at a finding: those its task names, then clear and seen. Each only while
 * the rules would take it.
 */
export const keysAt = (
  finding: PageFinding,
  keys: readonly PermittedKey[],
): readonly PermittedKey[] =>
  [...keysNamed(finding.floorTask), ...ABOUT].flatMap((name) => {
    const offered = keys.find(({ key }) => key === name);
    if (offered === undefined) return [];
    const isAbout = !ABOUT.includes(name) || offered.asks[0]?.choices.includes(finding.id) === true;
    return isAbout ? [offered] : [];
  });

const SHORT_WORDS: Partial<Record<PressKey, string>> = { clear: 'Clear', acknowledge: 'Seen' };

interface ActionProps {
  readonly finding: PageFinding;
  readonly acting: Acting;
  readonly offered: PermittedKey;
}

const Action = ({ finding, acting, offered }: ActionProps) => {
  const { key, asks } = offered;
  const isAbout = ABOUT.includes(key);
  return (
    <button
      type="button"
      class="key key-small"
      aria-disabled={acting.isBusy}
      onClick={() => {
        if (!acting.isBusy) {
          acting.asking.choose(offered, finding.id, isAbout ? { finding: finding.id } : {});
        }
      }}
    >
      {SHORT_WORDS[key] ?? keyWord(key)}
      {!isAbout && asks.length > 0 && ' …'}
      <span class="unheard"> {finding.code}</span>
    </button>
  );
};

/** The keys at a finding, or what the one that was chosen asks. */
const Actions = ({ finding, findings, acting }: FindingProps & { readonly acting: Acting }) => {
  const { asking, keys } = acting;
  if (asking.offered !== null && asking.at === finding.id) {
    return (
      <Entry
        pressed={asking.offered}
        questions={asking.questions}
        findings={findings}
        cancel={asking.back}
        done={asking.done}
      />
    );
  }
  return (
    <p class="actions">
      {keysAt(finding, keys).map((offered) => (
        <Action key={offered.key} finding={finding} acting={acting} offered={offered} />
      ))}
    </p>
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

/** What puts it right: the floor's page has the floor's task, every other what the table says. */
const Remedy = ({ finding, isFloor }: Pick<FindingProps, 'finding' | 'isFloor'>) => {
  const { floorTask, remedy } = finding;
  if (!isFloor || floorTask === '') return <p class="remedy">{withKeyWords(remedy)}</p>;
  return (
    <>
      <p class="remedy">{withKeyWords(floorTask)}</p>
      <p class="seen">
        <span class="label">Dealer is told</span> {withKeyWords(remedy)}
      </p>
    </>
  );
};

const FindingCard = (props: FindingProps) => {
  const { finding, watchedNs, isFloor, acting } = props;
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
      <Remedy finding={finding} isFloor={isFloor} />
      <p class="seen">
        <span class="label">Seen</span> {finding.observed}
      </p>
      <p class="seen">
        <span class="label">Expected</span> {finding.expected}
      </p>
      <Facts finding={finding} />
      {acting !== null && <Actions {...props} acting={acting} />}
    </li>
  );
};

interface FindingsProps {
  readonly findings: readonly PageFinding[];
  readonly watchedNs: number;
  /** Shown to the floor: each with the floor's task. */
  readonly isFloor?: boolean;
  /** null: nothing is pressed here. */
  readonly acting?: Acting | null;
}

/** Open findings, what needs eyes first on top. */
export const Findings = ({
  findings,
  watchedNs,
  isFloor = false,
  acting = null,
}: FindingsProps) => (
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
            <FindingCard
              key={finding.id}
              finding={finding}
              findings={findings}
              watchedNs={watchedNs}
              isFloor={isFloor}
              acting={acting}
            />
          ))}
        </ul>
      )}
    </ScrollBox>
  </section>
);
