/** Retained messages that change seldom: the newest of each is sent again at every connection. */
export type KeptKind = 'checkpoint' | 'documents';

/** What the broker is to keep of a table, besides its status and its state. */
export class Kept {
  readonly #newest = new Map<KeptKind, string>();
  readonly #due = new Set<KeptKind>();

  put(kind: KeptKind, payload: string): void {
    if (this.#newest.get(kind) === payload) return;
    this.#newest.set(kind, payload);
    this.#due.add(kind);
  }

  /** A new link: the broker may have lost what it kept. */
  up(): void {
    for (const kind of this.#newest.keys()) this.#due.add(kind);
  }

  /** The next one that is to be sent; null where none is. */
  next(): { readonly kind: KeptKind; readonly payload: string } | null {
    for (const kind of this.#due) {
      this.#due.delete(kind);
      const payload = this.#newest.get(kind);
      if (payload !== undefined) return { kind, payload };
    }
    return null;
  }
}
