/** A Foyer with many events: its memory, its start, and what reading the store costs its callers. */
// deno-lint-ignore-file no-console -- it tells how far it is

import { record, startBare } from "./answers.ts";
import { type Patience, spread } from "./compare.ts";
import { startFoyer, startStore } from "./foyer.ts";
import { type Fact, formatRatio } from "./report.ts";
import { residentMebibytes, type Server } from "./server.ts";
import { median } from "./statistics.ts";
import { load, writeScript } from "./wrk.ts";

const CONNECTIONS = 16;
const EVENTS = 10_000;
const LIST = "/api/v1/events";
/** A read of all events takes 23 seconds. */
const READ_SECONDS = 25;
/** Fewer than other measurements have: a round takes a minute and a half. */
const READ_ROUNDS = 3;

/** Measures one process over many events, beside one over none. Databases go to a folder. */
export async function measureSize(folder: string, patience: Patience): Promise<Fact[]> {
  const facts: Fact[] = [];
  const add = (name: string, figure: string) => {
    facts.push({ name: `${name}, ${EVENTS.toLocaleString("en")} events`, figure });
    console.error(`${name}: measured`);
  };
  const path = `${LIST}?limit=100`;
  await using store = await startStore(EVENTS);
  await using empty = await startStore(0);
  {
    await using foyer = await startFoyer(`${folder}/size`, store);
    add("a query not seen before, median", `${(await unseenMilliseconds(foyer)).toFixed(1)} ms`);
    const ratio = await messageRatio(foyer, folder, patience);
    add("computing time of `list_events` ÷ that of the API's list", formatRatio(ratio));
  }
  {
    await using none = await startFoyer(`${folder}/none`, empty);
    await using full = await startFoyer(`${folder}/size`, store);
    for (const server of [none, full]) {
      await load({ name: "warm up", server, path }, patience.seconds, CONNECTIONS);
    }
    const grown = residentMebibytes(full.pid) - residentMebibytes(none.pid);
    add("memory above an empty store", `${Math.round(grown)} MiB`);
  }
  const ratios: number[] = [];
  for (let round = 0; round < READ_ROUNDS; round++) {
    const still = await p99Milliseconds(`${folder}/still${round}`, "300");
    await copyDatabase(`${folder}/still${round}`, `${folder}/read${round}`);
    ratios.push(await p99Milliseconds(`${folder}/read${round}`, "1") / still);
  }
  add("p99 while the store is read every second ÷ p99 without", formatRatio(spread(ratios)));
  const starts: number[] = [];
  const bareStarts: number[] = [];
  const file = await record(new Response("x"), folder);
  for (let round = 0; round < 2 * patience.rounds; round++) {
    await using foyer = await startFoyer(`${folder}/size`, store);
    starts.push(foyer.startMilliseconds);
    await using bare = await startBare(file);
    bareStarts.push(bare.startMilliseconds);
  }
  const [own, bare] = [starts, bareStarts].map((times) => Math.round(Math.min(...times)));
  add("process start to first answer, at best", `${own} ms (a bare server: ${bare} ms)`);
  return facts;

  /** The p99 of a list in a process of its own: another one beside it would take its computing time. */
  async function p99Milliseconds(database: string, refreshSeconds: string): Promise<number> {
    const env = { EVENTS_REFRESH_SECONDS: refreshSeconds };
    await using server = await startFoyer(database, store, env);
    const subject = { name: "list", server, path };
    await load(subject, patience.seconds, CONNECTIONS);
    return (await load(subject, READ_SECONDS, CONNECTIONS)).p99Milliseconds;
  }
}

/** The computing time of a message of the Model Context Protocol by that of the request that it stands for. */
async function messageRatio(server: Server, folder: string, { rounds, seconds }: Patience) {
  const params = { name: "list_events", arguments: { limit: 100 } };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const script = await writeScript(folder, "message", message);
  const headers = { "accept": "application/json, text/event-stream" };
  const call = { name: "list_events", server, path: "/mcp", headers, script };
  const list = { name: "list", server, path: `${LIST}?limit=100` };
  const ratios: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const { microseconds } = await load(list, seconds, CONNECTIONS);
    const ratio = (await load(call, seconds, CONNECTIONS)).microseconds / microseconds;
    if (round >= 0) ratios.push(ratio);
  }
  return spread(ratios);
}

/** Copies the database of a process that has ended. */
async function copyDatabase(from: string, to: string): Promise<void> {
  for (const file of ["", "-wal", "-shm"]) await Deno.copyFile(from + file, to + file);
}

/** The median time of new queries, one after the other. */
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
