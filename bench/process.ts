/** Server processes on a core of their own, and the load that wrk makes from the other. */

const SERVER_CORE = "0";
/** Also that of what the servers call. */
export const LOAD_CORE = "1";

/** A server that runs. */
export interface Server extends AsyncDisposable {
  readonly origin: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first answer. */
  readonly startMilliseconds: number;
}

let nextPort = 18_100;

/** How a server is started. */
export interface ServerOptions {
  /** What is asked for until it is answered by a status below 500. */
  readonly path?: string;
  readonly env?: (port: number) => Record<string, string>;
  readonly core?: string;
  /** Whether nobody wants to read what it complains of. */
  readonly isQuiet?: boolean;
}

/**
 * Starts a Deno program and waits for its first answer.
 *
 * @param program the script and its arguments, given the port.
 */
export async function startServer(
  program: (port: number) => string[],
  { path = "/", env = () => ({}), core = SERVER_CORE, isQuiet = false }: ServerOptions = {},
): Promise<Server> {
  const port = nextPort++;
  const origin = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const child = new Deno.Command("taskset", {
    args: ["-c", core, Deno.execPath(), "run", "-A", "--no-check", ...program(port)],
    env: env(port),
    stdout: "null",
    stderr: isQuiet ? "null" : "inherit",
  }).spawn();
  while (!await answers(`${origin}${path}`)) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (performance.now() - startedAt > 120_000) throw new Error(`${program(port)} never answered`);
  }
  return {
    origin,
    pid: child.pid,
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

/** What wrk measured. */
export interface Load {
  readonly requestsPerSecond: number;
  readonly medianMilliseconds: number;
  readonly p99Milliseconds: number;
  readonly badAnswers: number;
}

/** What is requested, and by how many at once. */
export interface LoadOptions {
  readonly connections?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A file with a wrk script, for requests that are no GETs. */
  readonly script?: string;
}

/** Requests one address as fast as it answers, over 32 connections unless another number is given. */
export async function load(
  server: Server,
  path: string,
  seconds: number,
  { connections = 32, headers = {}, script }: LoadOptions = {},
): Promise<Load> {
  const fields = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const { stdout } = await new Deno.Command("taskset", {
    args: [
      "-c",
      LOAD_CORE,
      "wrk",
      "-t1",
      `-c${connections}`,
      `-d${seconds}s`,
      "--latency",
      ...(script === undefined ? [] : ["-s", script]),
      ...fields,
      server.origin + path,
    ],
  }).output();
  const text = new TextDecoder().decode(stdout);
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1] ?? 0),
    medianMilliseconds: latency(text, 50),
    p99Milliseconds: latency(text, 99),
    badAnswers: Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0),
  };
}

function latency(report: string, percent: number): number {
  const [, figure = "0", unit = "ms"] =
    new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(report) ??
      [];
  return Number(figure) * { us: 0.001, ms: 1, s: 1000 }[unit as "us" | "ms" | "s"];
}

/** The resident memory of a process, in MiB. */
export function residentMebibytes(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** The middle of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
