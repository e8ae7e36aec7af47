import type { TableState } from './state.js';

/** Cards that are surely owed while the first card's rank is not known: it, and an ace's one. */
const SURE_BURN = 2;

/**
 * Whether no card may leave now. In a burn the gate stays open for exactly what is owed; between
 * rounds it is open, because the cover card may be drawn and a new dealer burns there.
 */
export const mustLock = (state: TableState): boolean => {
  for (const finding of state.findings) if (finding.severity === 'stop') return true;
  switch (state.phase) {
    case 'ready':
    case 'round':
      return false;
    case 'burn': {
      const { done, required } = state.burn;
      return done >= (required ?? SURE_BURN);
    }
    default:
      return true;
  }
};
