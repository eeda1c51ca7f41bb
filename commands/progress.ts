/** A line on a terminal that says that something is still going on, and is gone when it is done. */

/** Writes to the terminal, without a line break. */
export type Terminal = (text: string) => void;

/** Nobody who waits for less wants to read that. */
const QUIET_MILLISECONDS = 1_000;
const EVERY_MILLISECONDS = 250;
/** To the beginning of the line, and what stood there away. */
const CLEAR_LINE = "\r\u001b[K";

/**
 * Does the work, and shows its progress if it takes longer than a second.
 *
 * @param terminal null where nobody watches.
 * @param describe the line, given the number that the work reported last.
 */
export async function withProgress<T>(
  terminal: Terminal | null,
  describe: (count: number) => string,
  work: (report: (count: number) => void) => Promise<T>,
  quietMilliseconds = QUIET_MILLISECONDS,
): Promise<T> {
  if (terminal === null) return await work(() => {});
  const startedAt = performance.now();
  let count = 0;
  let isShown = false;
  const timer = setInterval(() => {
    if (performance.now() - startedAt < quietMilliseconds) return;
    isShown = true;
    terminal(CLEAR_LINE + describe(count));
  }, Math.min(EVERY_MILLISECONDS, quietMilliseconds));
  try {
    return await work((reported) => count = reported);
  } finally {
    clearInterval(timer);
    if (isShown) terminal(CLEAR_LINE);
  }
}

/** Standard error, if a person looks at it. */
export function stderrTerminal(): Terminal | null {
  if (!Deno.stderr.isTerminal()) return null;
  return (text) => void Deno.stderr.writeSync(new TextEncoder().encode(text));
}
