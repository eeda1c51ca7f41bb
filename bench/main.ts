/**
 * `deno task bench`: the README's figures. Each ratio is measured against a bare `Deno.serve` that
 * answers the same bytes with the same headers, in turns within one run. Needs wrk and taskset (Linux).
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { Builder } from "fresh/dev";
import config from "../fresh.config.ts";
import { createRouterStandIn } from "../lib/sandbox/router.ts";
import { measureProxy } from "./proxy.ts";
import { load, median, residentMebibytes, type Server, startServer } from "./process.ts";

const ROUNDS = Number(Deno.env.get("BENCH_ROUNDS") ?? 5);
const SECONDS = Number(Deno.env.get("BENCH_SECONDS") ?? 3);
const EVENTS = 10_000;
const LIST = "/api/v1/events";

const folder = await Deno.makeTempDir();
await (new Builder(config)).build();

const cpu = /model name\s*: (.*)/.exec(Deno.readTextFileSync("/proc/cpuinfo"))?.[1] ?? "unknown";
console.log(`${cpu}, ${navigator.hardwareConcurrency} cores, Deno ${Deno.version.deno}`);
console.log(`${ROUNDS} rounds of ${SECONDS} s, 32 connections, one core for the server\n`);

const [only] = Deno.args;
if (only === undefined || only === "ratios") await ratios();
if (only === undefined || only === "size") await atSize();
if (only === undefined || only === "proxy") {
  await measureProxy({ folder, rounds: ROUNDS, seconds: SECONDS });
}
await Deno.remove(folder, { recursive: true });

/** A Foyer over a store of its own with so many events. */
async function startFoyer(
  store: Server,
  kv: string,
  refreshSeconds: number,
  env: Record<string, string> = {},
): Promise<Server> {
  return await startServer(() => ["serve.ts"], {
    path: `${LIST}?limit=1`,
    env: (port) => ({
      PORT: String(port),
      HOST: "127.0.0.1",
      KV_PATH: `${folder}/${kv}`,
      AIRTABLE_API_URL: store.origin,
      AIRTABLE_TOKEN: "patBench.token",
      AIRTABLE_BASE_ID: "appBench",
      EVENTS_REFRESH_SECONDS: String(refreshSeconds),
      ...env,
    }),
  });
}

function startStore(events: number): Promise<Server> {
  return startServer((port) => ["bench/store.ts", String(events), String(port)]);
}

/** A router of as many models as the real one has. */
function startRouter(): AsyncDisposable & { readonly origin: string } {
  const keys = { apiKey: "bench", managementKey: "bench" };
  const router = createRouterStandIn({ ...keys, models: 2_000, now: Date.now });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, router.fetch);
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A bare server that answers as Foyer did. */
async function startBare(response: Response): Promise<Server> {
  const file = `${folder}/answer.json`;
  const headers = [...response.headers].filter(([name]) =>
    !["date", "content-length"].includes(name)
  );
  const bytes = await response.bytes();
  const body = response.status === 304 ? null : bytes.toBase64();
  await Deno.writeTextFile(file, JSON.stringify({ status: response.status, headers, body }));
  return await startServer((port) => ["bench/bare.ts", file, String(port)]);
}

