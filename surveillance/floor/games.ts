import { z } from 'zod';

const procedureSchema = z.object({
  id: z.string(),
  title: z.string(),
  marker: z.object({ minBehind: z.number().nullable() }).nullable(),
});

export interface Game {
  readonly id: string;
  readonly title: string;
  /** Cards that must lie behind the cover card; null where its procedure says no number. */
  readonly minBehind: number | null;
}

/** What a procedure's document says of the game; null where it is of another form. */
export const gameOf = (text: string): Game | null => {
  try {
    const parsed = procedureSchema.safeParse(JSON.parse(text));
    if (!parsed.success) return null;
    const { id, title, marker } = parsed.data;
    return { id, title, minBehind: marker?.minBehind ?? null };
  } catch {
    return null;
  }
};
