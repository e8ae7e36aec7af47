import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { WhoView } from '../../../access/who-view.js';
import { BEAT_MS, PATHS } from '../../../floor/api.js';
import { EventLine } from '../event-line.js';
import { ask, askMe, whenLoggedOut } from './ask.js';
import { type Floor, FloorContext, useFloor, useWallState } from './floor-context.js';
import { LoginPage } from './login-page.js';
import { Pages } from './pages.js';
import { hashOf, type Route, routeOf } from './route.js';
import { isNothing } from './shapes.js';
import { useSound } from './use-sound.js';
import { WallBanner, WallHead } from './wall-head.js';
import { WallStore } from './wall-store.js';

/** Three missed beats are a lost line. */
const SILENCE_MS = 3 * BEAT_MS + 500;
/** Between two attempts to learn who is logged in, while the service does not answer, ms. */
const AGAIN_MS = 3000;
/** Between two looks whether the session still stands, while the line is lost, ms. */
const CHECK_MS = 2000;

type Session =
  | { readonly is: 'asking'; readonly error: string }
  | { readonly is: 'out'; readonly why: string }
  | { readonly is: 'in'; readonly me: WhoView };

const ENDED = 'The session is over. Log in again; the page goes on where it was.';

const useSession = () => {
  const [session, setSession] = useState<Session>({ is: 'asking', error: '' });
  useEffect(() => {
    whenLoggedOut(() => {
      setSession((last) => ({ is: 'out', why: last.is === 'in' ? ENDED : '' }));
    });
    const round = { timer: 0 };
    const askOnce = async (): Promise<void> => {
      const answer = await askMe();
      if (answer.ok) {
        if (answer.value !== null) setSession({ is: 'in', me: answer.value });
      } else if (answer.status !== 401) {
        setSession({ is: 'asking', error: answer.error });
        round.timer = window.setTimeout(() => void askOnce(), AGAIN_MS);
      }
    };
    void askOnce();
    return () => {
      window.clearTimeout(round.timer);
    };
  }, []);
  const enter = useCallback((me: WhoView) => {
    setSession({ is: 'in', me });
  }, []);
  const leave = useCallback(() => {
    void ask(PATHS.logout, isNothing, { method: 'POST', body: {} }).then(() => {
      setSession({ is: 'out', why: 'You are logged out.' });
    });
  }, []);
  return { session, enter, leave };
};

/** The wall's stream; it goes on from the last event. */
const useWallLine = (store: WallStore): void => {
  useEffect(() => {
    const line = new EventLine({
      address: () =>
        store.lastId === ''
          ? PATHS.wallStream
          : `${PATHS.wallStream}?after=${encodeURIComponent(store.lastId)}`,
      events: {
        wall: (data, id) => store.takeWall(data, id, performance.now()),
        tile: (data, id) => store.takeTile(data, id, performance.now()),
        beat: (data) => store.takeBeat(data, performance.now()),
      },
      silenceMs: SILENCE_MS,
      lost: () => {
        store.lose();
      },
    });
    line.start();
    return () => {
      line.stop();
    };
  }, [store]);
};

/** A stream that is refused says not why: a session that is over shows by asking who is in. */
const useSessionCheck = (store: WallStore): void => {
  const { link } = useWallState(store);
  useEffect(() => {
    if (link === 'live') return undefined;
    const timer = window.setInterval(() => void askMe(), CHECK_MS);
    return () => {
      window.clearInterval(timer);
    };
  }, [link]);
};

const useRoute = (): Route => {
  const [route, setRoute] = useState(() => routeOf(window.location.hash));
  useEffect(() => {
    const update = (): void => {
      setRoute(routeOf(window.location.hash));
    };
    window.addEventListener('hashchange', update);
    return () => {
      window.removeEventListener('hashchange', update);
    };
  }, []);
  return route;
};

/** Another address for the same page: the way back leads past it. */
const replaceRoute = (route: Route): void => {
  // Somebody who has just gone elsewhere, or back, is not fetched here again.
  if (routeOf(window.location.hash).page !== route.page) return;
  window.location.replace(hashOf(route));
};

const Inside = ({ leave }: { readonly leave: () => void }) => {
  const { store } = useFloor();
  useWallLine(store);
  useSessionCheck(store);
  const state = useWallState(store);
  const sound = useSound(store);
  const route = useRoute();
  return (
    <div class={`page link-${state.link}`}>
      <WallHead route={route} sound={sound} leave={leave} />
      <WallBanner state={state} />
      <Pages route={route} replace={replaceRoute} />
    </div>
  );
};

/** The document: log in, then what its address says. */
export const WallApp = () => {
  const { session, enter, leave } = useSession();
  const store = useMemo(() => new WallStore(), []);
  const me = session.is === 'in' ? session.me : null;
  const floor = useMemo((): Floor | null => (me === null ? null : { store, me }), [store, me]);
  if (session.is === 'out') return <LoginPage enter={enter} why={session.why} />;
  if (floor === null) {
    return (
      <main id="main" class="waiting">
        <h1>Cutcard floor</h1>
        <p>{session.is === 'asking' && session.error !== '' ? session.error : 'Connecting…'}</p>
      </main>
    );
  }
  return (
    <FloorContext.Provider value={floor}>
      <Inside leave={leave} />
    </FloorContext.Provider>
  );
};
