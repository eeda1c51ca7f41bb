/**
 * `deno task bench [answers|size|proxy|fairness|streams|profile|load|processes|site|first]`: the README's figures.
 * Each answer is measured against a bare `Deno.serve` and against Hono that give the same bytes with the same
 * headers, in turns. Without an argument the results go to `results.json` and into the README. Needs wrk, on Linux.
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { Builder } from "fresh/dev";
import config from "../fresh.config.ts";
import { createRouterStandIn } from "../lib/sandbox/router.ts";
import { compare, median, type Patience } from "./compare.ts";
import { measureFairness } from "./fairness.ts";
import { measureFirstAnswer } from "./first_answer.ts";
import { measureLoad } from "./load.ts";
import { load, residentMebibytes, type Server, startServer, type Subject } from "./process.ts";
import { measureProcesses } from "./processes.ts";
import { profileProxy } from "./profile.ts";
import { compareProxies } from "./proxy.ts";
import { type Comparison, type Fact, publish, type Results, toMarkdown } from "./report.ts";
import { measureSite } from "./site.ts";
import { measureStreams } from "./streams.ts";

const PATIENCE: Patience = {
  rounds: Number(Deno.env.get("BENCH_ROUNDS") ?? 5),
  seconds: Number(Deno.env.get("BENCH_SECONDS") ?? 3),
};
const CONNECTIONS = 16;
const EVENTS = 10_000;
const LIST = "/api/v1/events";
const HONO = "npm:hono@4.13.19";

const folder = await Deno.makeTempDir();
await (new Builder(config)).build();

const [only] = Deno.args;
const isAll = only === undefined;
const proxy = isAll || only === "proxy" ? await compareProxies(folder, PATIENCE) : null;
const results: Results = {
  machine: machine(),
  how:
    `${PATIENCE.rounds} rounds of ${PATIENCE.seconds} s, after two to warm up, in which the servers ` +
    "are loaded one after the other. A rate is the middle of the rounds; a ratio is that of one " +
    "round: the middle, with the lowest and the highest.",
  answers: isAll || only === "answers" ? await compareAnswers() : [],
  proxy: proxy?.comparisons ?? [],
  facts: [
    ...proxy?.facts ?? [],
    ...isAll || only === "fairness" ? await measureFairness(folder) : [],
    ...isAll || only === "streams" ? await measureStreams(folder) : [],
    ...isAll || only === "profile" ? await profileProxy(folder) : [],
    ...isAll || only === "size" ? await atSize() : [],
    ...isAll || only === "load" ? await measureLoad(folder) : [],
    ...isAll || only === "processes" ? await measureProcesses(folder, PATIENCE.seconds) : [],
    ...isAll || only === "site" ? await measureSite(folder) : [],
    ...isAll || only === "first" ? await measureFirstAnswer(folder) : [],
  ],
};
console.log(toMarkdown(results));
if (isAll) await publish(results);
await Deno.remove(folder, { recursive: true });

function machine(): string {
  const cpu = /model name\s*: (.*)/.exec(Deno.readTextFileSync("/proc/cpuinfo"))?.[1] ?? "unknown";
  return `${cpu}, ${navigator.hardwareConcurrency} cores, Deno ${Deno.version.deno}`;
}

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

/** Writes an answer down for the servers that give it again. */
async function record(response: Response): Promise<string> {
  const file = `${folder}/answer.json`;
  const headers = [...response.headers].filter(([name]) =>
    !["date", "content-length"].includes(name)
  );
  const bytes = await response.bytes();
  const body = response.status === 304 ? null : bytes.toBase64();
  await Deno.writeTextFile(file, JSON.stringify({ status: response.status, headers, body }));
  return file;
}

function startBare(file: string): Promise<Server> {
  return startServer((port) => ["bench/bare.ts", file, String(port)]);
}

/** Without our lock file and our folder of packages, which do not know it. */
function startHono(file: string): Promise<Server> {
  const alone = ["--no-config", "--no-lock", "--node-modules-dir=none"];
  return startServer((port) => [...alone, "bench/hono.ts", file, String(port), HONO]);
}

