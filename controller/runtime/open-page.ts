import type { SiteConfig } from '../config/schema.js';
import { hostPort } from '../config/schema.js';
import type { Rules } from '../core/decide.js';
import type { Scheduler } from '../core/ports.js';
import type { TlsFiles, ProxyRule } from '../../surveillance/access/listen.js';
import type { Users } from '../../surveillance/access/users-book.js';
import type { TablePage, TablePageAccess } from '../../surveillance/table-page/server.js';
import type { TechSource } from '../../surveillance/table-page/technician.js';
import { EXIT, Refusal } from './exit.js';
import { type LiveLines, pageSource } from './live.js';
import type { Log } from './log-port.js';
import type { TableLoop } from './loop.js';
import { pressDesk } from './press-desk.js';

const MINUTE_MS = 60_000;

/** Who comes in: `look`: anybody here, to look · `demo`: anybody here, to press · a login. */
export type PageEntry =
  | { readonly by: 'look' }
  | { readonly by: 'demo'; readonly auditFile: string }
  | {
      readonly by: 'login';
      readonly users: Users;
      readonly auditFile: string;
      readonly idleMinutes: number;
      readonly tls: TlsFiles | null;
      readonly proxy: ProxyRule | null;
    };

export interface PagePlan {
  readonly host: string;
  readonly port: number;
  /** Its address is told before anything is played; else it comes once all is armed. */
  readonly first?: true;
  readonly entry: PageEntry;
}

export interface PageParts {
  readonly table: string;
  readonly loop: TableLoop;
  readonly rules: Rules;
  readonly scheduler: Scheduler;
  readonly isSimulated: boolean;
  readonly lines: LiveLines;
  readonly technician: TechSource;
  readonly log: Log;
}

interface Entry {
  readonly access?: TablePageAccess;
  readonly close: () => Promise<void>;
}

const openEntry = async (entry: PageEntry, log: Log): Promise<Entry> => {
  if (entry.by === 'look') return { close: () => Promise.resolve() };
  const { AuditFile } = await import('../../surveillance/access/audit.js');
  const { ABSOLUTE_MS } = await import('../../surveillance/access/sessions.js');
  const audit = new AuditFile(entry.auditFile, (text) => log.error({}, text));
  await audit.start();
  const close = (): Promise<void> => audit.stop();
  if (entry.by === 'demo') {
    return { access: { users: null, audit, proxy: null, tls: null }, close };
  }
  const { users, tls, proxy, idleMinutes } = entry;
  const limits = { idleMs: idleMinutes * MINUTE_MS, absoluteMs: ABSOLUTE_MS };
  return { access: { users, audit, proxy, tls, limits }, close };
};

/**
 * Serves a table's page to those who may come in.
 * @throws Refusal in plain words where it cannot be served.
 */
export const openPage = async (plan: PagePlan, parts: PageParts): Promise<TablePage> => {
  const { startTablePage } = await import('../../surveillance/table-page/server.js');
  const { ListenError } = await import('../../surveillance/access/listen.js');
  const { AuditFault } = await import('../../surveillance/access/audit.js');
  const { loop, technician, log } = parts;
  const mayPress = plan.entry.by !== 'look';
  const source = pageSource(loop, { ...parts, mayPress });
  let entry: Entry | null = null;
  try {
    entry = await openEntry(plan.entry, log);
    const page = await startTablePage({
      source,
      technician,
      press: mayPress ? pressDesk(loop) : null,
      host: plan.host,
      port: plan.port,
      ...(entry.access === undefined ? {} : { access: entry.access }),
    });
    return closing(page, entry.close);
  } catch (error) {
    await entry?.close();
    if (error instanceof ListenError || error instanceof AuditFault) {
      throw new Refusal(EXIT.usage, error.message, error);
    }
    throw error;
  }
};

/** The trail ends after the last request. */
const closing = (page: TablePage, close: () => Promise<void>): TablePage => ({
  ...page,
  stop: async () => {
    await page.stop();
    await close();
  },
});

/**
 * The page a configuration asks for; null: none.
 * @throws Refusal with exit code 78 for a list of users that cannot be used.
 */
export const pagePlanOf = async (
  { page }: SiteConfig,
  resolve: (path: string) => string,
  log: Log,
): Promise<PagePlan | null> => {
  const place = page === undefined ? null : hostPort(page.listen);
  if (page === undefined || place === null) return null;
  const { usersFile, auditFile, idleMinutes, tls, proxy } = page;
  if (usersFile === undefined) return { ...place, entry: { by: 'look' } };
  const { UsersBook } = await import('../../surveillance/access/users-book.js');
  const { UsersError } = await import('../../surveillance/access/users-file.js');
  const users = new UsersBook(resolve(usersFile), { notice: (text) => log.warn({}, text) });
  try {
    users.load();
  } catch (error) {
    if (!(error instanceof UsersError)) throw error;
    throw new Refusal(EXIT.config, `page.usersFile: ${error.message}`, error);
  }
  return {
    ...place,
    entry: {
      by: 'login',
      users,
      idleMinutes,
      auditFile: resolve(auditFile),
      tls:
        tls === undefined
          ? null
          : { certFile: resolve(tls.certFile), keyFile: resolve(tls.keyFile) },
      proxy: proxy ?? null,
    },
  };
};
