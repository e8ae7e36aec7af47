import type { Failure, Outcome } from './run.js';

const MS_PER_S = 1000;

const seconds = (ms: number): string => `${(ms / MS_PER_S).toFixed(2)} s`;

/** `ok      0.42 s  observations  file.yaml  (title)`. */
export const headline = (outcome: Outcome): string => {
  const { ok, realMs, through, file, title } = outcome;
  const word = ok ? 'ok      ' : 'failed  ';
  return `${word}  ${seconds(realMs).padStart(8)}  ${through.padEnd(12)}  ${file}  (${title})`;
};

const one = (file: string, { line, column, said, expected, seen }: Failure): readonly string[] => [
  `  ${file}:${line}:${column}`,
  `    ${said}`,
  `    expected  ${expected}`,
  `    seen      ${seen}`,
];

/** What failed, where, and how it came to it. */
export const failureText = ({ file, failures, faults, steps }: Outcome): readonly string[] => {
  const lines = failures.flatMap((failure) => one(file, failure));
  if (steps.length > 0) {
    lines.push(`    the last ${steps.length} steps:`, ...steps.map((step) => `    ${step}`));
  }
  return [...lines, ...faults.map((fault) => `  ${file}: ${fault}`)];
};

/** The two depths came to different ends. */
export const differenceText = (file: string, outcomes: readonly Outcome[]): readonly string[] => [
  `  ${file}: the two depths do not give the same result`,
  ...outcomes.map(({ through, end }) => `    ${through.padEnd(12)}  ${end}`),
];
