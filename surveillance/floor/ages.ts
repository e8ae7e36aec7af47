import type { FloorFigures } from './metrics.js';
import type { WallBook } from './wall-book.js';
import type { WallFeed } from './wall-feed.js';

export interface AgesParts {
  readonly book: WallBook;
  readonly feed: WallFeed;
  readonly figures: FloorFigures;
  readonly queued: () => number;
  readonly isUp: () => boolean;
}

/** Ages change without anybody saying so: looks at every table now and then, and counts. */
export class Ages {
  readonly #parts: AgesParts;
  /** Link of each table when it was last looked at. */
  readonly #links = new Map<string, string>();

  constructor(parts: AgesParts) {
    this.#parts = parts;
  }

  /** Call it about once a second. */
  tick(): void {
    const { book, feed, figures, queued, isUp } = this.#parts;
    const links = new Map<string, number>();
    const severities = new Map<string, number>();
    let missing = 0;
    for (const tile of book.tiles()) {
      links.set(tile.link.state, (links.get(tile.link.state) ?? 0) + 1);
      for (const { severity } of tile.findings) {
        severities.set(severity, (severities.get(severity) ?? 0) + 1);
      }
      const isMissing = tile.degraded.some(({ kind }) => kind === 'rows');
      if (isMissing) missing += 1;
      // Silence, escalation and lateness come with time: the feed sends what looks different.
      const isOther = this.#links.get(tile.key) !== tile.link.state;
      this.#links.set(tile.key, tile.link.state);
      if (tile.findings.length > 0 || isMissing || isOther) feed.changed(tile.key);
    }
    for (const link of ['online', 'offline', 'silent', 'never']) {
      figures.tables.set({ link }, links.get(link) ?? 0);
    }
    for (const severity of ['stop', 'hold', 'warn', 'info']) {
      figures.openFindings.set({ severity }, severities.get(severity) ?? 0);
    }
    figures.missingRows.set(missing);
    figures.queued.set(queued());
    figures.watchers.set(feed.watchers);
    figures.up.set(isUp() ? 1 : 0);
  }
}
