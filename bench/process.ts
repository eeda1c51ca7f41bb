/** Server processes, and the load that wrk makes. */

import { freePort } from "../tests/support/free_port.ts";

/** In which Linux tells a process's computing time. */
const MICROSECONDS_PER_TICK = 10_000;

/** A server that runs. */
export interface Server extends AsyncDisposable {
  readonly origin: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first answer. */
  readonly startMilliseconds: number;
}

/** How a server is started. */
export interface ServerOptions {
  /** What is asked for until it is answered by a status below 500. */
  readonly path?: string;
  readonly env?: (port: number) => Record<string, string>;
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
  { path = "/", env = () => ({}), isQuiet = false }: ServerOptions = {},
): Promise<Server> {
  const port = freePort();
  const origin = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", ...program(port)],
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

/** A server under load, and what is requested of it. */
export interface Subject {
  readonly name: string;
  readonly server: Server;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A file with a wrk script, for requests that are no GETs. */
  readonly script?: string;
  /** Whether some may be refused. */
  readonly mayRefuse?: boolean;
}

/** What a server did under load. */
export interface Load {
  /** Without those that were refused. */
  readonly perSecond: number;
  /** Answers with an error, if there may be some. */
  readonly refusedPerSecond: number;
  /** Of the processor, for each request. */
  readonly microseconds: number;
  readonly medianMilliseconds: number;
  readonly p99Milliseconds: number;
}

/**
 * Requests the same address of a server over and over, over so many connections.
 *
 * @throws {Error} if the server answers with an error.
 */
export async function load(
  { name, server, path, headers = {}, script, mayRefuse = false }: Subject,
  seconds: number,
  connections: number,
): Promise<Load> {
  const fields = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const before = computingMicroseconds(server.pid);
  const { stdout } = await new Deno.Command("wrk", {
    args: [
      ...["-t1", `-c${connections}`, `-d${seconds}s`, "--latency"],
      ...(script === undefined ? [] : ["-s", script]),
      ...fields,
      server.origin + path,
    ],
  }).output();
  const text = new TextDecoder().decode(stdout);
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0);
  if (refused > 0 && !mayRefuse) throw new Error(`${name}: ${refused} bad answers`);
  const requests = Number(/(\d+) requests in/.exec(text)?.[1] ?? 0);
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1] ?? 0);
  const refusedPerSecond = perSecond * refused / requests;
  return {
    perSecond: perSecond - refusedPerSecond,
    refusedPerSecond,
    microseconds: (computingMicroseconds(server.pid) - before) / requests,
    medianMilliseconds: latency(text, 50),
    p99Milliseconds: latency(text, 99),
  };
}

function latency(report: string, percent: number): number {
  const [, figure = "0", unit = "ms"] =
    new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(report) ??
      [];
  return Number(figure) * { us: 0.001, ms: 1, s: 1000 }[unit as "us" | "ms" | "s"];
}

/** The computing time of all of a process's threads until now. */
function computingMicroseconds(pid: number): number {
  const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // proc(5): utime and stime are the fields 14 and 15, the first after the name is the third.
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK;
}

/** The resident memory of a process, in MiB. */
export function residentMebibytes(pid: number): number {
  return memoryOf(pid, "VmRSS");
}

/** The most resident memory that a process has had, in MiB, since it started or since {@linkcode resetPeak}. */
export function peakMebibytes(pid: number): number {
  return memoryOf(pid, "VmHWM");
}

/** Forgets how much memory a process has had. */
export function resetPeak(pid: number): void {
  // proc(5), clear_refs: 5 resets the peak.
  Deno.writeTextFileSync(`/proc/${pid}/clear_refs`, "5");
}

function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
}
