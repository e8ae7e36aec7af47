/** Seeds that once failed, and what they showed. A seed is never taken out. */
export const KEPT_SEEDS: readonly { readonly seed: number; readonly why: string }[] = [];
