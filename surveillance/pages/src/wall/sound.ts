/** What is heard. Different in number and height of the tones, so that they differ by ear alone. */
const PATTERNS = {
  /** A stop was raised. */
  stop: [880, 660, 880],
  /** A hold was raised. */
  hold: [520, 520],
  /** The wall no longer hears anything. */
  lost: [440, 330, 247],
} as const;
export type SoundName = keyof typeof PATTERNS;

const TONE_S = 0.16;
const PAUSE_S = 0.06;
const LOUDNESS = 0.2;
/** Attack and release of a tone, s: without them it clicks. */
const EDGE_S = 0.015;
/** Two sounds of one kind are at least so far apart, ms: a bad minute does not become an alarm. */
const REST_MS = 3000;

/**
 * Sounds by Web Audio, nothing is loaded. A browser lets a page sound only after its user touched
 * it: `isReady` says whether it will.
 */
export class Sounds {
  #context: AudioContext | null = null;
  readonly #lastMs = new Map<SoundName, number>();

  get isReady(): boolean {
    return this.#context?.state === 'running';
  }

  /** To be called from a click or a key: that is when a browser allows it. */
  async wake(): Promise<void> {
    try {
      this.#context ??= new AudioContext();
      await this.#context.resume();
    } catch {
      // A machine without sound: the page shows that it is not ready.
    }
  }

  play(name: SoundName, nowMs = performance.now()): boolean {
    const context = this.#context;
    if (context?.state !== 'running') return false;
    if (nowMs - (this.#lastMs.get(name) ?? Number.NEGATIVE_INFINITY) < REST_MS) return false;
    this.#lastMs.set(name, nowMs);
    PATTERNS[name].forEach((hertz, i) => {
      const from = context.currentTime + i * (TONE_S + PAUSE_S);
      const gain = context.createGain();
      gain.gain.setValueAtTime(0, from);
      gain.gain.linearRampToValueAtTime(LOUDNESS, from + EDGE_S);
      gain.gain.setValueAtTime(LOUDNESS, from + TONE_S - EDGE_S);
      gain.gain.linearRampToValueAtTime(0, from + TONE_S);
      const tone = context.createOscillator();
      tone.frequency.value = hertz;
      tone.connect(gain).connect(context.destination);
      tone.start(from);
      tone.stop(from + TONE_S);
    });
    return true;
  }
}

/** What to sound for findings that were not open before: the gravest of them; null for none. */
export const soundFor = (
  before: ReadonlySet<string>,
  now: readonly { readonly key: string; readonly severity: string }[],
): 'stop' | 'hold' | null => {
  const fresh = now.filter(({ key }) => !before.has(key));
  if (fresh.some(({ severity }) => severity === 'stop')) return 'stop';
  return fresh.some(({ severity }) => severity === 'hold') ? 'hold' : null;
};
