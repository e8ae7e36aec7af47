import type { PageView } from '../../table-page/message.js';
import { coverText, plural } from './words.js';

interface CountProps {
  readonly name: string;
  /** null: not known · `none`: there is no such number yet. */
  readonly value: number | null | 'none';
  readonly note?: string;
  readonly emphasis?: boolean;
}

export const Count = ({ name, value, note = '', emphasis = false }: CountProps) => (
  <div class={emphasis ? 'count emphasis' : 'count'}>
    <dt>{name}</dt>
    <dd>
      {typeof value === 'number' ? (
        value
      ) : (
        <>
          <span aria-hidden="true">{value === null ? '?' : '–'}</span>
          <span class="unheard">{value === null ? 'not known' : 'none yet'}</span>
        </>
      )}
    </dd>
    <dd class="note">{note}</dd>
  </div>
);

/** The shoe as a bar: what is out, what is left, and where the cover card came out. */
const ShoeBar = ({ view }: { readonly view: PageView }) => {
  const { loaded, out, behind } = view;
  if (loaded === 0) return null;
  const share = (cards: number): number => Math.min(100, Math.max(0, (100 * cards) / loaded));
  const text =
    view.left === null
      ? `${out} of ${loaded} cards known to be out; more may have moved unseen`
      : `${out} of ${loaded} cards out, ${view.left} left`;
  return (
    <svg
      class="shoe"
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
      focusable="false"
    >
      <rect class="shoe-left" width="100" height="6" />
      <rect class="shoe-out" width={share(out)} height="6" />
      {behind !== null && (
        <rect class="shoe-cover" x={share(loaded - behind) - 0.3} width="0.6" height="6" />
      )}
    </svg>
  );
};

const burnNote = (view: PageView): string => {
  if (view.due === null) return 'rank not keyed in';
  return view.dealerBurnDue ? 'new dealer' : '';
};

/** Cards and cover card, and whatever of them is in doubt. */
export const Counts = ({ view }: { readonly view: PageView }) => {
  const isLoaded = view.loaded > 0;
  const left = isLoaded ? view.left : 0;
  return (
    <section class="counts" aria-labelledby="counts-title">
      <h2 id="counts-title" class="unheard">
        Cards
      </h2>
      <dl>
        <Count name="Loaded" value={view.loaded} note={view.batch ?? ''} />
        <Count name="Out" value={view.out} note={`${view.cardsThisRound} this round`} />
        <Count name="Left" value={left} note={view.gap ? 'not known' : ''} />
        <Count
          name="Behind"
          value={view.coverSeen ? view.behind : 'none'}
          note={view.coverSeen ? 'at the cover' : ''}
        />
        <Count name="Burn due" value={view.due} note={burnNote(view)} emphasis={view.due !== 0} />
        <div class={view.lastHand ? 'count wide emphasis' : 'count wide'}>
          <dt>Cover card</dt>
          <dd class="words">{coverText(view)}</dd>
          <dd class="note">
            Shoe {view.shoe}, round {view.round}
          </dd>
        </div>
      </dl>
      <ShoeBar view={view} />
      <Doubts view={view} />
    </section>
  );
};

/** What must be counted, and what may have moved unseen. */
export const Doubts = ({ view }: { readonly view: PageView }) => {
  const doubts = [
    ...(view.gap ? ['Cards may have moved unseen'] : []),
    ...(view.countRequired === null ? [] : [`Count the cards: ${view.countRequired}`]),
    ...view.quarantined.map((batch) => `Batch ${batch} quarantined`),
    ...(view.cardsAfterWarning === 0
      ? []
      : [`${plural(view.cardsAfterWarning, 'card')} after the stop`]),
  ];
  return doubts.length === 0 ? null : (
    <ul class="doubts" aria-label="In doubt">
      {doubts.map((doubt) => (
        <li key={doubt}>{doubt}</li>
      ))}
    </ul>
  );
};
