import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Role } from '../../../controller/core/cards.js';
import { isWhoView, type WhoView } from '../../access/who-view.js';
import type { Link } from './model.js';
import { ask } from './service.js';

/** While the line is lost: perhaps only the login is over. */
const LOOK_MS = 4000;
/** The table answers so where nobody is logged in. */
const NOBODY = 204;

/** `null`: not known yet · `out`: nobody is logged in. */
export type Me = WhoView | 'out' | null;

export interface Login {
  readonly me: Me;
  readonly enter: (who: WhoView) => void;
  readonly leave: () => void;
}

/** Who uses this page; asked at the start, and again while the line is lost. */
export const useLogin = (link: Link): Login => {
  const [me, setMe] = useState<Me>(null);
  const isOut = me === 'out';
  useEffect(() => {
    const look = async (): Promise<void> => {
      const answer = await ask('/api/me');
      if (answer.status === NOBODY) setMe('out');
      else if (isWhoView(answer.body)) setMe(answer.body);
    };
    void look();
    if (link === 'live' || isOut) return undefined;
    const timer = window.setInterval(() => void look(), LOOK_MS);
    return () => {
      window.clearInterval(timer);
    };
  }, [link, isOut]);
  const leave = useCallback(() => {
    void ask('/api/logout', {}).then(() => {
      setMe('out');
    });
  }, []);
  return { me, enter: setMe, leave };
};

/** The role a page presses as: its own, or the floor's where that is held; null: none. */
export const pressRole = (who: WhoView, own: Role): Role | null => {
  if (who.press.includes(own)) return own;
  return who.press.includes('floor') ? 'floor' : null;
};

/** As whom the keys of a page are pressed, in words. */
export const pressingAs = (who: WhoView, role: Role | null): string => {
  if (role === null) {
    return who.way === 'open'
      ? 'To look only: this table has no list of users'
      : `${who.name} presses nothing here`;
  }
  if (who.way === 'open') {
    const floor = 'While this page is open, a stop waits 30 s for you, then the demo settles it';
    const text = `Demo, nobody logged in: pressing as ${role}`;
    return role === 'floor' ? `${text}. ${floor}` : text;
  }
  const badge = who.badge === null || who.badge === who.name ? '' : `, badge ${who.badge}`;
  return `Pressing as ${role}: ${who.name}${badge}`;
};
