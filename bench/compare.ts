/** Servers that do the same, against each other: how much computing time each takes for a request. */

import { type Load, load, type Subject } from "./process.ts";

/** How long to measure. */
export interface Patience {
  /** After one that warms up. */
  readonly rounds: number;
  readonly seconds: number;
}

/** A ratio with its spread over the rounds. */
export interface Ratio {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** What was found of one server. */
export interface Figure {
  readonly name: string;
  /** Computing time for a request: the middle of the rounds. */
  readonly microseconds: number;
  /** The first server's rate as a part of this one's: below 1 if the first takes longer for a request. */
  readonly rateOfFirst: Ratio;
  /** The middle of the rounds' medians, while all were loaded. */
  readonly medianMilliseconds: number;
}

/** Loads all at the same time, several times; the first is what the others are held against. */
export async function compare(
  subjects: readonly Subject[],
  connections: number,
  { rounds, seconds }: Patience,
): Promise<readonly Figure[]> {
  const figures: (readonly Load[])[] = [];
  for (let round = 0; round <= rounds; round++) {
    const loads = await load(subjects, seconds, connections);
    if (round > 0) figures.push(loads);
  }
  return subjects.map(({ name }, at) => {
    const own = figures.map((loads) => loads[at] as Load);
    return {
      name,
      microseconds: median(own.map(({ microseconds }) => microseconds)),
      rateOfFirst: spread(
        own.map(({ microseconds }, round) =>
          microseconds / (figures[round]?.[0]?.microseconds ?? NaN)
        ),
      ),
      medianMilliseconds: median(own.map(({ medianMilliseconds }) => medianMilliseconds)),
    };
  });
}

function spread(figures: readonly number[]): Ratio {
  return { median: median(figures), low: Math.min(...figures), high: Math.max(...figures) };
}

/** The middle of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
