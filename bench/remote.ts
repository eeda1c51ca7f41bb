/**
 * Measures searches over a remote database (`--kv`, KV Connect), by the number of accounts, the round trip to the
 * database and the number of processes. All processes are loaded at the same time.
 */
// deno-lint-ignore-file no-console -- it tells how far it is

import { createCaller, startProvider, startProxy } from "./foyer.ts";
import type { Fact } from "./report.ts";
import type { Server } from "./server.ts";
import { counted } from "../lib/platform/text.ts";
import { load, writeScript } from "./wrk.ts";

const SEARCH = "/proxy/v1/websearch/search";
const ACCOUNTS = [1, 100];
const PROCESSES = [1, 2, 4];
const ROUND_TRIPS_MILLISECONDS = [0, 10, 50];
/** The simultaneous callers of all processes together. */
const CONNECTIONS = 64;
/** Processes that share an account find each other within this time. */
const WARM_UP_SECONDS = 8;

/** Measures Foyers on the database at `kvUrl`, which should be empty, with DENO_KV_ACCESS_TOKEN as its token. */
export async function measureRemote(
  folder: string,
  kvUrl: string,
  seconds: number,
): Promise<Fact[]> {
  const facts: Fact[] = [];
  await using provider = await startProvider();
  const body = { query: "sourdough bread", numResults: 3 };
  for (const accounts of ACCOUNTS) {
    const callers = [];
    while (callers.length < accounts) callers.push(await createCaller(kvUrl));
    const script = await writeScript(folder, "search", body, callers);
    for (const roundTrip of ROUND_TRIPS_MILLISECONDS) {
      using relay = startRelay(kvUrl, roundTrip);
      for (const count of PROCESSES) {
        const starting = Array.from({ length: count }, () => startProxy(relay.origin, provider));
        const figure = await loadAll(await Promise.all(starting), script, seconds);
        const name = `${counted(accounts, "account")}, ${roundTrip} ms, ` +
          (count === 1 ? "1 process" : `${count} processes`);
        facts.push({ name, figure });
        console.error(`${name}: ${figure}`);
      }
    }
  }
  return facts;
}

/** Loads all servers at the same time, and ends them. */
async function loadAll(
  servers: readonly Server[],
  script: string,
  seconds: number,
): Promise<string> {
  const loadFor = (seconds: number) =>
    Promise.all(servers.map((server) => {
      const subject = { name: "Foyer", server, path: SEARCH, script, mayRefuse: true };
      return load(subject, seconds, CONNECTIONS / servers.length);
    }));
  await loadFor(WARM_UP_SECONDS);
  const loads = await loadFor(seconds);
  for (const server of servers) await server[Symbol.asyncDispose]();
  const rates = loads.map(({ perSecond }) => Math.round(perSecond));
  const refused = sum(loads.map(({ refusedPerSecond }) => refusedPerSecond));
  const medians = loads.map(({ medianMilliseconds }) => Math.round(medianMilliseconds));
  const longest = Math.max(...loads.map(({ p99Milliseconds }) => Math.round(p99Milliseconds)));
  return `${sum(rates)}/s (${rates.join(" + ")}), medians ${medians.join(", ")} ms, ` +
    `99 % within ${longest} ms` + (refused > 0 ? `, ${refused.toFixed(1)}/s refused` : "");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Stands between the processes and a database without TLS, and adds a round trip. */
function startRelay(target: string, roundTripMilliseconds: number) {
  if (roundTripMilliseconds === 0) return { origin: target, [Symbol.dispose]() {} };
  const { hostname, port } = new URL(target);
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const carry = (from: Deno.TcpConn, to: Deno.TcpConn) => {
    let written = Promise.resolve();
    const later = new WritableStream<Uint8Array>({
      write(bytes) {
        const due = new Promise((resolve) => setTimeout(resolve, roundTripMilliseconds / 2));
        const before = written;
        const copy = bytes.slice();
        written = due.then(() => before).then(async () => {
          for (let at = 0; at < copy.length;) at += await to.write(copy.subarray(at));
        });
        // A connection that ends is the processes' business.
        written.catch(() => {});
      },
    });
    from.readable.pipeTo(later).catch(() => {}).finally(() =>
      written.then(() => to.close()).catch(() => {})
    );
  };
  const serve = async () => {
    for await (const client of listener) {
      const server = await Deno.connect({ hostname, port: Number(port || 80) });
      for (const each of [client, server]) each.setNoDelay();
      carry(client, server);
      carry(server, client);
    }
  };
  void serve();
  return {
    origin: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    [Symbol.dispose]: () => listener.close(),
  };
}
