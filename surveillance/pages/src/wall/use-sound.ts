import { useEffect, useMemo, useState } from 'preact/hooks';
import { useRemembered } from './remembered.js';
import { soundFor, Sounds } from './sound.js';
import type { SoundSwitch } from './wall-head.js';
import type { WallStore } from './wall-store.js';

const openFindings = (store: WallStore): readonly { key: string; severity: string }[] =>
  store
    .tiles()
    .flatMap(({ key, findings }) =>
      findings.map(({ id, severity }) => ({ key: `${key} ${id}`, severity })),
    );

/** Sounds on new stops and holds and on a lost line, while it is switched on. Off at first. */
export const useSound = (store: WallStore): SoundSwitch => {
  const [choice, choose] = useRemembered('sound', ['off', 'on']);
  const sounds = useMemo(() => new Sounds(), []);
  const [isReady, setIsReady] = useState(false);
  const isOn = choice === 'on';
  useEffect(() => {
    if (!isOn) return undefined;
    const wake = (): void => {
      void sounds.wake().then(() => {
        setIsReady(sounds.isReady);
      });
    };
    const ending = new AbortController();
    for (const name of ['pointerdown', 'keydown']) {
      document.addEventListener(name, wake, { signal: ending.signal });
    }
    return () => {
      ending.abort();
    };
  }, [isOn, sounds]);
  useEffect(() => {
    if (!isOn) return undefined;
    let before = new Set(openFindings(store).map(({ key }) => key));
    let link = store.state.link;
    return store.onAny(() => {
      const now = openFindings(store);
      const name = link === 'waiting' ? null : soundFor(before, now);
      if (name !== null) sounds.play(name);
      if (link === 'live' && store.state.link === 'lost') sounds.play('lost');
      before = new Set(now.map(({ key }) => key));
      link = store.state.link;
    });
  }, [isOn, store, sounds]);
  return {
    isOn,
    isReady,
    toggle: () => {
      choose(isOn ? 'off' : 'on');
      if (isOn) return;
      void sounds.wake().then(() => {
        setIsReady(sounds.isReady);
        sounds.play('hold');
      });
    },
  };
};