async function ratios(): Promise<void> {
  await using store = await startStore(600);
  await using router = startRouter();
  await using foyer = await startFoyer(store, "ratios", 300, { ROUTER_API_URL: router.origin });
  const etag = (await fetch(`${foyer.origin}${LIST}?limit=100`)).headers.get("etag") ?? "";
  const scenarios: [string, string, Record<string, string>][] = [
    ["list of 100 events", `${LIST}?limit=100`, {}],
    ["the same, brotli", `${LIST}?limit=100`, { "accept-encoding": "br" }],
    ["list, filtered", `${LIST}?status=upcoming,ended&sort=name&limit=100`, {}],
    ["one event", `${LIST}/rec00000000000005`, {}],
    ["RSS feed", `${LIST}/rss`, {}],
    ["304", `${LIST}?limit=100`, { "if-none-match": etag }],
    ["/up", "/up", {}],
    ["list of 2,000 models", "/proxy/v1/models", {}],
  ];
  console.log("| answer | best round, requests/s | of bare's best | median of rounds (spread) |");
  console.log("| --- | --- | --- | --- |");
  for (const [name, path, headers] of scenarios) {
    const identity = { "accept-encoding": "identity", ...headers };
    await using bare = await startBare(
      await fetch(`${foyer.origin}${path}`, { headers: identity }),
    );
    const rounds: { own: number; bare: number; ratio: number }[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const own = await load(foyer, path, SECONDS, { headers });
      const other = await load(bare, "/", SECONDS, { headers });
      if (own.badAnswers + other.badAnswers > 0) throw new Error(`${name}: bad answers`);
      // The first round warms both up.
      if (round === 0) continue;
      rounds.push({
        own: own.requestsPerSecond,
        bare: other.requestsPerSecond,
        ratio: own.requestsPerSecond / other.requestsPerSecond,
      });
    }
    // Neighbours on the machine only ever slow a round down: the best ones are the undisturbed.
    const best = Math.max(...rounds.map(({ own }) => own));
    const ofBare = best / Math.max(...rounds.map(({ bare }) => bare));
    const perSecond = Math.round(best).toLocaleString("en");
    const ratio = spread(rounds.map((round) => round.ratio));
    console.log(`| ${name} | ${perSecond} | ${ofBare.toFixed(2)} | ${ratio} |`);
  }
}

function spread(figures: readonly number[]): string {
  const [low, high] = [Math.min(...figures), Math.max(...figures)];
  return `${median(figures).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

async function atSize(): Promise<void> {
  console.log(`\n| with ${EVENTS.toLocaleString("en")} events | figure |\n| --- | --- |`);
  const row = (name: string, figure: string) => console.log(`| ${name} | ${figure} |`);
  await using store = await startStore(EVENTS);
  await using empty = await startStore(0);
  {
    await using foyer = await startFoyer(store, "size", 300);
    row("a query not seen before, median", `${(await unseenMilliseconds(foyer)).toFixed(1)} ms`);
  }
  {
    await using none = await startFoyer(empty, "none", 300);
    await using foyer = await startFoyer(store, "size", 300);
    for (const server of [none, foyer]) await load(server, `${LIST}?limit=100`, SECONDS);
    const grown = residentMebibytes(foyer.pid) - residentMebibytes(none.pid);
    row("memory above an empty store", `${Math.round(grown)} MiB`);
    const quiet = await load(foyer, `${LIST}?limit=100`, 25);
    await using busy = await startFoyer(store, "size", 1);
    const refreshing = await load(busy, `${LIST}?limit=100`, 25);
    row(
      "p99 while the store is read, of p99 without",
      `${(refreshing.p99Milliseconds / quiet.p99Milliseconds).toFixed(2)} ` +
        `(${refreshing.p99Milliseconds.toFixed(1)} ms of ${quiet.p99Milliseconds.toFixed(1)} ms)`,
    );
  }
  const starts: number[] = [];
  const bareStarts: number[] = [];
  for (let round = 0; round < 2 * ROUNDS; round++) {
    await using foyer = await startFoyer(store, "size", 300);
    starts.push(foyer.startMilliseconds);
    await using bare = await startBare(new Response("x"));
    bareStarts.push(bare.startMilliseconds);
  }
  row(
    "process start to first answer",
    `${Math.round(Math.min(...starts))} ms (a bare server: ${
      Math.round(Math.min(...bareStarts))
    } ms), the best of each`,
  );
}

/** The middle time of queries that nobody asked before, one after the other. */
async function unseenMilliseconds({ origin }: Server): Promise<number> {
  const times: number[] = [];
  const ask = async (query: string) => {
    const startedAt = performance.now();
    await (await fetch(`${origin}${LIST}?${query}`)).arrayBuffer();
    times.push(performance.now() - startedAt);
  };
  await ask("limit=1");
  times.length = 0;
  for (const sort of ["name", "startDate", "announcedAt"]) {
    for (const status of ["upcoming", "ended", "upcoming,ended"]) {
      for (let limit = 80; limit <= 100; limit += 5) {
        await ask(`sort=${sort}&status=${status}&limit=${limit}`);
      }
    }
  }
  return median(times);
}
