import { mayAct } from '../../../controller/core/finding-rules.js';
import type { PermittedKey } from '../../../controller/core/permitted.js';
import type { PressKey } from '../../../controller/core/press.js';
import type { WhoView } from '../../access/who-view.js';
import type { PageView } from '../../table-page/message.js';
import { Count } from './counts.js';
import { Keys } from './keys.js';
import { NextStep } from './step.js';
import { useAsking } from './use-asking.js';
import { usePress } from './use-press.js';
import { pressingAs, pressRole } from './who.js';

/** Taken at nearly any time: they stand aside, so that the step's keys are few and large. */
const ASIDE: readonly PressKey[] = [
  'spill',
  'replace',
  'dealer-in',
  'close-table',
  'spread',
  'acknowledge',
  'preshuffled',
];

interface DealerPageProps {
  readonly view: PageView;
  readonly keys: readonly PermittedKey[];
  readonly who: WhoView;
}

const Counts = ({ view }: { readonly view: PageView }) => {
  const isPlaying = view.phase === 'round' || view.phase === 'stub-due';
  return (
    <dl class="dealer-counts">
      <Count name="Burn due" value={view.due} emphasis={view.due !== 0} />
      <Count
        name={isPlaying ? 'Cards this round' : 'Cards last round'}
        value={view.round === 0 ? 'none' : view.cardsThisRound}
      />
      <Count name="Round" value={view.round} />
      <Count
        name="Open findings"
        value={view.findings.length}
        emphasis={view.findings.length > 0}
      />
    </dl>
  );
};

/**
 * The dealer's display: one step, readable at arm's length, and the keys it takes. Players may
 * see it, so it tells nothing of how deep the shoe is, nor which rank was keyed.
 */
export const DealerPage = ({ view, keys, who }: DealerPageProps) => {
  const role = pressRole(who, 'dealer');
  const pressing = usePress(role ?? 'dealer', view.seq);
  const own = keys.filter(({ needs }) => role !== null && mayAct(role, needs));
  const mine = own.filter(({ needs }) => needs === 'dealer');
  const { findings } = view;
  const isOpen = who.way === 'open';
  const asking = useAsking({ pressing, keys: mine, findings, isOpen });
  const isAside = ({ key, departs }: PermittedKey): boolean =>
    departs.length > 0 || ASIDE.includes(key);
  const step = view.display?.step ?? null;
  const next = mine.find(({ key }) => key === step)?.key ?? null;
  const isFirst = (one: PermittedKey): boolean => one.key === next || !isAside(one);
  return (
    <main id="main" class={role === null ? 'dealer' : 'dealer dealer-keys'}>
      <NextStep view={view} />
      {role !== null && (
        <Keys
          title="Keys of the dealer"
          keys={mine.filter(isFirst)}
          more={mine.filter((one) => !isFirst(one))}
          next={next}
          findings={findings}
          pressing={pressing}
          asking={asking}
          hasShortcuts
        />
      )}
      <Counts view={view} />
      <p class="pressing-as">{pressingAs(who, role)}</p>
    </main>
  );
};
