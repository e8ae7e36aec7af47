import { type TableId, tableIdOf } from '../../../floor/api.js';

/** Pages without an address of their own parts, in the order of the head. */
export const PAGES = [
  { page: 'wall', text: 'Wall' },
  { page: 'alerts', text: 'Alerts' },
  { page: 'handover', text: 'Hand-over' },
  { page: 'reports', text: 'Reports' },
  { page: 'trends', text: 'Trends' },
  { page: 'audit', text: 'Audit trail' },
] as const;

/** What is shown. It stands behind the `#` of the address: a link to it can be kept and sent. */
export type Route =
  | { readonly page: (typeof PAGES)[number]['page']; readonly query: string }
  | {
      readonly page: 'table';
      readonly id: TableId;
      /** null: the newest one. */
      readonly shoe: number | null;
      /** Journal row that is looked at; null: the newest one. */
      readonly seq: number | null;
    };

const MAX_DIGITS = 15;

/** A whole number as it stands in an address; null where it is none. */
export const numberOf = (text: string | null): number | null =>
  text !== null && text.length <= MAX_DIGITS && /^\d+$/.test(text) ? Number(text) : null;

const WALL: Route = { page: 'wall', query: '' };

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

/** @param hash `#/alerts?open=1`; anything that is no page is the wall. */
export const routeOf = (hash: string): Route => {
  const text = hash.replace(/^#\/?/, '');
  const at = text.indexOf('?');
  const [path, query] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  if (path.startsWith('table/')) {
    const key = path.slice('table/'.length).split('/').map(decoded).join('/');
    const id = tableIdOf(key);
    const values = new URLSearchParams(query);
    return id === null
      ? WALL
      : { page: 'table', id, shoe: numberOf(values.get('shoe')), seq: numberOf(values.get('seq')) };
  }
  const page = PAGES.find((one) => one.page === path);
  return page === undefined ? WALL : { page: page.page, query };
};

/** The address of a route within the document. */
export const hashOf = (route: Route): string => {
  if (route.page !== 'table') {
    return `#/${route.page}${route.query === '' ? '' : `?${route.query}`}`;
  }
  const { site, pit, table } = route.id;
  const path = [site, pit, table].map(encodeURIComponent).join('/');
  const values = new URLSearchParams();
  if (route.shoe !== null) values.set('shoe', String(route.shoe));
  if (route.seq !== null) values.set('seq', String(route.seq));
  const query = values.toString();
  return `#/table/${path}${query === '' ? '' : `?${query}`}`;
};

/** The address of one table, at a shoe and a row where they are given. */
export const tableHash = (
  id: TableId,
  shoe: number | null = null,
  seq: number | null = null,
): string => hashOf({ page: 'table', id, shoe, seq });

/** `a=1&b=2` of the fields that hold something. */
export const queryOf = (fields: Readonly<Record<string, string>>): string => {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== '') values.set(name, value);
  return values.toString();
};
