/** One quantity over the run. */
export interface Series {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
  /** What the fitted line may rise by from the end of the warm-up to the end of the run. */
  readonly mayGrow: number;
}

export interface Fit {
  readonly name: string;
  readonly unit: string;
  /** After the warm-up, half-way from there, and at the end. */
  readonly first: number;
  readonly middle: number;
  readonly last: number;
  readonly least: number;
  readonly most: number;
  /** Rise of the fitted line over the whole of the run that was fitted. */
  readonly growth: number;
  readonly mayGrow: number;
  readonly grows: boolean;
}

/** Part of the run that is left out: caches fill, code is compiled. */
export const WARM_UP = 0.25;

/** Slope of the least-squares line through equally spaced values, per step. */
const slope = (values: readonly number[]): number => {
  const n = values.length;
  const meanX = (n - 1) / 2;
  const meanY = values.reduce((sum, y) => sum + y, 0) / n;
  let top = 0;
  let bottom = 0;
  for (const [x, y] of values.entries()) {
    top += (x - meanX) * (y - meanY);
    bottom += (x - meanX) ** 2;
  }
  return bottom === 0 ? 0 : top / bottom;
};

/** Judges a series after the warm-up by its fitted line, which one high sample does not bend. */
export const fit = ({ name, unit, values, mayGrow }: Series): Fit => {
  const judged = values.slice(Math.floor(values.length * WARM_UP));
  const growth = slope(judged) * (judged.length - 1);
  return {
    name,
    unit,
    first: judged[0] ?? 0,
    middle: judged[judged.length >> 1] ?? 0,
    last: judged.at(-1) ?? 0,
    least: Math.min(...judged),
    most: Math.max(...judged),
    growth,
    mayGrow,
    grows: growth > mayGrow,
  };
};
