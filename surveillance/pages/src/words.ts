import type { PageDuty, PageFinding, PageView } from '../../table-page/message.js';

/** Which of the pages a document shows, by its address. */
export type PageName = 'table' | 'dealer' | 'floor' | 'technician';

export const pageOf = (path: string): PageName => {
  if (path.startsWith('/dealer')) return 'dealer';
  if (path.startsWith('/technician')) return 'technician';
  return path.startsWith('/floor') ? 'floor' : 'table';
};

/** `shuffle-due` as people read it: `Shuffle due`. */
export const plainWord = (key: string): string => {
  const words = key.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** `§ 631a.5(f)`; a house policy by its name. */
export const clauseText = (clause: string): string => {
  if (clause === '') return '';
  return clause.startsWith('policy:')
    ? `House policy: ${clause.slice('policy:'.length).replaceAll('-', ' ')}`
    : `§ ${clause}`;
};

/** A length of time in the largest two units: `8 s`, `3 min 5 s`, `2 h 4 min`, `3 d 1 h`. */
export const ageText = (ms: number): string => {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`;
};

/** Time of day of a wall time, UTC as the journal keeps it: `14:03:12`. */
export const timeText = (wallMs: number): string => new Date(wallMs).toISOString().slice(11, 19);

export const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

/** How a state is shown without relying on colour: a shape, a word, and a tone for the colour. */
export interface Mark {
  readonly tone: 'go' | 'attend' | 'stop' | 'still';
  readonly shape: 'circle' | 'triangle' | 'square' | 'bar' | 'cross' | 'diamond';
  readonly word: string;
}

/** The tower light in words. */
export const towerMark = (tower: PageView['tower']): Mark => {
  if (tower === null) return { tone: 'still', shape: 'bar', word: 'Dark' };
  switch (tower.colour) {
    case 'green':
      return { tone: 'go', shape: 'circle', word: 'Play' };
    case 'amber':
      return tower.light === 'blink'
        ? { tone: 'attend', shape: 'triangle', word: 'Attend' }
        : { tone: 'attend', shape: 'triangle', word: 'Not in play' };
    case 'red':
      return tower.light === 'blink'
        ? { tone: 'stop', shape: 'square', word: 'Stop' }
        : { tone: 'stop', shape: 'square', word: 'Step missing' };
  }
};

export const severityMark = (severity: PageFinding['severity']): Mark => {
  switch (severity) {
    case 'stop':
      return { tone: 'stop', shape: 'square', word: 'Stop' };
    case 'hold':
      return { tone: 'stop', shape: 'bar', word: 'Hold' };
    case 'warn':
      return { tone: 'attend', shape: 'triangle', word: 'Warning' };
    case 'info':
      return { tone: 'still', shape: 'circle', word: 'Note' };
  }
};

export const dutyMark = ({ status, isWatched }: PageDuty): Mark => {
  if (!isWatched) return { tone: 'still', shape: 'bar', word: 'Not watched' };
  switch (status) {
    case 'met':
      return { tone: 'go', shape: 'circle', word: 'Done' };
    case 'due':
      return { tone: 'attend', shape: 'triangle', word: 'Due' };
    case 'not-met':
      return { tone: 'stop', shape: 'square', word: 'Not done' };
    case 'waived':
      return { tone: 'still', shape: 'bar', word: 'Waived' };
  }
};

export const EVIDENCE_WORDS: Readonly<Record<PageDuty['evidence'], string>> = {
  sensed: 'A sensor saw it',
  attested: 'A person pressed it',
  unseen: 'Nobody can tell',
};

/** What was watched first; what nobody can tell last. */
export const watchedFirst = (duties: readonly PageDuty[]): readonly PageDuty[] => [
  ...duties.filter(({ isWatched }) => isWatched),
  ...duties.filter(({ isWatched }) => !isWatched),
];

const WEIGHT: Readonly<Record<PageFinding['severity'], number>> = {
  stop: 0,
  hold: 1,
  warn: 2,
  info: 3,
};

/** What needs eyes first: by severity, then the oldest. */
export const byUrgency = (findings: readonly PageFinding[]): readonly PageFinding[] =>
  findings.toSorted((a, b) => WEIGHT[a.severity] - WEIGHT[b.severity] || a.raisedNs - b.raisedNs);

/** Where the cover card is, in words. */
export const coverText = (view: PageView): string => {
  if (view.loaded === 0) return 'No stack loaded';
  if (!view.coverSeen) return 'In the shoe';
  const behind =
    view.behind === null ? 'cards behind it not known' : `${view.behind} cards behind it`;
  return view.lastHand ? `Out, ${behind}. Last hand` : `Out, ${behind}`;
};

const LEVELS = ['', 'Now with the floor', 'Now with surveillance and the shift'];

/** How far an ignored finding has gone up; empty at the dealer. */
export const levelText = (level: number): string => LEVELS[Math.min(level, 2)] ?? '';

export const clearText = (finding: PageFinding): string => {
  if (finding.severity === 'hold') return 'Clears when it is done';
  return finding.authority === 'dealer'
    ? 'Anyone may clear it'
    : `The ${finding.authority} clears it`;
};
