import { ROLES, type Role } from '../../controller/core/cards.js';

/**
 * What a person may do on a page. Every one of them may look; `viewer` may only that.
 * `operator` acts on alerts and tables · `auditor` reads the audit trail and takes evidence ·
 * `technician` sees the inside of a table.
 */
export const ACCESS_ROLES = ['viewer', 'operator', 'auditor', 'technician'] as const;
export type AccessRole = (typeof ACCESS_ROLES)[number];

/** How a request was known. `open`: by nobody, on a service of this machine without a login. */
export type Way = 'password' | 'proxy' | 'open';

/** Who makes a request. */
export interface Who {
  readonly name: string;
  readonly roles: readonly AccessRole[];
  /** Table roles this person may press as; empty: none. */
  readonly press: readonly Role[];
  /** What a press carries as badge; null: none. */
  readonly badge: string | null;
  readonly way: Way;
}

/** Whoever opens a service of this machine that has no login: all of it, and no name. */
export const anybodyHere: Who = {
  name: 'anybody at this machine',
  roles: ACCESS_ROLES,
  press: ROLES,
  badge: null,
  way: 'open',
};

/** Whether one of `wanted` is held; whoever holds any role may look. */
export const holds = ({ roles }: Who, wanted: readonly AccessRole[]): boolean =>
  wanted.some((role) => roles.includes(role) || (role === 'viewer' && roles.length > 0));
