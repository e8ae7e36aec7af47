/** Surfaces seen from now on are kept this long: far more than one integration, ns. */
const KEPT_NS = 1_000_000_000;

interface Segment {
  readonly fromNs: number;
  readonly surface: string;
}

/** What lies under the colour sensor over time: `nothing`, a back's colour, `cover`, `finger`. */
export class LightHistory {
  readonly #segments: Segment[] = [{ fromNs: 0, surface: 'nothing' }];

  /** From `fromNs` on the sensor sees `surface`; must not run back. */
  show(surface: string, fromNs: number): void {
    this.#segments.push({ fromNs, surface });
    while (this.#segments.length > 2 && (this.#segments[1]?.fromNs ?? 0) < fromNs - KEPT_NS) {
      this.#segments.shift();
    }
  }

  /** Calls `take` with each surface seen in [fromNs, toNs) and its share of the time. */
  shares(fromNs: number, toNs: number, take: (surface: string, share: number) => void): void {
    const segments = this.#segments;
    for (const [i, segment] of segments.entries()) {
      const begin = Math.max(segment.fromNs, fromNs);
      const end = Math.min(segments[i + 1]?.fromNs ?? Infinity, toNs);
      if (end > begin) take(segment.surface, (end - begin) / (toNs - fromNs));
    }
  }
}
