const LINES_AT_A_TIME = 500;

/** Waits where the reader of our output is slower than we are: memory stays constant. */
export const print = async (text: string): Promise<void> => {
  if (process.stdout.write(`${text}\n`)) return;
  await new Promise<void>((resolve) => process.stdout.once('drain', () => resolve()));
};

/** Lines on stdout, some hundreds at a time. @returns how many */
export const printAll = async (
  lines: Iterable<string> | AsyncIterable<string>,
  to: (text: string) => Promise<void> = print,
): Promise<number> => {
  let held: string[] = [];
  let count = 0;
  for await (const line of lines) {
    held.push(line);
    count += 1;
    if (held.length < LINES_AT_A_TIME) continue;
    await to(held.join('\n'));
    held = [];
  }
  if (held.length > 0) await to(held.join('\n'));
  return count;
};
