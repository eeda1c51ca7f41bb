/** The middle and the ends of what was measured. */

/** The middle of some figures; NaN if there are none. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** The figure that so many percent of all do not exceed; NaN if there are none. */
export function percentile(figures: readonly number[], percent: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * percent / 100) - 1] ?? NaN;
}
