/** A pointer that rests so long no longer points, ms: the wall may move again. */
const REST_MS = 8000;

/**
 * Whether the order of the tiles must stand still: somebody points at them, or walks them by keys.
 */
export class GridHold {
  readonly #listeners = new Set<() => void>();
  #isPointed = false;
  #isFocused = false;
  #rest: number | undefined;

  isHeld(): boolean {
    return this.#isPointed || this.#isFocused;
  }

  /** Calls back when the order may change again. */
  onFree(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Watches one grid; the answer ends it. */
  watch(grid: HTMLElement): () => void {
    const ending = new AbortController();
    const on = (names: readonly string[], call: () => void): void => {
      for (const name of names) grid.addEventListener(name, call, { signal: ending.signal });
    };
    on(['pointermove', 'pointerdown', 'wheel'], () => {
      this.#set(true, this.#isFocused);
      window.clearTimeout(this.#rest);
      this.#rest = window.setTimeout(() => {
        this.#set(false, this.#isFocused);
      }, REST_MS);
    });
    on(['pointerleave'], () => {
      window.clearTimeout(this.#rest);
      this.#set(false, this.#isFocused);
    });
    on(['focusin'], () => {
      this.#set(this.#isPointed, grid.querySelector(':focus-visible') !== null);
    });
    on(['focusout'], () => {
      this.#set(this.#isPointed, false);
    });
    return () => {
      ending.abort();
      window.clearTimeout(this.#rest);
      this.#set(false, false);
    };
  }

  #set(isPointed: boolean, isFocused: boolean): void {
    const wasHeld = this.isHeld();
    this.#isPointed = isPointed;
    this.#isFocused = isFocused;
    if (wasHeld && !this.isHeld()) for (const listener of this.#listeners) listener();
  }
}

const columnsOf = (links: readonly HTMLElement[]): number => {
  const top = links[0]?.getBoundingClientRect().top;
  const next = links.findIndex((link) => link.getBoundingClientRect().top !== top);
  return next < 0 ? links.length : next;
};

/** Moves the focus within a grid of links by an arrow key, Home or End; false: none of these. */
export const stepInGrid = (grid: HTMLElement, key: string): boolean => {
  const links = [...grid.querySelectorAll<HTMLElement>('a')];
  const at = links.findIndex((link) => link === document.activeElement);
  if (at < 0) return false;
  const steps: Readonly<Record<string, () => number>> = {
    ArrowLeft: () => at - 1,
    ArrowRight: () => at + 1,
    ArrowUp: () => at - columnsOf(links),
    ArrowDown: () => at + columnsOf(links),
    Home: () => 0,
    End: () => links.length - 1,
  };
  const step = steps[key];
  if (step === undefined) return false;
  links[step()]?.focus();
  return true;
};
