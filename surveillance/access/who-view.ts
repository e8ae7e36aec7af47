import { ROLES, type Role } from '../../controller/core/cards.js';
import { ACCESS_ROLES, type AccessRole, type Way, type Who } from './roles.js';

/** What a page is told of who uses it (`GET /api/me`, `POST /api/login`). */
export interface WhoView {
  readonly name: string;
  readonly roles: readonly AccessRole[];
  readonly press: readonly Role[];
  readonly badge: string | null;
  readonly way: Way;
}

export const whoView = ({ name, roles, press, badge, way }: Who): WhoView => ({
  name,
  roles,
  press,
  badge,
  way,
});

const WAYS: readonly string[] = ['password', 'proxy', 'open'];
const within = (value: unknown, known: readonly string[]): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && known.includes(one));

/** Whether an answer is a `WhoView`; a page takes nothing else for a person. */
export const isWhoView = (value: unknown): value is WhoView =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  'roles' in value &&
  within(value.roles, ACCESS_ROLES) &&
  'press' in value &&
  within(value.press, ROLES) &&
  'badge' in value &&
  (value.badge === null || typeof value.badge === 'string') &&
  'way' in value &&
  typeof value.way === 'string' &&
  WAYS.includes(value.way);
