// Repeatable random numbers: the sandbox's inventions and the trials' choices come from a seed, so that two runs, and
// two processes, make the same.

/** A source of numbers that gives the same sequence for the same seed. */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** A whole number from `from` to `to`, both inclusive. */
  int(from: number, to: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** One element of a list. @throws {Error} if it is empty. */
  pick<T>(list: readonly T[]): T;
}

/**
 * Starts the sequence that belongs to `seed`, a text or a whole number below 2^32 (mulberry32). Good enough for pictures
 * and sample text, useless as a secret.
 */
export function createRandom(seed: string | number): Random {
  let state = typeof seed === "number" ? seed : spread(seed);

  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    next,
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error("There is nothing to pick from");
      // The index is below the length, so there is an element, which may be undefined itself.
      return list[Math.floor(next() * list.length)] as T;
    },
  };
}

/** A text as 32 bits (FNV-1a). */
function spread(text: string): number {
  let bits = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    bits = Math.imul(bits ^ text.charCodeAt(i), 0x01000193);
  }
  return bits;
}
