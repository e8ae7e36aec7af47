/**
 * A journal row without what time alone decides: when it was, and what is measured by time (a
 * card's length and speed). Two runs of one scenario must agree in all the rest.
 */
const TIMED = /^(seq|raisedSeq|atNs|dueNs|wallMs|wallTrusted|lengthMm|speedMmS|\w*Ns|\w*Ms)$/;

/** Rows about the box itself: which device answers first is a matter of time. */
const BOX = /^(power|link|clock)\./;

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const canonicalRow = (step: object): string =>
  JSON.stringify(step, (_key, value: unknown) =>
    isPlain(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([key]) => !TIMED.test(key))
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        )
      : value,
  );

export const isStory = (kind: string): boolean => !BOX.test(kind);

const kindOf = (row: unknown): string => {
  if (typeof row !== 'object' || row === null || !('observation' in row)) return '';
  const { observation } = row;
  if (typeof observation !== 'object' || observation === null) return '';
  return 'kind' in observation && typeof observation.kind === 'string' ? observation.kind : '';
};

/** The story's rows among the bodies of journal rows, canonical JSON each. */
export const storyOf = (bodies: readonly string[]): readonly string[] =>
  renamed(
    bodies.flatMap((body) => {
      const row: unknown = JSON.parse(body);
      if (typeof row !== 'object' || row === null || !isStory(kindOf(row))) return [];
      const observation = 'observation' in row ? row.observation : null;
      const decisions = 'decisions' in row ? row.decisions : null;
      return [canonicalRow({ observation, decisions })];
    }),
  );

/** A finding is named by its row, and rows about the box may lie between: the first is F1. */
export const renamed = (rows: readonly string[]): readonly string[] => {
  const names = new Map<string, string>();
  return rows.map((row) =>
    row.replaceAll(/"id":"(\d+\.\d+)"/g, (_text, id: string) => {
      const name = names.get(id) ?? `F${names.size + 1}`;
      names.set(id, name);
      return `"id":"${name}"`;
    }),
  );
};

/** Where two stories part, in words; null where they agree. */
export const difference = (a: readonly string[], b: readonly string[]): string | null => {
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    if (a[i] === b[i]) continue;
    return `row ${i + 1} of ${a.length} and ${b.length}:\n  ${a[i] ?? 'none'}\n  ${b[i] ?? 'none'}`;
  }
  return null;
};
