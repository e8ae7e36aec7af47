import type { PageView } from '../../table-page/message.js';
import { Doubts } from './counts.js';
import { Findings } from './findings.js';
import { Outputs } from './step.js';
import { clauseText, plainWord } from './words.js';

interface FloorPageProps {
  readonly view: PageView;
  readonly watchedNs: number;
}

/** What a floorperson comes to the table for: what is open and what puts it right. */
export const FloorPage = ({ view, watchedNs }: FloorPageProps) => (
  <main id="main" class="floor">
    <section class="floor-now" aria-labelledby="floor-title">
      <h1 id="floor-title">{plainWord(view.phase)}</h1>
      <p>
        <span class="label">Dealer is shown</span> {view.display?.line1 ?? 'nothing'}
        {view.display !== null && <span class="clause">{clauseText(view.display.clause)}</span>}
      </p>
      <p>
        <span class="label">Shoe</span> {view.shoe}, round {view.round}
        {view.dealer !== null && (
          <>
            {' '}
            <span class="label">Dealer</span> {view.dealer}
          </>
        )}
      </p>
      <Outputs view={view} />
      <Doubts view={view} />
    </section>
    <Findings findings={view.findings} watchedNs={watchedNs} />
  </main>
);