async function compareAnswers(): Promise<Comparison[]> {
  await using store = await startStore(600);
  await using router = startRouter();
  await using server = await startFoyer(store, "ratios", 300, { ROUTER_API_URL: router.origin });
  const etag = (await fetch(`${server.origin}${LIST}?limit=100`)).headers.get("etag") ?? "";
  const answers: [string, string, Record<string, string>][] = [
    ["list of 100 events", `${LIST}?limit=100`, {}],
    ["the same, brotli", `${LIST}?limit=100`, { "accept-encoding": "br" }],
    ["list, filtered", `${LIST}?status=upcoming,ended&sort=name&limit=100`, {}],
    ["one event", `${LIST}/rec00000000000005`, {}],
    ["RSS feed", `${LIST}/rss`, {}],
    ["304", `${LIST}?limit=100`, { "if-none-match": etag }],
    ["home page", "/", { accept: "text/html", "accept-encoding": "br" }],
    ["reference", "/api/v1/docs", { accept: "text/html", "accept-encoding": "br" }],
    ["`/up`", "/up", {}],
    ["list of 2,000 models", "/proxy/v1/models", {}],
  ];
  const comparisons: Comparison[] = [];
  for (const [name, path, headers] of answers) {
    const identity = { "accept-encoding": "identity", ...headers };
    const file = await record(await fetch(`${server.origin}${path}`, { headers: identity }));
    await using bare = await startBare(file);
    await using hono = await startHono(file);
    const subjects: Subject[] = [
      { name: "Foyer", server, path, headers },
      { name: "bare Deno", server: bare, path: "/", headers },
      { name: "Hono", server: hono, path: "/", headers },
    ];
    const figures = await compare(subjects, CONNECTIONS, PATIENCE);
    comparisons.push({ name, connections: CONNECTIONS, figures });
    console.error(`${name}: measured`);
  }
  return comparisons;
}

async function atSize(): Promise<Fact[]> {
  const facts: Fact[] = [];
  const add = (name: string, figure: string) => {
    facts.push({ name: `${name}, ${EVENTS.toLocaleString("en")} events`, figure });
    console.error(`${name}: measured`);
  };
  const path = `${LIST}?limit=100`;
  await using store = await startStore(EVENTS);
  await using empty = await startStore(0);
  {
    await using foyer = await startFoyer(store, "size", 300);
    add("a query not seen before, median", `${(await unseenMilliseconds(foyer)).toFixed(1)} ms`);
  }
  {
    await using none = await startFoyer(empty, "none", 300);
    await using quiet = await startFoyer(store, "size", 300);
    await using busy = await startFoyer(store, "busy", 1);
    const measure = (name: string, server: Server, seconds: number) =>
      load({ name, server, path }, seconds, CONNECTIONS);
    for (const server of [none, quiet, busy]) await measure("warm up", server, PATIENCE.seconds);
    const grown = residentMebibytes(quiet.pid) - residentMebibytes(none.pid);
    add("memory above an empty store", `${Math.round(grown)} MiB`);
    const still = await measure("quiet", quiet, 25);
    const refreshing = await measure("refreshing", busy, 25);
    add(
      "p99 while the store is read every second, of p99 without",
      (refreshing.p99Milliseconds / still.p99Milliseconds).toFixed(2),
    );
  }
  const starts: number[] = [];
  const bareStarts: number[] = [];
  const file = await record(new Response("x"));
  for (let round = 0; round < 2 * PATIENCE.rounds; round++) {
    await using foyer = await startFoyer(store, "size", 300);
    starts.push(foyer.startMilliseconds);
    await using bare = await startBare(file);
    bareStarts.push(bare.startMilliseconds);
  }
  const [own, bare] = [starts, bareStarts].map((times) => Math.round(Math.min(...times)));
  add("process start to first answer, at best", `${own} ms (a bare server: ${bare} ms)`);
  return facts;
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
