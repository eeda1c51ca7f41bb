/** Servers that do the same, against each other: how many requests each answers in a second. */

import { median } from "./statistics.ts";
import { type Load, load, type Subject } from "./wrk.ts";

/** Rounds that are not counted: the engine compiles what is hot meanwhile. */
const WARM_UP_ROUNDS = 2;
/** One connection brings too few requests for that. */
const LEAST_WARM_UP_CONNECTIONS = 16;

/** How long to measure. */
export interface Patience {
  readonly rounds: number;
  readonly seconds: number;
}

/** A ratio with its spread over the rounds. */
export interface Ratio {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The results for one server. */
export interface Figure {
  readonly name: string;
  /** The middle of the rounds. */
  readonly perSecond: number;
  /** The first server's rate as a part of this one's in the same round. */
  readonly rateOfFirst: Ratio;
  /** The first server's computing time for a request as a part of this one's in the same round. */
  readonly computingOfFirst: Ratio;
  /** Computing time of all threads for a request: the middle of the rounds. */
  readonly microseconds: number;
  /** The middle of the rounds' medians. */
  readonly medianMilliseconds: number;
}

/**
 * Loads the servers one after the other, in several rounds, and compares the others with the first. Each round begins
 * with another server, because the database of one may still write while the next is loaded.
 */
export async function compare<const Subjects extends readonly Subject[]>(
  subjects: Subjects,
  connections: number,
  patience: Patience,
): Promise<{ readonly [Place in keyof Subjects]: Figure }>;
export async function compare(
  subjects: readonly Subject[],
  connections: number,
  { rounds, seconds }: Patience,
): Promise<readonly Figure[]> {
  const figures: Load[][] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    const isCounted = round >= WARM_UP_ROUNDS;
    const width = isCounted ? connections : Math.max(connections, LEAST_WARM_UP_CONNECTIONS);
    const loads: Load[] = [];
    for (const turn of subjects.keys()) {
      const at = (turn + round) % subjects.length;
      loads[at] = await load(subjects[at] as Subject, seconds, width);
    }
    if (isCounted) figures.push(loads);
  }
  return subjects.map(({ name }, at) => {
    const own = figures.map((loads) => loads[at] as Load);
    const ofFirst = (figure: "perSecond" | "microseconds") =>
      spread(own.map((each, round) => (figures[round]?.[0]?.[figure] ?? NaN) / each[figure]));
    return {
      name,
      perSecond: median(own.map(({ perSecond }) => perSecond)),
      rateOfFirst: ofFirst("perSecond"),
      computingOfFirst: ofFirst("microseconds"),
      microseconds: median(own.map(({ microseconds }) => microseconds)),
      medianMilliseconds: median(own.map(({ medianMilliseconds }) => medianMilliseconds)),
    };
  });
}

/** The middle and the ends of a ratio in several rounds. */
export function spread(figures: readonly number[]): Ratio {
  return { median: median(figures), low: Math.min(...figures), high: Math.max(...figures) };
}
