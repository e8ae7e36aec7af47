/** Every page of the wall: its address, and what is there once it shows something. */
export const WALL_PAGES: Readonly<
  Record<string, { readonly hash: string; readonly ready: string }>
> = {
  wall: { hash: '#/wall', ready: 'a.tile' },
  table: { hash: '#/table/harbour/pit-1/EZB-008?shoe=2&seq=18', ready: '.saws' },
  alerts: { hash: '#/alerts?open=', ready: 'table.alerts tbody tr' },
  handover: { hash: '#/handover', ready: 'table.alerts tbody tr' },
  reports: { hash: '#/reports', ready: '.report' },
  trends: { hash: '#/trends', ready: 'canvas' },
  audit: { hash: '#/audit', ready: 'table' },
};
