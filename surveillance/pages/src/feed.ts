import { isPageBeat, isPageState } from '../../table-page/message.js';
import { emptyModel, type PageModel, withBeat, withLoss, withState } from './model.js';

/** The table beats every 2 s: three missed beats are a lost line. */
const SILENCE_MS = 6500;
const WATCH_MS = 500;
/** Between attempts to come back, ms: doubles up to the limit, with jitter. */
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 8000;

/**
 * The table's stream in a browser. EventSource alone does not notice a line that goes silent, nor
 * come back after a refusal: both are done here, from the last row seen.
 */
export class Feed {
  readonly #url: string;
  readonly #show: (model: PageModel) => void;
  #model: PageModel = emptyModel;
  #source: EventSource | null = null;
  #retryMs = RETRY_MIN_MS;
  #retry: number | undefined;
  #watch: number | undefined;
  #openedMs = 0;

  constructor(url: string, show: (model: PageModel) => void) {
    this.#url = url;
    this.#show = show;
  }

  start(): void {
    if (this.#watch !== undefined) return;
    this.#watch = window.setInterval(() => {
      const heardMs = Math.max(this.#model.heardLocalMs, this.#openedMs);
      if (performance.now() - heardMs > SILENCE_MS) this.#lost();
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
    const seq = this.#model.state?.view.seq;
    const source = new EventSource(seq === undefined ? this.#url : `${this.#url}?after=${seq}`);
    this.#source = source;
    this.#openedMs = performance.now();
    source.addEventListener('table', ({ data }: MessageEvent<string>) => {
      const state: unknown = JSON.parse(data);
      if (isPageState(state)) this.#heard(withState(this.#model, state, performance.now()));
    });
    source.addEventListener('beat', ({ data }: MessageEvent<string>) => {
      const beat: unknown = JSON.parse(data);
      if (isPageBeat(beat)) this.#heard(withBeat(this.#model, beat, performance.now()));
    });
    source.addEventListener('error', () => {
      this.#lost();
    });
  }

  #heard(model: PageModel): void {
    this.#retryMs = RETRY_MIN_MS;
    this.#set(model);
  }

  #lost(): void {
    this.#set(withLoss(this.#model));
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

  #set(model: PageModel): void {
    if (model === this.#model) return;
    this.#model = model;
    this.#show(model);
  }
}
