/** Figures as the suites print them. */

/** The given percentile of the values. */
export function percentile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? 0);
}

/** Prints a line among the test results. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
