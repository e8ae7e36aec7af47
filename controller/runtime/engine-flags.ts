/**
 * How the engine collects garbage in every start of this program. What outlives a collection of
 * young objects is some tens of kB at a table: helpers cost more to wake and to wait for than they
 * copy (docs/PERFORMANCE.md). How much room young objects have is told at the start of the process
 * (`--max-semi-space-size=1`): it cannot be set any more once the program runs.
 */
export const COLLECTOR_FLAGS: readonly string[] = [
  '--no-parallel-scavenge',
  '--no-concurrent-array-buffer-sweeping',
];
