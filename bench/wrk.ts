/** The load that wrk makes, and what a server does under it. */

import type { Server } from "./server.ts";

/** Linux tells a process's computing time in ticks of so long. */
const MICROSECONDS_PER_TICK = 10_000;

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

/** The results of a server under load. */
export type Load = Awaited<ReturnType<typeof load>>;

/**
 * Requests the same address of a server over and over, over some connections.
 *
 * @throws {Error} if the server answers with an error.
 */
export async function load(
  { name, server, path, headers = {}, script, mayRefuse = false }: Subject,
  seconds: number,
  connections: number,
) {
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
  const refusedPerSecond = requests === 0 ? 0 : perSecond * refused / requests;
  return {
    /** Without those that were refused. */
    perSecond: perSecond - refusedPerSecond,
    /** Answers with an error, if there may be some. */
    refusedPerSecond,
    /** Processor time for each request. */
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
export function computingMicroseconds(pid: number): number {
  const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // proc(5): utime and stime are the fields 14 and 15, the first after the name is the third.
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK;
}

/** Writes a script for wrk that sends a JSON body, each time for one of the given callers, and gives its path. */
export async function writeScript(
  folder: string,
  name: string,
  body: unknown,
  callers: readonly Readonly<Record<string, string>>[] = [],
): Promise<string> {
  const file = `${folder}/${name}.lua`;
  const text = JSON.stringify(JSON.stringify(body));
  const keys = callers.map(({ authorization }) => JSON.stringify(authorization));
  const choice = keys.length === 0 ? "" : `local keys = {${keys.join(", ")}}
request = function()
  wrk.headers["Authorization"] = keys[math.random(#keys)]
  return wrk.format()
end
`;
  await Deno.writeTextFile(
    file,
    `wrk.method = "POST"\nwrk.body = ${text}\nwrk.headers["Content-Type"] = "application/json"\n` +
      choice,
  );
  return file;
}
