/**
 * One process under more and more load: a mix of what callers ask for, and whether it stays upright when
 * there is too much of it.
 */
// deno-lint-ignore-file no-console -- it tells how far it is

import {
  createCaller,
  startFoyer,
  startProvider,
  startProxy,
  startStore,
  storeEnvironment,
} from "./foyer.ts";
import { freePort } from "./free_port.ts";
import type { Fact } from "./report.ts";
import { residentMebibytes, type Server } from "./server.ts";
import { median } from "./statistics.ts";
import { computingMicroseconds, type Load, load, writeScript } from "./wrk.ts";

const CONNECTIONS = [16, 64, 256, 1_000];
/** The delay of a slow provider, so that requests pile up. */
const SLOW_MILLISECONDS = 1_000;
const TOO_MANY = 3_000;
const SECONDS = 10;
const EVENTS = 600;
const LIST = "/api/v1/events?limit=20";
/** The addresses whose answers contain the texts of events, and are made at the first request. */
const LISTINGS = ["/calendar.ics", "/feed.atom", "/feed.json", "/api/v1/events/rss", "/"];
const DAYS = 100;
const LARGE_EVENTS = 50;
/** The length of each long text of a large event, a little below the longest that a cell may have. */
const CHARACTERS = 120_000;
/** The pause between two requests for `/up`. */
const PAUSE_MILLISECONDS = 250;
/** The time of a few reads of the store. */
const READS_MILLISECONDS = 4_000;

/** Loads one process. Databases and scripts go to a folder. */
export async function measureLoad(folder: string): Promise<Fact[]> {
  await using store = await startStore(EVENTS);
  await using provider = await startProvider();
  const path = `${folder}/load`;
  const headers = await createCaller(path);
  await using foyer = await startProxy(path, provider, storeEnvironment(store.origin));
  const script = await writeMix(folder, foyer, headers);
  const subject = { name: "mix", server: foyer, path: "/", script, mayRefuse: true };
  await load(subject, SECONDS, 64);
  const rates: number[] = [];
  const facts: Fact[] = [];
  for (const connections of CONNECTIONS) {
    const { result, slowest } = await whileAsking(foyer, () => load(subject, SECONDS, connections));
    rates.push(result.perSecond);
    facts.push({
      name: `a mix of requests, ${connections.toLocaleString("en")} connections`,
      figure: `${describe(result, foyer)}, \`/up\` after ${slowest} ms at most`,
    });
    console.error(`load of ${connections} connections: measured`);
  }
  const past = (rates.at(-1) ?? 0) / Math.max(...rates);
  facts.push({ name: "rate past saturation ÷ best rate", figure: past.toFixed(2) });
  return [
    ...facts,
    await measureUnasked(folder, EVENTS),
    await measureUnasked(folder, LARGE_EVENTS, CHARACTERS),
    await measureOverload(folder),
  ];
}

/** The time of first requests, one after the other, and how long they and reads of the store hold the event loop. */
async function measureUnasked(
  folder: string,
  events: number,
  characters?: number,
): Promise<Fact> {
  await using store = await startStore(events, characters);
  const holdPort = String(freePort());
  const env = { EVENTS_REFRESH_SECONDS: "1", LOOP_HOLD_PORT: holdPort };
  await using foyer = await startFoyer(`${folder}/unasked${events}`, store, env);
  const ask = async (path: string): Promise<number> => {
    const startedAt = performance.now();
    await (await fetch(foyer.origin + path)).arrayBuffer();
    return performance.now() - startedAt;
  };
  const askHold = async (): Promise<number> =>
    await (await fetch(`http://127.0.0.1:${holdPort}`)).json();
  for (const path of LISTINGS) await ask(path);
  await askHold();
  const kinds: { milliseconds: number; computing: number }[] = [];
  for (const path of LISTINGS) {
    const before = computingMicroseconds(foyer.pid);
    const times: number[] = [];
    for (let day = 1; day <= DAYS; day++) {
      const from = new Date(Date.UTC(2025, 0, day)).toISOString().slice(0, 10);
      times.push(await ask(`${path}?status=upcoming,ongoing,ended&from=${from}`));
    }
    const computing = (computingMicroseconds(foyer.pid) - before) / DAYS / 1_000;
    kinds.push({ milliseconds: median(times), computing });
  }
  await new Promise((resolve) => setTimeout(resolve, READS_MILLISECONDS));
  const slowest = Math.max(...kinds.map(({ milliseconds }) => milliseconds));
  const most = Math.max(...kinds.map(({ computing }) => computing));
  const hold = await askHold();
  const name = `${events} ${characters === undefined ? "events" : "of the largest events"}`;
  console.error(`${name}: measured`);
  return {
    name: `a calendar, feed or page not asked for before, the slowest kind's median, ${name}`,
    figure: `${slowest.toFixed(1)} ms, ${most.toFixed(1)} ms of computing; ` +
      `the event loop is held for ${hold.toFixed(0)} ms at most`,
  };
}

