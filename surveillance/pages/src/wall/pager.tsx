interface PagerProps {
  /** Where the older pages begin that led here; empty on the newest one. */
  readonly before: readonly string[];
  /** Where the next older page begins; null at the end. */
  readonly next: string | null;
  readonly go: (before: readonly string[]) => void;
}

/** To older and newer pages of a list. */
export const Pager = ({ before, next, go }: PagerProps) => (
  <p class="buttons for-screen">
    {before.length > 0 && (
      <button
        type="button"
        onClick={() => {
          go(before.slice(0, -1));
        }}
      >
        Newer
      </button>
    )}
    {next !== null && (
      <button
        type="button"
        onClick={() => {
          go([...before, next]);
        }}
      >
        Older
      </button>
    )}
  </p>
);
