import type { WhoView } from '../../../access/who-view.js';
import { Shape } from '../frame.js';
import { ageText, type Mark, plainWord, timeText } from '../words.js';
import { useFloor, useServiceNow, useWallState } from './floor-context.js';
import { hashOf, PAGES, type Route } from './route.js';
import type { WallLink, WallState } from './wall-store.js';

const LINK_MARKS: Readonly<Record<WallLink, Mark>> = {
  live: { tone: 'go', shape: 'circle', word: 'Live' },
  lost: { tone: 'stop', shape: 'cross', word: 'Not live' },
  waiting: { tone: 'still', shape: 'bar', word: 'Connecting' },
};

const Clock = () => (
  <p class="clock">
    <time>{timeText(useServiceNow())}</time> <abbr title="Coordinated Universal Time">UTC</abbr>
  </p>
);

export interface SoundSwitch {
  readonly isOn: boolean;
  /** The browser lets the page sound. */
  readonly isReady: boolean;
  readonly toggle: () => void;
}

const soundWord = ({ isOn, isReady }: SoundSwitch): string => {
  if (!isOn) return 'Sound off';
  return isReady ? 'Sound on' : 'Sound waits for a click';
};

const Who = ({ me, leave }: { readonly me: WhoView; readonly leave: () => void }) => (
  <p class="me">
    <span>
      {me.way === 'open' ? 'No login' : me.name}{' '}
      <span class="role">
        {me.way === 'open' ? 'this machine' : me.roles.map(plainWord).join(', ')}
      </span>
    </span>
    {me.way === 'password' && (
      <button type="button" class="plain" onClick={leave}>
        Log out
      </button>
    )}
  </p>
);

interface HeadProps {
  readonly route: Route;
  readonly sound: SoundSwitch;
  readonly leave: () => void;
}

export const WallHead = ({ route, sound, leave }: HeadProps) => {
  const { store, me } = useFloor();
  const { link } = useWallState(store);
  const mark = LINK_MARKS[link];
  return (
    <header class="head">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The part behind the `#` says which page it is: it stays, and the focus moves.
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        To the content
      </a>
      <p class="who">
        <strong>Cutcard</strong>
        <span class="game">Floor</span>
      </p>
      <nav aria-label="Pages of the floor">
        {PAGES.map(({ page, text }) => (
          <a
            key={page}
            href={hashOf({ page, query: '' })}
            aria-current={page === route.page ? 'page' : undefined}
          >
            {text}
          </a>
        ))}
      </nav>
      <p class="link" role="status">
        <Shape mark={mark} />
        {mark.word}
      </p>
      <Clock />
      <button type="button" class="plain sound" aria-pressed={sound.isOn} onClick={sound.toggle}>
        {soundWord(sound)}
      </button>
      <Who me={me} leave={leave} />
    </header>
  );
};

const SilentFor = ({ heardLocalMs }: { readonly heardLocalMs: number }) => {
  useServiceNow();
  return <>{ageText(performance.now() - heardLocalMs)}</>;
};

/** Nobody may take an old picture for the floor. */
export const WallBanner = ({ state }: { readonly state: WallState }) => {
  if (state.link === 'lost') {
    return (
      <div class="lost" role="alert">
        <strong>Not live since {timeText(state.atMs)}</strong>
        <span>
          Nothing was heard from the floor service for{' '}
          <SilentFor heardLocalMs={state.heardLocalMs} />. What is shown may be wrong now. Trying to
          come back.
        </span>
      </div>
    );
  }
  const { broker, storeFault = null } = state.service ?? {};
  if (storeFault !== null) {
    return (
      <div class="lost" role="alert">
        <strong>No rows are stored since {timeText(storeFault.sinceMs)}</strong>
        <span>
          The floor service&apos;s store refuses them: {storeFault.why}. None is acknowledged:
          tables keep their rows and send them again. It goes on by itself once there is room.
        </span>
      </div>
    );
  }
  return broker === undefined || broker.up ? null : (
    <div class="lost" role="alert">
      <strong>No tables are heard</strong>
      <span>
        The floor service has lost the broker
        {broker.sinceMs === null ? '' : ` since ${timeText(broker.sinceMs)}`}. Tables keep their
        rows and send them when it is back.
      </span>
    </div>
  );
};
