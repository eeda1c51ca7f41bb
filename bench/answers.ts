/**
 * Foyer's answers against those of a bare `Deno.serve` and of Hono, which give the same bytes with the same
 * headers, in turns.
 */
// deno-lint-ignore-file no-console -- it tells how far it is

import { createRouterStandIn } from "../lib/sandbox/router.ts";
import { compare, type Patience } from "./compare.ts";
import { startFoyer, startStore } from "./foyer.ts";
import type { Comparison } from "./report.ts";
import { ALONE, type Server, startServer } from "./server.ts";
import type { Subject } from "./wrk.ts";

const CONNECTIONS = 16;
const EVENTS = 600;
const LIST = "/api/v1/events";
const HONO = "npm:hono@4.13.19";

/** Compares Foyer's answers with the same ones of a bare server and of Hono. Databases go to a folder. */
export async function compareAnswers(folder: string, patience: Patience): Promise<Comparison[]> {
  await using store = await startStore(EVENTS);
  await using router = startRouter();
  await using server = await startFoyer(`${folder}/ratios`, store, {
    ROUTER_API_URL: router.origin,
  });
  const [besideName = "", tree] = Deno.env.get("BENCH_BESIDE")?.split("=") ?? [];
  await using beside = tree === undefined
    ? null
    : await startFoyer(`${folder}/beside`, store, { ROUTER_API_URL: router.origin }, tree);
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
    const file = await record(await fetch(server.origin + path, { headers: identity }), folder);
    await using bare = await startBare(file);
    await using hono = await startHono(file);
    const subjects: Subject[] = [
      { name: "Foyer", server, path, headers },
      { name: "bare Deno", server: bare, path: "/", headers },
      { name: "Hono", server: hono, path: "/", headers },
      ...beside === null ? [] : [{ name: besideName, server: beside, path, headers }],
    ];
    const figures = await compare(subjects, CONNECTIONS, patience);
    comparisons.push({ name, connections: CONNECTIONS, figures });
    console.error(`${name}: measured`);
  }
  return comparisons;
}

/** Writes an answer into a folder, for the servers that give it again; gives the path. */
export async function record(response: Response, folder: string): Promise<string> {
  const file = `${folder}/answer.json`;
  const headers = [...response.headers].filter(([name]) =>
    !["date", "content-length"].includes(name)
  );
  const bytes = await response.bytes();
  const body = response.status === 304 ? null : bytes.toBase64();
  await Deno.writeTextFile(file, JSON.stringify({ status: response.status, headers, body }));
  return file;
}

/** The bare server, which gives the recorded answer. */
export function startBare(file: string): Promise<Server> {
  return startServer((port) => ["bench/bare.ts", file, String(port)]);
}

function startHono(file: string): Promise<Server> {
  return startServer((port) => [...ALONE, "bench/hono.ts", file, String(port), HONO]);
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
