/** One thing wrong with a pack, said so that whoever wrote it can put it right. */
export interface Problem {
  /** File as given by the caller; line from 1. */
  readonly file: string;
  readonly line: number;
  /** Where in the pack: `burn.values`, `options.initialDeal.choices`. */
  readonly field: string;
  readonly cause: string;
  readonly cure: string;
}

export const problemText = (problem: Problem): string =>
  `${problem.file}:${problem.line}: ${problem.field}: ${problem.cause} ${problem.cure}`;

/** A pack that cannot be used; `problems` is never empty, in file order. */
export class PackError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(problemText).join('\n'));
    this.name = 'PackError';
    this.problems = problems;
  }
}
