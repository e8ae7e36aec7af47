import { useState } from 'preact/hooks';

/** What this browser remembers for its user. A browser that may not keep it forgets it. */
const PREFIX = 'cutcard.wall.';

const read = (name: string): string | null => {
  try {
    return window.localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
};

const write = (name: string, value: string): void => {
  try {
    window.localStorage.setItem(PREFIX + name, value);
  } catch {
    // Private windows and full stores: the choice lasts as long as the page.
  }
};

/** A choice out of a list, kept over reloads; the first of the list where nothing was chosen. */
export const useRemembered = <T extends string>(
  name: string,
  choices: readonly [T, ...T[]],
): readonly [T, (value: T) => void] => {
  const [value, setValue] = useState<T>(() => {
    const kept = read(name);
    return choices.find((choice) => choice === kept) ?? choices[0];
  });
  return [
    value,
    (next) => {
      write(name, next);
      setValue(next);
    },
  ];
};
