/**
 * One to four processes on one database file: what sharing it costs, with an account each and with one. Two processes
 * with a file each tell how much of that the shared processor cores cost.
 */
// deno-lint-ignore-file no-console -- it tells how far it is

import { createCaller, startProvider, startProxy } from "./foyer.ts";
import type { Fact } from "./report.ts";
import type { Server } from "./server.ts";
import { load, writeScript } from "./wrk.ts";

const MOST = 4;
const CONNECTIONS = 16;
const SEARCH = "/proxy/v1/websearch/search";

type Headers = Record<string, string>;

/** Loads one process, then two, up to four. Databases and scripts go to a folder. */
export async function measureProcesses(folder: string, seconds: number): Promise<Fact[]> {
  await using provider = await startProvider();
  const script = await writeScript(folder, "processes", { query: "sourdough bread" });
  const path = `${folder}/processes`;
  const callers = await Promise.all(Array.from({ length: MOST }, () => createCaller(path)));
  const facts: Fact[] = [];
  await using processes = new AsyncDisposableStack();
  const servers: Server[] = [];
  for (let count = 1; count <= MOST; count++) {
    servers.push(processes.use(await startProxy(path, provider)));
    await rate(servers, (at) => callers[at]);
    const own = await rate(servers, (at) => callers[at]);
    const shared = await rate(servers, () => callers[0]);
    facts.push({
      name: `searches over ${count} process${count > 1 ? "es" : ""} on one file`,
      figure: `${own.toLocaleString("en")}/s with an account each, ` +
        `${shared.toLocaleString("en")}/s of one account`,
    });
    console.error(`${count} processes: measured`);
  }
  facts.push(await measureApart());
  return facts;

  /** The searches a second of all servers together. */
  async function rate(
    servers: readonly Server[],
    callerOf: (at: number) => Headers | undefined,
  ): Promise<number> {
    const loads = await Promise.all(servers.map((server, at) =>
      load(
        { name: "search", server, path: SEARCH, script, headers: callerOf(at) ?? {} },
        seconds,
        Math.ceil(CONNECTIONS / servers.length),
      )
    ));
    return Math.round(loads.reduce((sum, { perSecond }) => sum + perSecond, 0));
  }

  async function measureApart(): Promise<Fact> {
    const paths = [`${folder}/apart1`, `${folder}/apart2`];
    const callers = await Promise.all(paths.map((path) => createCaller(path)));
    await using processes = new AsyncDisposableStack();
    const servers: Server[] = [];
    for (const path of paths) servers.push(processes.use(await startProxy(path, provider)));
    await rate(servers, (at) => callers[at]);
    const perSecond = await rate(servers, (at) => callers[at]);
    return {
      name: "searches over 2 processes with a file each",
      figure: `${perSecond.toLocaleString("en")}/s`,
    };
  }
}
