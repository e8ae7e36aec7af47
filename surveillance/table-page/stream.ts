import type { ServerResponse } from 'node:http';
import { SECURITY_HEADERS } from '../access/headers.js';
import { pageBeatOf, pageStateOf } from './message.js';
import type { TablePageSource } from './source.js';

/** Pages that may watch one table at a time. */
export const MAX_WATCHERS = 32;
/** Shortest time between two messages to a page, ms: faster than this nobody reads. */
const MIN_GAP_MS = 100;
/** A page hears something at least so often, ms; it calls the line lost after three of these. */
export const BEAT_MS = 2000;
/** A page that takes nothing for so long is cut off, ms; it comes back by itself. */
const STALLED_MS = 20_000;
/** What a page waits before it comes back, ms (`retry:` of the event stream). */
const RETRY_MS = 1000;

const STREAM_HEADERS = {
  ...SECURITY_HEADERS,
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

interface Watcher {
  /** Which page it is, as the page says. */
  readonly page: string;
  readonly response: ServerResponse;
  /** Whether whoever opened the page may still look. */
  readonly mayStay: () => boolean;
  /** Row of the last message; null before the first. */
  sentSeq: number | null;
  /** Since when the page takes nothing, ms on `performance.now()`; null while it does. */
  fullSinceMs: number | null;
}

/**
 * Server-sent events to the pages of one table. A slow page gets fewer messages, each with all it
 * lacks, and never more than one message waits for it: memory is bounded by MAX_WATCHERS.
 */
export class PageStream {
  readonly #source: TablePageSource;
  readonly #watchers = new Set<Watcher>();
  #unsubscribe: () => void = () => undefined;
  #beat: NodeJS.Timeout | null = null;
  #flush: NodeJS.Timeout | null = null;
  #flushedMs = Number.NEGATIVE_INFINITY;

  constructor(source: TablePageSource) {
    this.#source = source;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** How many have one page open. */
  watchersOf(page: string): number {
    return [...this.#watchers].filter((watcher) => watcher.page === page).length;
  }

  start(): void {
    if (this.#beat !== null) return;
    this.#unsubscribe = this.#source.subscribe(() => {
      this.#changed();
    });
    this.#beat = setInterval(() => {
      this.#onBeat();
    }, BEAT_MS);
  }

  stop(): void {
    this.#unsubscribe();
    if (this.#beat !== null) clearInterval(this.#beat);
    if (this.#flush !== null) clearTimeout(this.#flush);
    this.#beat = null;
    this.#flush = null;
    for (const { response } of this.#watchers) response.end();
    this.#watchers.clear();
  }

  /** Takes a page on, from row `afterSeq`; false when there are too many. */
  add(
    response: ServerResponse,
    afterSeq: number | null,
    mayStay: () => boolean = () => true,
    page = '',
  ): boolean {
    if (this.#watchers.size >= MAX_WATCHERS) return false;
    const watcher: Watcher = { page, response, mayStay, sentSeq: afterSeq, fullSinceMs: null };
    this.#watchers.add(watcher);
    response.on('close', () => this.#watchers.delete(watcher));
    response.on('drain', () => {
      watcher.fullSinceMs = null;
      if (watcher.sentSeq !== this.#source.view().seq) this.#send(watcher);
    });
    response.writeHead(200, STREAM_HEADERS);
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.#send(watcher);
    return true;
  }

  #changed(): void {
    if (this.#flush !== null || this.#watchers.size === 0) return;
    const waitMs = Math.max(0, this.#flushedMs + MIN_GAP_MS - performance.now());
    this.#flush = setTimeout(() => {
      this.#flush = null;
      this.#flushedMs = performance.now();
      for (const watcher of this.#watchers) {
        if (watcher.fullSinceMs === null) this.#send(watcher);
      }
    }, waitMs);
  }

  #send(watcher: Watcher): void {
    const state = pageStateOf(this.#source, watcher.sentSeq);
    watcher.sentSeq = state.view.seq;
    this.#write(watcher, `id: ${state.view.seq}\nevent: table\n`, state);
  }

  #write(watcher: Watcher, head: string, data: unknown): void {
    const took = watcher.response.write(`${head}data: ${JSON.stringify(data)}\n\n`);
    if (!took) watcher.fullSinceMs ??= performance.now();
  }

  #onBeat(): void {
    if (this.#watchers.size === 0) return;
    const nowMs = performance.now();
    const beat = pageBeatOf(this.#source);
    for (const watcher of this.#watchers) {
      if (!watcher.mayStay()) watcher.response.end();
      else if (watcher.fullSinceMs === null) this.#write(watcher, 'event: beat\n', beat);
      else if (nowMs - watcher.fullSinceMs > STALLED_MS) watcher.response.destroy();
    }
  }
}
