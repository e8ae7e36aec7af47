import type { ServerResponse } from 'node:http';
import { SECURITY_HEADERS } from '../access/headers.js';
import type { ServiceState, Tile, Wall, WallBeat } from './api.js';
import { BEAT_MS } from './api.js';

/** Pages that may watch at a time. */
export const MAX_WATCHERS = 100;
/** Of one person; another page of theirs ends the oldest. */
export const MAX_WATCHERS_EACH = 10;
/** Changes of this long go out together, ms. */
const GATHER_MS = 50;
/** A page that takes nothing for so long is cut off, ms; it comes back by itself. */
const STALLED_MS = 20_000;
const RETRY_MS = 1000;
/** Bytes a page may be behind before it gets no single tiles any more. */
const BEHIND_BYTES = 512 * 1024;

const STREAM_HEADERS = {
  ...SECURITY_HEADERS,
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

export interface WallFeedParts {
  readonly tile: (key: string) => Tile | null;
  readonly tiles: () => readonly Tile[];
  readonly service: () => ServiceState;
  readonly nowMs: () => number;
  /** Tells one run of the service from another: a page of an earlier one gets everything. */
  readonly run: string;
}

interface Watcher {
  readonly response: ServerResponse;
  readonly isStillIn: () => boolean;
  /** Null where nobody logs in: on this machine only. */
  readonly who: string | null;
  /** Change up to which this page has everything. */
  seen: number;
  fullSinceMs: number | null;
}

/**
 * The wall as server-sent events. Every change of a tile has a number; a page that comes back
 * names the last one it saw and gets the tiles that changed since. A slow page gets each tile once
 * it takes data again, as it is then: never more than a moment's changes wait for it.
 */
export class WallFeed {
  readonly #parts: WallFeedParts;
  readonly #watchers = new Set<Watcher>();
  /** Number of the last change of each tile. */
  readonly #changes = new Map<string, number>();
  /** What a tile last looked like, so that only what looks different is sent. */
  readonly #shown = new Map<string, string>();
  readonly #dirty = new Set<string>();
  #change = 0;
  #flush: NodeJS.Timeout | null = null;
  #beat: NodeJS.Timeout | null = null;

  constructor(parts: WallFeedParts) {
    this.#parts = parts;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  start(): void {
    this.#beat ??= setInterval(() => this.#onBeat(), BEAT_MS);
  }

  stop(): void {
    if (this.#beat !== null) clearInterval(this.#beat);
    if (this.#flush !== null) clearTimeout(this.#flush);
    this.#beat = null;
    this.#flush = null;
    for (const { response } of this.#watchers) response.end();
    this.#watchers.clear();
  }

  changed(key: string): void {
    this.#dirty.add(key);
    this.#flush ??= setTimeout(() => this.#send(), GATHER_MS);
  }

  wall(): Wall {
    const { tiles, nowMs, service } = this.#parts;
    return { tables: tiles(), atMs: nowMs(), service: service() };
  }

  /** Takes a page on. `lastId`: what it saw last, as its browser says. */
  add(
    response: ServerResponse,
    lastId: string | null,
    who: string | null,
    isStillIn: () => boolean,
  ): boolean {
    this.#endOldest(who);
    if (this.#watchers.size >= MAX_WATCHERS) return false;
    const seen = this.#seenBy(lastId);
    const watcher: Watcher = { response, isStillIn, who, seen: seen ?? 0, fullSinceMs: null };
    response.on('close', () => this.#watchers.delete(watcher));
    response.on('drain', () => {
      watcher.fullSinceMs = null;
      this.#catchUp(watcher);
    });
    response.writeHead(200, STREAM_HEADERS);
    response.write(`retry: ${RETRY_MS}\n\n`);
    if (seen === null) {
      watcher.seen = this.#change;
      this.#write(watcher, 'wall', JSON.stringify(this.wall()), this.#change);
    } else this.#catchUp(watcher);
    this.#watchers.add(watcher);
    return true;
  }

  /** One person cannot take every place. */
  #endOldest(who: string | null): void {
    if (who === null) return;
    const theirs = [...this.#watchers].filter((watcher) => watcher.who === who);
    if (theirs.length < MAX_WATCHERS_EACH) return;
    const [oldest] = theirs;
    if (oldest === undefined) return;
    this.#watchers.delete(oldest);
    oldest.response.end();
  }

  /** Null: none of this run. */
  #seenBy(lastId: string | null): number | null {
    const match = /^([\w-]{1,64})\.(\d{1,15})$/.exec(lastId ?? '');
    if (match === null || match[1] !== this.#parts.run) return null;
    const seen = Number(match[2]);
    return seen > this.#change ? null : seen;
  }

  #send(): void {
    this.#flush = null;
    for (const key of this.#dirty) {
      const tile = this.#parts.tile(key);
      if (tile === null) continue;
      // When it changed is no change by itself.
      const look = JSON.stringify({ ...tile, changedMs: undefined });
      if (this.#shown.get(key) === look) continue;
      this.#shown.set(key, look);
      this.#change += 1;
      this.#changes.set(key, this.#change);
      const text = `${look.slice(0, -1)},"changedMs":${tile.changedMs}}`;
      for (const watcher of this.#watchers) {
        if (watcher.fullSinceMs !== null) continue;
        watcher.seen = this.#change;
        this.#write(watcher, 'tile', text, this.#change);
      }
    }
    this.#dirty.clear();
  }

  #catchUp(watcher: Watcher): void {
    const missed = [...this.#changes]
      .filter(([, change]) => change > watcher.seen)
      .sort(([, a], [, b]) => a - b);
    for (const [key, change] of missed) {
      const tile = this.#parts.tile(key);
      if (tile === null) continue;
      watcher.seen = change;
      this.#write(watcher, 'tile', JSON.stringify(tile), change);
      if (watcher.fullSinceMs !== null) return;
    }
  }

  #write(watcher: Watcher, event: string, data: string, change: number): void {
    const { response } = watcher;
    response.write(`id: ${this.#parts.run}.${change}\nevent: ${event}\ndata: ${data}\n\n`);
    if (response.writableLength > BEHIND_BYTES) watcher.fullSinceMs ??= performance.now();
  }

  #onBeat(): void {
    const { nowMs, service } = this.#parts;
    const beat: WallBeat = { atMs: nowMs(), service: service() };
    const text = `event: beat\ndata: ${JSON.stringify(beat)}\n\n`;
    for (const watcher of this.#watchers) {
      const { response, fullSinceMs } = watcher;
      if (!watcher.isStillIn()) response.end();
      else if (fullSinceMs === null) response.write(text);
      else if (performance.now() - fullSinceMs > STALLED_MS) response.destroy();
    }
  }
}