/** Many more requests at once than one account may have, with a provider that takes its time. */
async function measureOverload(folder: string): Promise<Fact> {
  await using provider = await startProvider(SLOW_MILLISECONDS);
  const path = `${folder}/overload`;
  const headers = await createCaller(path);
  await using foyer = await startProxy(path, provider);
  const script = await writeScript(folder, "overload", { query: "sourdough bread" });
  const subject = {
    ...{ name: "overload", server: foyer, path: "/proxy/v1/websearch/search", script, headers },
    mayRefuse: true,
  };
  const before = residentMebibytes(foyer.pid);
  const { result, slowest } = await whileAsking(foyer, () => load(subject, SECONDS, TOO_MANY));
  const grown = Math.round(residentMebibytes(foyer.pid) - before);
  console.error("overload: measured");
  return {
    name: `${TOO_MANY.toLocaleString("en")} proxied requests of one account at once, provider's ` +
      `answer after ${SLOW_MILLISECONDS / 1000} s`,
    figure: `${Math.round(result.perSecond)}/s answered, ` +
      `${Math.round(result.refusedPerSecond)}/s refused ` +
      `with 503, ${grown} MiB more memory, \`/up\` after ${slowest} ms at most`,
  };
}

/** Does something, and requests `/up` again and again meanwhile; also gives its slowest answer in milliseconds. */
async function whileAsking<T>({ origin }: Server, work: () => Promise<T>) {
  let isOver = false;
  let slowest = 0;
  const asking = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await (await fetch(`${origin}/up`)).body?.cancel();
      slowest = Math.max(slowest, Math.round(performance.now() - startedAt));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
    }
  })();
  try {
    const result = await work();
    return { result, slowest };
  } finally {
    isOver = true;
    await asking;
  }
}

function describe(result: Load, { pid }: Server): string {
  const { medianMilliseconds, p99Milliseconds, refusedPerSecond: refused } = result;
  return [
    `${Math.round(result.perSecond).toLocaleString("en")}/s`,
    ...(refused > 0 ? [`${Math.round(refused)}/s refused with 503`] : []),
    `median ${medianMilliseconds.toFixed(1)} ms`,
    `p99 ${p99Milliseconds.toFixed(1)} ms`,
    `${Math.round(residentMebibytes(pid))} MiB`,
  ].join(", ");
}

/** A list, an event, a page, a 304, a search and a stream, one after the other. */
async function writeMix(
  folder: string,
  { origin }: Server,
  authorization: Record<string, string>,
): Promise<string> {
  const etag = (await fetch(origin + LIST)).headers.get("etag") ?? "";
  const json = { ...authorization, "content-type": "application/json" };
  const requests: [string, string, Record<string, string>, unknown?][] = [
    ["GET", LIST, {}],
    ["GET", "/api/v1/events/rec00000000000005", {}],
    ["GET", "/", { "accept": "text/html", "accept-encoding": "br" }],
    ["GET", LIST, { "if-none-match": etag }],
    ["POST", "/proxy/v1/websearch/search", json, { query: "sourdough bread" }],
    ["POST", "/proxy/v1/websearch/answer", json, { query: "sourdough bread", stream: true }],
  ];
  // Lua reads a string of JSON as its own, as long as nothing in it is escaped but quotes.
  const lines = requests.map(([method, path, headers, body]) => {
    const fields = Object.entries(headers)
      .map(([name, value]) => `[${JSON.stringify(name)}]=${JSON.stringify(value)}`);
    const text = body === undefined ? "nil" : JSON.stringify(JSON.stringify(body));
    return `  wrk.format("${method}", ${JSON.stringify(path)}, {${fields.join(",")}}, ${text}),`;
  });
  const file = `${folder}/mix.lua`;
  await Deno.writeTextFile(
    file,
    `local requests\nlocal at = 0\n` +
      `function init()\n  requests = {\n${lines.join("\n")}\n  }\nend\n` +
      `function request()\n  at = at % #requests + 1\n  return requests[at]\nend\n`,
  );
  return file;
}
