import { isPageBeat, isPageState } from '../../table-page/message.js';
import { EventLine } from './event-line.js';
import { emptyModel, type PageModel, withBeat, withLoss, withState } from './model.js';
import type { PageName } from './words.js';

/** The table beats every 2 s: three missed beats are a lost line. */
const SILENCE_MS = 6500;

/** The table's stream in a browser; it goes on from the last row seen. */
export class Feed {
  readonly #show: (model: PageModel) => void;
  readonly #line: EventLine;
  #model: PageModel = emptyModel;

  /** `page`: which of the table's pages it is, for those who wait for somebody to look. */
  constructor(page: PageName, show: (model: PageModel) => void) {
    this.#show = show;
    this.#line = new EventLine({
      address: () => {
        const seq = this.#model.state?.view.seq;
        const address = `/api/stream?page=${page}`;
        return seq === undefined ? address : `${address}&after=${seq}`;
      },
      events: {
        table: (data) =>
          isPageState(data) && this.#set(withState(this.#model, data, performance.now())),
        beat: (data) =>
          isPageBeat(data) && this.#set(withBeat(this.#model, data, performance.now())),
      },
      silenceMs: SILENCE_MS,
      lost: () => this.#set(withLoss(this.#model)),
    });
  }

  start(): void {
    this.#line.start();
  }

  stop(): void {
    this.#line.stop();
  }

  #set(model: PageModel): boolean {
    if (model !== this.#model) {
      this.#model = model;
      this.#show(model);
    }
    return true;
  }
}
