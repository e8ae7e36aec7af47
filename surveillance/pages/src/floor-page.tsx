import { mayAct } from '../../../controller/core/finding-rules.js';
import type { PermittedKey } from '../../../controller/core/permitted.js';
import type { WhoView } from '../../access/who-view.js';
import type { PageView } from '../../table-page/message.js';
import { Doubts } from './counts.js';
import { ABOUT, type Acting, Findings, keysAt } from './findings.js';
import { Keys } from './keys.js';
import { Outputs } from './step.js';
import { useAsking } from './use-asking.js';
import { usePress } from './use-press.js';
import { clauseText, plainWord } from './words.js';
import { pressingAs, pressRole } from './who.js';

interface FloorPageProps {
  readonly view: PageView;
  readonly keys: readonly PermittedKey[];
  readonly who: WhoView;
  readonly watchedNs: number;
}

const Now = ({ view }: { readonly view: PageView }) => (
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
);

/** What a floorperson comes to the table for: what is open and what puts it right. */
export const FloorPage = ({ view, keys, who, watchedNs }: FloorPageProps) => {
  const role = pressRole(who, 'floor');
  const pressing = usePress(role ?? 'floor', view.seq);
  const { findings } = view;
  const own = keys.filter(({ needs }) => role !== null && mayAct(role, needs));
  const isOpen = who.way === 'open';
  const asking = useAsking({ pressing, keys: own, findings, isOpen });
  const acting: Acting | null =
    role === null ? null : { keys: own, asking, isBusy: pressing.isBusy };
  // What stands at its finding stands there alone.
  const atFindings = new Set(findings.flatMap((finding) => keysAt(finding, own)));
  const beside = own.filter((one) => !atFindings.has(one) && !ABOUT.includes(one.key));
  return (
    <main id="main" class="floor">
      <div class="floor-side">
        <Now view={view} />
        {role !== null && (
          <Keys
            title="Keys of the floor"
            keys={beside.filter(({ needs }) => needs === 'floor')}
            more={beside.filter(({ needs }) => needs !== 'floor')}
            next={null}
            findings={findings}
            pressing={pressing}
            asking={asking}
            hasShortcuts={false}
          />
        )}
        <p class="pressing-as">{pressingAs(who, role)}</p>
      </div>
      <Findings findings={findings} watchedNs={watchedNs} isFloor acting={acting} />
    </main>
  );
};
