import { z } from 'zod';
import { ROLES } from '../../controller/core/cards.js';
import type { Press } from '../../controller/core/press.js';
import { parsePress, type Parsed, type RawPress } from '../../controller/core/press-parse.js';

const panelSchema = z.union([
  z.strictObject({ alive: z.literal(true) }),
  z.strictObject({ identity: z.string().min(1).max(64) }),
  z.strictObject({
    n: z.int().min(0).max(65_535).optional(),
    key: z.string().max(32),
    role: z.enum(ROLES).exactOptional(),
    badge: z.string().min(1).max(32).exactOptional(),
    seat: z.int().min(0).max(32).exactOptional(),
    value: z.unknown().optional(),
  }),
]);

export type PanelSays =
  | { readonly say: 'alive' }
  | { readonly say: 'identity'; readonly identity: string }
  | { readonly say: 'press'; readonly press: Press };

/** Checks what the panel sent; says in plain words what is wrong with it. */
export const readPanel = (value: unknown): Parsed<PanelSays> => {
  const parsed = panelSchema.safeParse(value);
  if (!parsed.success) return { ok: false, why: z.prettifyError(parsed.error) };
  const data = parsed.data;
  if ('alive' in data) return { ok: true, value: { say: 'alive' } };
  if ('identity' in data) return { ok: true, value: { say: 'identity', identity: data.identity } };
  const { n: _n, ...raw } = data;
  const press = parsePress(raw);
  return press.ok ? { ok: true, value: { say: 'press', press: press.value } } : press;
};

/** The panel's message for a press: `parsePress(rawPressOf(press))` gives the press back. */
export const rawPressOf = (press: Press): RawPress => {
  const { kind: _kind, role, badge, key, ...fields } = press;
  const head = { key, role, ...(badge === undefined ? {} : { badge }) };
  switch (press.key) {
    case 'preshuffled':
      return { ...head, value: press.package };
    case 'first-card':
      return { ...head, value: press.rank };
    case 'acknowledge':
    case 'clear':
      return { ...head, value: press.finding };
    case 'approve-reshuffler':
      return { ...head, value: press.device };
    case 'no-more-bets':
      return press.hands === undefined ? head : { ...head, value: press.hands };
    case 'loaded':
      return press.batch === undefined ? head : { ...head, value: press.batch };
    case 'round-end':
      return press.result === undefined ? head : { ...head, value: press.result };
    case 'dealer-in':
      return press.dealer === undefined ? head : { ...head, value: press.dealer };
    case 'cut': {
      const by = press.by === 'dealer' ? 'dealer' : `seat ${press.by}`;
      return { ...head, value: press.depth === undefined ? by : `${by} depth ${press.depth}` };
    }
    default:
      return Object.keys(fields).length === 0 ? head : { ...head, value: fields };
  }
};
