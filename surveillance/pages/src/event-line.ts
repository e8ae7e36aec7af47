const WATCH_MS = 500;
/** Between attempts to come back, ms: doubles up to the limit, with jitter. */
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 8000;

interface EventLineOptions {
  /** Where to listen; asked anew at each attempt, so that it can say from where to go on. */
  readonly address: () => string;
  /** By event name: takes the parsed data and the event's id, and says whether it was ours. */
  readonly events: Readonly<Record<string, (data: unknown, id: string) => boolean>>;
  /** A line that says nothing for so long is lost, ms. */
  readonly silenceMs: number;
  /** May be called again and again while the line stays lost. */
  readonly lost: () => void;
}

/**
 * Server-sent events in a browser. EventSource alone does not notice a line that goes silent, nor
 * come back after a refusal: both are done here.
 */
export class EventLine {
  readonly #options: EventLineOptions;
  #source: EventSource | null = null;
  #retryMs = RETRY_MIN_MS;
  #retry: number | undefined;
  #watch: number | undefined;
  #heardMs = 0;

  constructor(options: EventLineOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#watch !== undefined) return;
    this.#watch = window.setInterval(() => {
      if (performance.now() - this.#heardMs > this.#options.silenceMs) this.#lost();
    }, WATCH_MS);
    this.#open();
  }

  stop(): void {
    window.clearInterval(this.#watch);
    window.clearTimeout(this.#retry);
    this.#watch = undefined;
    this.#retry = undefined;
    this.#source?.close();
    this.#source = null;
  }

  #open(): void {
    const source = new EventSource(this.#options.address());
    this.#source = source;
    this.#heardMs = performance.now();
    for (const [name, take] of Object.entries(this.#options.events)) {
      source.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        const value: unknown = JSON.parse(data);
        if (!take(value, lastEventId)) return;
        this.#heardMs = performance.now();
        this.#retryMs = RETRY_MIN_MS;
      });
    }
    source.addEventListener('error', () => {
      this.#lost();
    });
  }

  #lost(): void {
    this.#options.lost();
    this.#source?.close();
    this.#source = null;
    if (this.#retry !== undefined) return;
    const waitMs = this.#retryMs * (0.5 + Math.random());
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
    this.#retry = window.setTimeout(() => {
      this.#retry = undefined;
      this.#open();
    }, waitMs);
  }
}
