/** Streams through the proxy: how soon a caller's going ends the provider's work, and what a long answer takes. */
// deno-lint-ignore-file no-console -- it tells how far it is

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createCaller, startProxy } from "./foyer.ts";
import type { Fact } from "./report.ts";
import { peakMebibytes, resetPeak, residentMebibytes, type Server } from "./server.ts";
import { median } from "./statistics.ts";
import { startWatchedProvider, type WatchedProvider } from "./watched_provider.ts";

const TRIALS = 100;
const GIGABYTE = 1_000_000_000;
const WARM_UP_BYTES = 50_000_000;
/** How fast a slow caller reads, and how much. */
const SLOW_BYTES_PER_MILLISECOND = 5_000;
const SLOW_TOTAL_BYTES = 10_000_000;

/** A process, the provider that it calls, and the headers of a caller. */
interface Scene {
  readonly foyer: Server;
  readonly provider: WatchedProvider;
  readonly headers: Readonly<Record<string, string>>;
}

const PATH = "/proxy/v1/websearch/answer";
const BODY = JSON.stringify({ query: "sourdough bread", stream: true });

/** Measures one process. Its database goes to a folder. */
export async function measureStreams(folder: string): Promise<Fact[]> {
  await using provider = startWatchedProvider();
  const path = `${folder}/streams`;
  const headers = { ...await createCaller(path), "content-type": "application/json" };
  await using foyer = await startProxy(path, provider);
  const scene = { foyer, provider, headers };
  const facts: Fact[] = [];
  for (const manner of ["silent", "trickling"] as const) {
    for (const [name, leave] of LEAVING) {
      const times: number[] = [];
      for (let trial = 0; trial < TRIALS; trial++) times.push(await leave(scene, manner));
      const when = manner === "silent" ? "before the first byte" : "in the middle of a stream";
      facts.push({
        name: `from ${name} ${when} until the provider notices`,
        figure: `median ${median(times).toFixed(1)} ms, ${
          Math.max(...times).toFixed(1)
        } ms at most`,
      });
    }
  }
  console.error("callers who go: measured");
  facts.push(...await measureLong(scene));
  console.error("a stream of 1 GB: measured");
  return facts;
}

/** How a caller may go; each gives the milliseconds until the provider notices. */
const LEAVING = [
  ["a reset connection", leaveByReset],
  ["an aborted `fetch`", leaveByAbort],
] as const;

async function leaveByReset(scene: Scene, manner: "silent" | "trickling"): Promise<number> {
  const come = scene.provider.expect(manner);
  const socket = await send(scene);
  const { gone } = await come;
  if (manner === "trickling") await once(socket, "data");
  socket.on("error", () => {});
  const leftAt = performance.now();
  socket.resetAndDestroy();
  return await gone - leftAt;
}

async function leaveByAbort(
  { foyer, provider, headers }: Scene,
  manner: "silent" | "trickling",
): Promise<number> {
  const come = provider.expect(manner);
  const controller = new AbortController();
  const { signal } = controller;
  const asked = fetch(foyer.origin + PATH, { method: "POST", headers, body: BODY, signal });
  const { gone } = await come;
  if (manner === "trickling") await (await asked).body?.getReader().read();
  const leftAt = performance.now();
  controller.abort();
  await asked.catch(() => {});
  return await gone - leftAt;
}

/** A connection on which the request was sent. */
async function send({ foyer: { origin }, headers }: Scene): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const fields = { ...headers, "host": hostname, "content-length": String(BODY.length) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${PATH} HTTP/1.1\r\n${lines.join("")}\r\n${BODY}`);
  return socket;
}

/** The cost of 1 GB that is read at once, and the lead of a provider over a caller who reads slowly. */
async function measureLong(scene: Scene): Promise<Fact[]> {
  const { foyer: { pid } } = scene;
  await readAll(scene, WARM_UP_BYTES);
  const fast = await grownBy(pid, () => readAll(scene, GIGABYTE));
  const slow = await grownBy(pid, () => readSlowly(scene));
  return [
    {
      name: "a stream of 1 GB",
      figure: `${fast.mebibytes} MiB more memory at most, ${fast.result} MB/s`,
    },
    {
      name: `a stream that is read at ${SLOW_BYTES_PER_MILLISECOND / 1000} MB/s`,
      figure: `${slow.mebibytes} MiB more memory at most, ` +
        `the provider ${slow.result} MB ahead at most`,
    },
  ];
}

/** By how much a process's memory grows at most while something is done. */
async function grownBy<T>(pid: number, work: () => Promise<T>) {
  const before = residentMebibytes(pid);
  resetPeak(pid);
  const result = await work();
  return { result, mebibytes: Math.round(peakMebibytes(pid) - before) };
}

/** Reads an answer of so many bytes; gives MB per second. */
async function readAll({ foyer, provider, headers }: Scene, bytes: number): Promise<number> {
  void provider.expect(bytes);
  const startedAt = performance.now();
  const response = await fetch(foyer.origin + PATH, { method: "POST", headers, body: BODY });
  let read = 0;
  for await (const { length } of response.body ?? []) read += length;
  if (read < bytes) throw new Error(`${read} of ${bytes} bytes have come`);
  return Math.round(read / 1000 / (performance.now() - startedAt));
}

/** Reads the beginning of an answer without an end; gives how many MB the provider was ahead at most. */
async function readSlowly(scene: Scene): Promise<number> {
  const come = scene.provider.expect(Infinity);
  const socket = await send(scene);
  const answer = await come;
  let [read, ahead] = [0, 0];
  for await (const { length } of socket) {
    read += length;
    ahead = Math.max(ahead, answer.produced - read);
    if (read >= SLOW_TOTAL_BYTES) break;
    await new Promise((resolve) => setTimeout(resolve, length / SLOW_BYTES_PER_MILLISECOND));
  }
  return Math.round(ahead / 1e6);
}
