/** A JSON object whose fields are not known yet. */
export type Fields = Readonly<Record<string, unknown>>;

export const isMap = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
