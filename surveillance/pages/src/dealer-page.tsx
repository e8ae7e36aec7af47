import type { PageView } from '../../table-page/message.js';
import { Count } from './counts.js';
import { NextStep } from './step.js';

/**
 * The dealer's display: one step, readable at arm's length. Players may see it, so it tells
 * nothing of how deep the shoe is.
 */
export const DealerPage = ({ view }: { readonly view: PageView }) => (
  <main id="main" class="dealer">
    <NextStep view={view} />
    <dl class="dealer-counts">
      <Count name="Burn due" value={view.due} emphasis={view.due !== 0} />
      <Count name="Cards this round" value={view.cardsThisRound} />
      <Count name="Round" value={view.round} />
      <Count
        name="Open findings"
        value={view.findings.length}
        emphasis={view.findings.length > 0}
      />
    </dl>
  </main>
);
