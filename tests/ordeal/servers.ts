/** The service's processes in an ordeal: their starts, ends and clocks, and their logs. */

const PROGRAM = new URL("serve.ts", import.meta.url).pathname;
const encoder = new TextEncoder();

/** A process, from its start to its end. */
export type Server = Awaited<ReturnType<typeof startServer>>;

/** Starts a process, and waits until it responds. */
export async function startServer(
  env: Readonly<Record<string, string>>,
  ahead: number,
) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", PROGRAM],
    env: { ...env, ORDEAL_AHEAD: String(ahead) },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const log: string[] = [];
  const written = Promise.all([child.stdout, child.stderr].map((stream) => keep(stream, log)));
  const input = child.stdin.getWriter();
  let isUp = true;
  let isEnded = false;
  const collapse = Promise.withResolvers<void>();
  void child.status.then(async () => {
    isEnded = true;
    if (!isUp) return;
    isUp = false;
    killedAt = Date.now();
    await written;
    collapse.resolve();
  });
  let killedAt: number | null = null;

  async function end(signal: Deno.Signal): Promise<number> {
    isUp = false;
    if (!isEnded) child.kill(signal);
    const { code } = await child.status;
    await written;
    await input.close().catch(() => {});
    return code;
  }

  let origin = "";
  while (origin === "" || !await fetch(`${origin}/up`).then(read, () => false)) {
    const port = log.findIndex((line) => /^\d+$/.test(line));
    if (port !== -1) origin = `http://127.0.0.1:${log.splice(port, 1)[0]}`;
    if (isEnded) {
      await written;
      // It collapsed, as a process that has responded may.
      if (endedForDisk(log)) break;
      throw new Error(`a process ended before it answered: ${log.join("\n")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    origin,
    /** Its log, unchanged; complete once it has ended. */
    log,
    /** False once it has been asked to end. */
    get isUp(): boolean {
      return isUp;
    },
    /** Epoch milliseconds at which it was killed, or ended by itself; null if it was not. */
    get killedAt(): number | null {
      return killedAt;
    },
    /** Resolves when it has ended unexpectedly. */
    collapse: collapse.promise,
    /** Sets its clock ahead, in milliseconds. */
    setAhead(milliseconds: number): void {
      // A restarted process gets the offset by its environment.
      if (isUp) void input.write(encoder.encode(`${milliseconds}\n`)).catch(() => {});
    },
    /** Ends it with SIGKILL. */
    async kill(): Promise<void> {
      killedAt = Date.now();
      await end("SIGKILL");
    },
    /** Asks it to end, and returns its exit code. */
    terminate: () => end("SIGTERM"),
    async [Symbol.asyncDispose]() {
      if (!isEnded) await end("SIGKILL");
    },
  };
}

/**
 * Whether a full disk has ended it. Deno 2.9.6 ends itself if it wants to remove what has expired then, and
 * SQLite opens only a database that another process has open.
 */
export function endedForDisk(log: readonly string[]): boolean {
  return log.some((line) =>
    /KV collect expired failed|cannot be opened: .* Is the disk full\?/.test(line)
  );
}

async function read(response: Response): Promise<true> {
  await response.body?.cancel();
  return true;
}

async function keep(stream: ReadableStream<Uint8Array<ArrayBuffer>>, log: string[]): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    log.push(...lines);
  }
  if (rest !== "") log.push(rest);
}
