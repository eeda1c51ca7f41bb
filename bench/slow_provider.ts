/**
 * The added wait of a caller when the provider takes 50 ms: Foyer, a bare proxy and Portkey's gateway
 * in one run. One caller asks every second; then a hundred callers do, each with an account of its own.
 */
// deno-lint-ignore-file no-console -- it tells how far it is

import { setTimeout as sleep } from "node:timers/promises";
import { createCaller, startProvider, startProxy } from "./foyer.ts";
import { startPassThrough, startPortkey } from "./proxy.ts";
import type { Fact } from "./report.ts";
import { median, percentile } from "./statistics.ts";
import type { Subject } from "./wrk.ts";

const DELAY_MILLISECONDS = 50;
const CALLERS = 100;
/** Requests of each caller that are counted, one in a second. */
const REQUESTS = 20;
const PERIOD_MILLISECONDS = 1_000;
/** Requests before, one after the other: the engine compiles what is hot. */
const WARM_UP = 2_000;

type Headers = Readonly<Record<string, string>>;

/** Measures the added time. */
export async function measureSlowProvider(folder: string): Promise<Fact[]> {
  await using provider = await startProvider(DELAY_MILLISECONDS);
  const path = `${folder}/slow`;
  const callers: Headers[] = [];
  for (let count = 0; count < CALLERS + 1; count++) callers.push(await createCaller(path));
  await using server = await startProxy(path, provider);
  await using bareServer = await startPassThrough(provider);
  const portkey = await startPortkey(folder, provider);
  await using _ = portkey?.server;
  const search = "/proxy/v1/websearch/search";
  const subjects: Subject[] = [
    { name: "Foyer", server, path: search },
    { name: "a bare proxy", server: bareServer, path: search },
    ...portkey === null ? [] : [portkey],
  ];
  for (const subject of subjects) await warmUp(subject, callers[CALLERS] ?? {});
  const own = callers.slice(0, CALLERS);
  const first = await inTurns(subjects, own, 1);
  const one = await inTurns(subjects, own.slice(0, 1), REQUESTS);
  const many = await inTurns(subjects, own, REQUESTS);
  console.error("a provider that takes 50 ms: measured");
  return [
    fact("a hundred callers, the first request of each", first),
    fact("a caller that asks every second", one),
    fact("a hundred callers that ask every second", many),
  ];
}

function fact(who: string, times: ReadonlyMap<string, readonly number[]>): Fact {
  const each = [...times].map(([name, all]) =>
    `${name} ${median(all).toFixed(2)} and ${percentile(all, 99).toFixed(2)} ms`
  );
  return {
    name: `time above a provider's ${DELAY_MILLISECONDS} ms, median and p99: ${who}`,
    figure: each.join("; "),
  };
}

/** The added milliseconds of each subject: each is asked by the same callers, one subject after the other. */
async function inTurns(subjects: readonly Subject[], callers: readonly Headers[], count: number) {
  const times = new Map<string, readonly number[]>();
  for (const subject of subjects) {
    const all = await Promise.all(callers.map(async (headers, at) => {
      const own: number[] = [];
      await sleep(at * PERIOD_MILLISECONDS / callers.length);
      for (let request = 0; request < count; request++) {
        const took = await ask(subject, headers);
        own.push(took - DELAY_MILLISECONDS);
        await sleep(Math.max(0, PERIOD_MILLISECONDS - took));
      }
      return own;
    }));
    times.set(subject.name, all.flat());
  }
  return times;
}

async function warmUp(subject: Subject, headers: Headers): Promise<void> {
  const one = async () => {
    for (let count = 0; count < WARM_UP / 16; count++) await ask(subject, headers);
  };
  await Promise.all(Array.from({ length: 16 }, one));
}

async function ask({ server, path, headers = {} }: Subject, caller: Headers): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(server.origin + path, {
    method: "POST",
    headers: { ...caller, ...headers, "content-type": "application/json" },
    body: JSON.stringify({ query: "sourdough bread", model: "none", messages: [] }),
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return performance.now() - startedAt;
}
