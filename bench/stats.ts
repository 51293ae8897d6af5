/** Statistics, and how the table shows them. */

export function quantile(samples: number[], part: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function median(samples: number[]): number {
  return quantile(samples, 0.5);
}

/** `12.3 ms (p95 20.1)`: the median and the 95th percentile. */
export function times(samples: number[]): string {
  return `${format(median(samples))} ms (p95 ${format(quantile(samples, 0.95))})`;
}

export function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** One row of the table. */
export type Row = { what: string; goal: string; measured: string; met: boolean };
