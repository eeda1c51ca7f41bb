/** Server processes: how they are started, and how much memory they have. */

import { freePort } from "./free_port.ts";

/** Options of `deno run` for a program of others: neither our lock file nor our folder of packages knows it. */
export const ALONE = ["--no-config", "--no-lock", "--node-modules-dir=none"];

/** How long a server may take to its first answer. */
const PATIENCE_MILLISECONDS = 120_000;

/** How a server is started. */
interface ServerOptions {
  /** The path that is requested until its status is below 500. */
  readonly path?: string;
  readonly env?: (port: number) => Record<string, string>;
  /** Whether its error output is discarded. */
  readonly isQuiet?: boolean;
}

/** A server that runs. */
export type Server = Awaited<ReturnType<typeof startServer>>;

/**
 * Starts a Deno program and waits for its first answer.
 *
 * @param program the script and its arguments, given the port.
 * @throws {Error} if it ends before, or does not answer for two minutes.
 */
export async function startServer(
  program: (port: number) => string[],
  { path = "/", env = () => ({}), isQuiet = false }: ServerOptions = {},
) {
  const port = freePort();
  const origin = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", ...program(port)],
    env: env(port),
    stdout: "null",
    stderr: isQuiet ? "null" : "inherit",
  }).spawn();
  let isOver = false;
  void child.status.then(() => isOver = true);
  while (!await answers(`${origin}${path}`)) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (isOver) throw new Error(`${program(port)} ended before it answered`);
    if (performance.now() - startedAt < PATIENCE_MILLISECONDS) continue;
    child.kill("SIGKILL");
    throw new Error(`${program(port)} never answered`);
  }
  return {
    origin,
    pid: child.pid,
    /** Milliseconds from the start of the process to its first answer. */
    startMilliseconds: performance.now() - startedAt,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    return false;
  }
}

/** The resident memory of a process, in MiB. */
export function residentMebibytes(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
