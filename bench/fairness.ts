/** The cost of an account above its limits for the others, and how soon it is refused. */
// deno-lint-ignore-file no-console -- it tells how far it is

import { setTimeout as sleep } from "node:timers/promises";
import { createCaller, startProvider, startProxy } from "./foyer.ts";
import type { Fact } from "./report.ts";
import type { Server } from "./server.ts";
import { median, percentile } from "./statistics.ts";
import { load, writeScript } from "./wrk.ts";

const ROUNDS = 3;
const WARM_UP_SECONDS = 1;
/** Longer than a round's searches take. */
const LOAD_SECONDS = 3;
const SEARCH = "/proxy/v1/websearch/search";
const BODY = { query: "sourdough bread" };
/** The quiet account's searches of a round, one after the other: its own limit is not reached. */
const SEARCHES = 200;
const EVERY_MILLISECONDS = 10;
/** Its limit is the default one. */
const LIMIT = { RATE_LIMIT_REQUESTS: "750" };
/** How the greedy account asks: over so many connections, each with a pause that is so long on average. */
const GREEDY = [
  { name: "as fast as 16 connections can", connections: 16, pauseMilliseconds: 0 },
  {
    name: "1,000 times a second over 2,500 connections",
    connections: 2_500,
    // Beside the one to two seconds that a refusal takes.
    pauseMilliseconds: 1_000,
  },
] as const;
/** Until the greedy account's connections are open. */
const LEAD_SECONDS = 1;
/** Until the last of its refusals has been answered. */
const REST_SECONDS = 2;

/** Loads one process with two accounts, and one with accounts that have spent their limits. */
export async function measureFairness(folder: string): Promise<Fact[]> {
  await using provider = await startProvider();
  const script = await writeScript(folder, "fairness", BODY);
  return [
    ...await measureBeside(`${folder}/beside`, provider, script),
    ...await measureRefusals(`${folder}/refusals`, provider, script),
  ];
}

/** A quiet account's p99 beside a greedy one, of its p99 alone. */
async function measureBeside(path: string, provider: Server, script: string): Promise<Fact[]> {
  const headers = await createCaller(path);
  const scenes = await Promise.all(GREEDY.map(async (greedy) => ({
    ...greedy,
    script: await withPause(script, greedy.pauseMilliseconds),
    refused: [] as number[],
    times: [] as number[],
  })));
  const searches = 1 + ROUNDS * (1 + GREEDY.length);
  const callers = Array.from({ length: searches }, () => createCaller(path));
  const quiet = await Promise.all(callers);
  await using server = await startProxy(path, provider, LIMIT);
  const subject = { name: "greedy", server, path: SEARCH, script, headers, mayRefuse: true };
  const search = () => timesOf(server, quiet.pop() ?? {}, 200);
  // Uses the greedy one's limit up, and warms the process up.
  await load(subject, WARM_UP_SECONDS, 16);
  await search();
  const alone: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await sleep(REST_SECONDS * 1000);
    alone.push(...await search());
    for (const { script, connections, refused, times } of scenes) {
      const noise = load({ ...subject, script }, LEAD_SECONDS + LOAD_SECONDS, connections);
      await sleep(LEAD_SECONDS * 1000);
      times.push(...await search());
      refused.push((await noise).refusedPerSecond);
    }
  }
  console.error("a greedy account: measured");
  const still = percentile(alone, 99);
  return [
    {
      name: `a search every ${EVERY_MILLISECONDS} ms`,
      figure: `median ${median(alone).toFixed(1)} ms, p99 ${still.toFixed(1)} ms`,
    },
    ...scenes.map(({ name, times, refused }) => ({
      name: `the same beside an account above its rate limit that asks ${name}`,
      figure:
        `median ${median(times).toFixed(1)} ms, p99 ${percentile(times, 99).toFixed(1)} ms, ` +
        `${(percentile(times, 99) / still).toFixed(2)} × the p99 alone; ` +
        `${Math.round(median(refused)).toLocaleString("en")}/s get 429`,
    })),
  ];
}

/** The delay of the refusals that an account gets after it has spent its limit. */
async function measureRefusals(path: string, provider: Server, script: string): Promise<Fact[]> {
  const [rich, poor] = [await createCaller(path), await createCaller(path, 1n)];
  await using server = await startProxy(path, provider);
  const subject = { name: "search", server, path: SEARCH, script, mayRefuse: true };
  for (const headers of [rich, poor]) await load({ ...subject, headers }, WARM_UP_SECONDS, 16);
  const answered = await timesOf(server, rich, 200);
  const refused = await timesOf(server, poor, 402);
  const many = await load({ ...subject, headers: poor }, LOAD_SECONDS, 16);
  console.error("refusals: measured");
  const [one, other] = [refused, answered].map((times) =>
    `median ${median(times).toFixed(2)} ms, p99 ${percentile(times, 99).toFixed(2)} ms`
  );
  return [
    { name: "a 402", figure: `${one} (a search: ${other})` },
    {
      name: "402s over 16 connections",
      figure: `${Math.round(many.refusedPerSecond).toLocaleString("en")}/s, ` +
        `median ${many.medianMilliseconds.toFixed(2)} ms, p99 ${
          many.p99Milliseconds.toFixed(2)
        } ms`,
    },
  ];
}

/** The milliseconds that each of an account's searches takes. */
async function timesOf(
  { origin }: Server,
  authorization: Record<string, string>,
  expected: number,
): Promise<number[]> {
  const init = {
    method: "POST",
    headers: { ...authorization, "content-type": "application/json" },
    body: JSON.stringify(BODY),
  };
  const times: number[] = [];
  for (let count = 0; count < SEARCHES; count++) {
    const startedAt = performance.now();
    const response = await fetch(origin + SEARCH, init);
    await response.arrayBuffer();
    const took = performance.now() - startedAt;
    if (response.status !== expected) throw new Error(`${response.status}, and not ${expected}`);
    times.push(took);
    await sleep(Math.max(0, EVERY_MILLISECONDS - took));
  }
  return times;
}

/** A wrk script whose connections wait after each answer: up to twice as long, so that they do not march in step. */
async function withPause(script: string, milliseconds: number): Promise<string> {
  if (milliseconds === 0) return script;
  const file = script.replace(/\.lua$/, `-${milliseconds}.lua`);
  const delay = `function delay()\n  return math.random(0, ${2 * milliseconds})\nend\n`;
  await Deno.writeTextFile(file, await Deno.readTextFile(script) + delay);
  return file;
}
