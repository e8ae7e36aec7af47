import { useEffect } from 'preact/hooks';
import { PAGES, type Route } from './route.js';
import { WallPage } from './wall-page.js';

interface PagesProps {
  readonly route: Route;
  /** Another address for the same page. */
  readonly replace: (route: Route) => void;
}

const titleOf = (route: Route): string =>
  route.page === 'table'
    ? route.id.table
    : (PAGES.find(({ page }) => page === route.page)?.text ?? 'Wall');

/** What the address says. */
export const Pages = ({ route, replace }: PagesProps) => {
  const title = titleOf(route);
  useEffect(() => {
    document.title = `${title} · Cutcard floor`;
  }, [title]);
  return (
    <WallPage
      query={route.page === 'wall' ? route.query : ''}
      setQuery={(query) => {
        replace({ page: 'wall', query });
      }}
    />
  );
};
