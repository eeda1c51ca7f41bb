/** Opening the database, and the one fault that a healthy one shows: SQLite's lock. */

/**
 * Opens Deno KV.
 *
 * @param path a file, `:memory:`, a KV Connect `https://` address, or undefined for Deno's default.
 * @throws {Error} naming KV_PATH and the reason, if it cannot be opened.
 */
export async function openKv(path: string | undefined): Promise<Deno.Kv> {
  try {
    return await Deno.openKv(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `KV_PATH: the database ${path ?? "(Deno's default)"} cannot be opened: ${reason}`,
      {
        cause,
      },
    );
  }
}

/** What {@linkcode retryLocked} needs from outside; the defaults are the real ones. */
export interface RetryOptions {
  readonly attempts?: number;
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
  readonly random?: () => number;
}

/**
 * Runs a database operation again while another process holds SQLite's lock: the commit was then not
 * made, so making it again is safe. Waits 2 ms, doubling to 128 ms, each with full jitter.
 *
 * @throws what the operation throws, if it is another error or the last attempt.
 */
export async function retryLocked<T>(
  operation: () => Promise<T>,
  { attempts = 12, sleep = wait, random = Math.random }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await operation();
    } catch (error) {
      if (attempt >= attempts || !isLocked(error)) throw error;
      await sleep(random() * Math.min(128, 2 ** attempt));
    }
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && /database (table )?is locked|SQLITE_BUSY/i.test(error.message);
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
