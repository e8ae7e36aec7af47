import { useEffect } from 'preact/hooks';
import { AlertsPage } from './alerts-page.js';
import { AuditPage } from './audit-page.js';
import { HandoverPage } from './handover-page.js';
import { ReportsPage } from './reports-page.js';
import { PAGES, type Route } from './route.js';
import { TableView } from './table-view.js';
import { TrendsPage } from './trends-page.js';
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
  switch (route.page) {
    case 'table':
      return <TableView id={route.id} shoe={route.shoe} seq={route.seq} replace={replace} />;
    case 'alerts':
      return (
        <AlertsPage
          query={route.query}
          setQuery={(query) => {
            replace({ page: 'alerts', query });
          }}
        />
      );
    case 'handover':
      return <HandoverPage />;
    case 'reports':
      return <ReportsPage />;
    case 'trends':
      return <TrendsPage />;
    case 'audit':
      return <AuditPage />;
    case 'wall':
      return (
        <WallPage
          query={route.query}
          setQuery={(query) => {
            replace({ page: 'wall', query });
          }}
        />
      );
  }
};
