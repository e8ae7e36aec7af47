import type { PageView } from '../../table-page/message.js';
import type { StepLine } from '../../table-page/source.js';
import { Counts } from './counts.js';
import { Duties } from './duties.js';
import { Findings } from './findings.js';
import { NextStep } from './step.js';
import { Steps } from './steps.js';

interface TablePageProps {
  readonly view: PageView;
  readonly watchedNs: number;
  readonly lines: readonly StepLine[];
  readonly linesMissed: boolean;
}

/** Everything about one table on one page. */
export const TablePage = ({ view, watchedNs, lines, linesMissed }: TablePageProps) => (
  <main id="main" class="whole">
    <NextStep view={view} />
    <Counts view={view} />
    <Findings findings={view.findings} watchedNs={watchedNs} />
    <Duties duties={view.duties} />
    <Steps lines={lines} linesMissed={linesMissed} />
  </main>
);
