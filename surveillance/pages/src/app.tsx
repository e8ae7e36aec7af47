import { useEffect, useState } from 'preact/hooks';
import type { WhoView } from '../../access/who-view.js';
import { DealerPage } from './dealer-page.js';
import { Feed } from './feed.js';
import { FloorPage } from './floor-page.js';
import { LoginPage } from './login-page.js';
import { emptyModel, type PageModel, wallNow, watchedNow } from './model.js';
import { TechnicianPage } from './technician-page.js';
import { TablePage } from './table-page.js';
import { Head, LostBanner } from './frame.js';
import { useLogin } from './who.js';
import { type PageName, pageOf } from './words.js';

const TICK_MS = 1000;

/** The time of this browser, once a second: ages grow between two messages. */
const useLocalMs = (): number => {
  const [nowMs, setNowMs] = useState(() => performance.now());
  useEffect(() => {
    const timer = window.setInterval(() => {
      setNowMs(performance.now());
    }, TICK_MS);
    return () => {
      window.clearInterval(timer);
    };
  }, []);
  return nowMs;
};

/** The table's stream, once the table knows who it is told to. */
const useFeed = (page: PageName, isIn: boolean, show: (model: PageModel) => void): void => {
  useEffect(() => {
    if (!isIn) return undefined;
    const feed = new Feed(page, show);
    feed.start();
    return () => {
      feed.stop();
      show(emptyModel);
    };
  }, [page, isIn]);
};

const TITLES: Readonly<Record<PageName, string>> = {
  table: 'Table',
  dealer: 'Dealer',
  floor: 'Floor',
  technician: 'Technician',
};

/** The document: which page it is stands in its address. */
export const App = () => {
  const page = pageOf(window.location.pathname);
  const [model, setModel] = useState(emptyModel);
  const login = useLogin(model.link);
  useFeed(page, login.me !== null && login.me !== 'out', setModel);
  const localMs = Math.max(useLocalMs(), model.heardLocalMs);
  const { state, link } = model;
  const { me, enter } = login;
  const name = state?.table;
  useEffect(() => {
    document.title = `${name ?? 'Cutcard'} · ${TITLES[page]}`;
  }, [name, page, me]);
  const wallMs = wallNow(model, localMs);
  if (me === 'out') {
    return (
      <div class="page page-login">
        <LoginPage enter={enter} />
      </div>
    );
  }
  return (
    <div class={`page page-${page} link-${link}`}>
      <Head page={page} model={model} wallMs={wallMs} login={login} />
      {link === 'lost' && <LostBanner silentMs={localMs - model.heardLocalMs} wallMs={wallMs} />}
      {state === null || me === null ? (
        <main class="waiting" id="main">
          <h1>Waiting for the table</h1>
          <p>Nothing was heard from it yet. This page shows it as soon as it answers.</p>
        </main>
      ) : (
        <Shown page={page} model={model} who={me} watchedNs={watchedNow(model, localMs)} />
      )}
    </div>
  );
};

interface ShownProps {
  readonly page: PageName;
  readonly model: PageModel;
  readonly who: WhoView;
  readonly watchedNs: number;
}

const Shown = ({ page, model, who, watchedNs }: ShownProps) => {
  const { state, lines, linesMissed, link } = model;
  if (state === null) return null;
  // An old picture takes no press.
  const keys = link === 'live' ? state.keys : [];
  switch (page) {
    case 'dealer':
      return <DealerPage view={state.view} keys={keys} who={who} />;
    case 'floor':
      return <FloorPage view={state.view} keys={keys} who={who} watchedNs={watchedNs} />;
    case 'technician':
      return <TechnicianPage />;
    case 'table':
      return (
        <TablePage
          view={state.view}
          watchedNs={watchedNs}
          lines={lines}
          linesMissed={linesMissed}
        />
      );
  }
};
