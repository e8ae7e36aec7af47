import type { PageModel } from './model.js';
import type { Login, Me } from './who.js';
import { ageText, type Mark, type PageName, timeText } from './words.js';

/** A shape that says by its form what its colour says too. */
export const Shape = ({ mark }: { readonly mark: Mark }) => (
  <svg class={`shape tone-${mark.tone}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    {mark.shape === 'circle' && <circle cx="8" cy="8" r="6.5" />}
    {mark.shape === 'triangle' && <path d="M8 1.5 15.2 14.5H.8Z" />}
    {mark.shape === 'square' && <rect x="1.5" y="1.5" width="13" height="13" rx="1.5" />}
    {mark.shape === 'bar' && <rect x="1.5" y="5" width="13" height="6" rx="1.5" />}
    {mark.shape === 'cross' && <path d="m4 1 4 4 4-4 3 3-4 4 4 4-3 3-4-4-4 4-3-3 4-4-4-4Z" />}
    {mark.shape === 'diamond' && <path d="M8 .6 15.4 8 8 15.4.6 8Z" />}
  </svg>
);

const PAGES: readonly { readonly page: PageName; readonly href: string; readonly text: string }[] =
  [
    { page: 'table', href: '/', text: 'Table' },
    { page: 'floor', href: '/floor', text: 'Floor' },
    { page: 'dealer', href: '/dealer', text: 'Dealer' },
    { page: 'technician', href: '/technician', text: 'Technician' },
  ];

const LINK_MARKS: Readonly<Record<PageModel['link'], Mark>> = {
  live: { tone: 'go', shape: 'circle', word: 'Live' },
  lost: { tone: 'stop', shape: 'square', word: 'No connection' },
  waiting: { tone: 'still', shape: 'bar', word: 'Connecting' },
};

/** The inside of a table is the technician's. */
const maySee = (me: Me, page: PageName): boolean =>
  page !== 'technician' || (me !== null && me !== 'out' && me.roles.includes('technician'));

interface HeadProps {
  readonly page: PageName;
  readonly model: PageModel;
  readonly wallMs: number;
  readonly login: Login;
}

/** Who is logged in, and the way out; nothing where nobody logs in. */
const WhoLine = ({ login }: { readonly login: Login }) => {
  const { me, leave } = login;
  if (me === null || me === 'out' || me.way === 'open') return null;
  return (
    <p class="me">
      <span>{me.name}</span>
      {me.way === 'password' && (
        <button type="button" class="plain" onClick={leave}>
          Log out
        </button>
      )}
    </p>
  );
};

export const Head = ({ page, model, wallMs, login }: HeadProps) => {
  const { state, link } = model;
  const mark = LINK_MARKS[link];
  return (
    <header class="head">
      <a class="skip" href="#main">
        To the table
      </a>
      <p class="who">
        <strong>{state?.table ?? 'Cutcard'}</strong>
        <span class="game">{state?.procedure.title ?? ''}</span>
      </p>
      <nav aria-label="Pages of this table">
        {PAGES.filter((one) => maySee(login.me, one.page)).map(({ page: name, href, text }) => (
          <a key={name} href={href} aria-current={name === page ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      <p class="link" role="status">
        <Shape mark={mark} />
        {mark.word}
      </p>
      <WhoLine login={login} />
      {state !== null && (
        <p class="clock">
          <time>{timeText(wallMs)}</time> <abbr title="Coordinated Universal Time">UTC</abbr>
          {!state.wallTrusted && (
            <span class="untrusted">
              {state.simulated === true ? ' simulated time' : ' not synchronised'}
            </span>
          )}
        </p>
      )}
    </header>
  );
};

interface LostProps {
  readonly silentMs: number;
  readonly wallMs: number;
}

/** Nobody may take an old picture for the table. */
export const LostBanner = ({ silentMs, wallMs }: LostProps) => (
  <div class="lost" role="alert">
    <strong>No connection to the table</strong>
    <span>
      Shown below is how it stood at {timeText(wallMs)}, {ageText(silentMs)} ago. It may be wrong
      now. Trying to come back.
    </span>
  </div>
);
