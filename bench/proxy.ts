/**
 * The proxy's figures: key, validation, durable reservation, forwarding, settlement and usage record,
 * against a proxy that does nothing but pass through, and against Portkey's gateway. All call the same
 * provider on this machine, in turns within one run.
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { DatabaseSync } from "node:sqlite";
import { createAccount } from "../lib/accounts/account.ts";
import { usageKey } from "../lib/accounts/books.ts";
import { createKey } from "../lib/accounts/key.ts";
import { load, LOAD_CORE, median, type Server, startServer } from "./process.ts";

const SEARCH = "/proxy/v1/websearch/search";
const PORTKEY = "npm:@portkey-ai/gateway@1.15.2";
const ACCOUNTS = 100_000;
const USAGE_RECORDS = 1_000_000;
const RECORDS_PER_PAGE = 25;

/** How it is measured. */
export interface ProxyBench {
  /** For databases and scripts. */
  readonly folder: string;
  readonly rounds: number;
  readonly seconds: number;
}

/** A server under test, and what its requests need. */
interface Subject {
  readonly name: string;
  readonly server: Server;
  readonly script: string;
  readonly path: string;
  readonly headers: Record<string, string>;
}

/** Measures and prints the tables. */
export async function measureProxy({ folder, rounds, seconds }: ProxyBench): Promise<void> {
  await using provider = await startServer(
    (port) => ["bench/provider.ts", String(port)],
    { core: LOAD_CORE },
  );
  const script = await writeScript(folder, "search", { query: "sourdough bread", numResults: 3 });
  await using bareServer = await startServer((port) => [
    "bench/pass_through.ts",
    String(port),
    provider.origin,
  ]);
  const few = await fillDatabase(`${folder}/few`, 10, 250);
  await using foyerServer = await startFoyer(`${folder}/few`, provider);
  const bare = { name: "bare", server: bareServer, script, path: SEARCH, headers: {} };
  const foyer = { name: "Foyer", server: foyerServer, script, path: SEARCH, headers: few };

  console.log(
    "\n| proxy, 1 KB JSON | Foyer | bare | ratio (spread) | Portkey |\n| --- | --- | --- | --- | --- |",
  );
  const portkey = await startPortkey(folder, provider);
  for (const connections of [1, 16, 64]) {
    const subjects = portkey === null ? [foyer, bare] : [foyer, bare, portkey];
    const figures = await compare(subjects, connections, rounds, seconds);
    const [own = [], other = [], third = []] = figures.map((each) =>
      each.map(({ requestsPerSecond }) => requestsPerSecond)
    );
    const ratios = own.map((figure, round) => figure / (other[round] ?? NaN));
    console.log(
      `| ${connections} connections, requests/s, best | ${best(own)} | ${best(other)} | ` +
        `${(Math.max(...own) / Math.max(...other)).toFixed(2)} (${spread(ratios)}) | ` +
        `${third.length === 0 ? "-" : best(third)} |`,
    );
    if (connections === 1) {
      const [ownMedian = NaN, otherMedian = NaN] = figures.map((each) =>
        Math.min(...each.map(({ medianMilliseconds }) => medianMilliseconds))
      );
      const added = (ownMedian - otherMedian).toFixed(2);
      console.log(
        `| 1 connection, median | ${ownMedian} ms | ${otherMedian} ms | +${added} ms | |`,
      );
    }
  }
  await portkey?.server[Symbol.asyncDispose]();

  const contents = await writeScript(folder, "contents", { urls: ["https://example.org/"] });
  const path = "/proxy/v1/websearch/contents";
  const large = await compare(
    [foyer, bare].map((subject) => ({ ...subject, script: contents, path })),
    8,
    rounds,
    seconds,
  );
  const [ownLarge = NaN, bareLarge = NaN] = large.map((each) =>
    Math.max(...each.map(({ requestsPerSecond }) => requestsPerSecond))
  );
  console.log(
    `| 1 MB answers, 8 connections, requests/s, best | ${ownLarge.toFixed(0)} | ` +
      `${bareLarge.toFixed(0)} | ${(ownLarge / bareLarge).toFixed(2)} | |`,
  );
  const [ownFirst, bareFirst] = [await firstEvent(foyer), await firstEvent(bare)];
  console.log(
    `| first event of a stream, median | ${ownFirst.toFixed(2)} ms | ${
      bareFirst.toFixed(2)
    } ms | ` +
      `+${(ownFirst - bareFirst).toFixed(2)} ms | |`,
  );
  const many = await fillDatabase(`${folder}/many`, ACCOUNTS, USAGE_RECORDS);
  await using grownServer = await startFoyer(`${folder}/many`, provider);
  const grown = { ...foyer, server: grownServer, headers: many };
  const [ownGrown = [], ownFew = []] = (await compare([grown, foyer], 16, rounds, seconds))
    .map((each) => each.map(({ requestsPerSecond }) => requestsPerSecond));
  console.log(
    `| 100,000 accounts and 1,000,000 usage records, of ten of each | ${best(ownGrown)} | ` +
      `${best(ownFew)} | ${(Math.max(...ownGrown) / Math.max(...ownFew)).toFixed(2)} | |`,
  );
}

async function compare(
  subjects: readonly Subject[],
  connections: number,
  rounds: number,
  seconds: number,
) {
  const figures = subjects.map((): Awaited<ReturnType<typeof load>>[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { name, server, script, path, headers }] of subjects.entries()) {
      const figure = await load(server, path, seconds, { connections, headers, script });
      if (figure.badAnswers > 0) throw new Error(`${name}: ${figure.badAnswers} bad answers`);
      // The first round warms all up.
      if (round > 0) figures[index]?.push(figure);
    }
  }
  return figures;
}

async function firstEvent({ server, headers }: Subject): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 300; count++) {
    const startedAt = performance.now();
    const response = await fetch(`${server.origin}/proxy/v1/websearch/answer`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ query: "sourdough bread", stream: true }),
    });
    const reader = response.body?.getReader();
    await reader?.read();
    times.push(performance.now() - startedAt);
    while (!(await reader?.read())?.done);
  }
  return median(times.slice(50));
}

function startFoyer(kv: string, provider: Server): Promise<Server> {
  return startServer(() => ["serve.ts"], {
    path: "/proxy/v1/usage",
    env: (port) => ({
      PORT: String(port),
      HOST: "127.0.0.1",
      KV_PATH: kv,
      WEBSEARCH_API_URL: provider.origin,
      WEBSEARCH_API_KEY: "bench",
      RATE_LIMIT_REQUESTS: "1000000000",
      DAILY_LIMIT_USD: "1000000000",
    }),
  });
}

/** Portkey's gateway, which neither authenticates nor accounts; null if it does not start here. */
async function startPortkey(folder: string, provider: Server): Promise<Subject | null> {
  const script = await writeScript(folder, "portkey", {
    model: "none",
    messages: [{ role: "user", content: "sourdough bread" }],
  });
  try {
    const server = await startServer((port) => [
      // It is no dependency of ours: neither our lock file nor our folder knows it.
      ...["--no-config", "--no-lock", "--node-modules-dir=none", PORTKEY],
      ...[`--port=${port}`, "--headless"],
    ], { isQuiet: true });
    const headers = {
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `${provider.origin}/v1`,
      "authorization": "Bearer none",
    };
    return { name: "Portkey", server, script, path: "/v1/chat/completions", headers };
  } catch (error) {
    console.log(`Portkey's gateway did not start: ${error}`);
    return null;
  }
}

async function writeScript(folder: string, name: string, body: unknown): Promise<string> {
  const file = `${folder}/${name}.lua`;
  const text = JSON.stringify(JSON.stringify(body));
  await Deno.writeTextFile(
    file,
    `wrk.method = "POST"\nwrk.body = ${text}\nwrk.headers["Content-Type"] = "application/json"\n`,
  );
  return file;
}

/**
 * Makes a database with accounts and usage records, and gives the headers of a caller. It is filled in
 * memory (Linux has /dev/shm) and then copied: a hundred thousand durable commits take minutes.
 */
async function fillDatabase(path: string, accounts: number, records: number) {
  const memory = await Deno.makeTempDir({ dir: "/dev/shm" });
  try {
    const headers = await fill(`${memory}/kv`, accounts, records);
    using database = new DatabaseSync(`${memory}/kv`);
    database.prepare("VACUUM INTO ?").run(path);
    return headers;
  } finally {
    await Deno.remove(memory, { recursive: true });
  }
}

async function fill(path: string, accounts: number, records: number) {
  using kv = await Deno.openKv(path);
  const now = Date.now();
  const ids: string[] = [];
  for (let made = 0; made < accounts; made += 500) {
    const asked = { name: `member ${made}`, limitNanoUsd: null, verified: true };
    const some = Array.from(
      { length: Math.min(500, accounts - made) },
      () => createAccount(kv, asked, now),
    );
    ids.push(...(await Promise.all(some)).map(({ id }) => id));
  }
  const cost = 7_000_000n;
  let operation = kv.atomic();
  for (let page = 0; page * RECORDS_PER_PAGE < records; page++) {
    const accountId = ids[page % ids.length] ?? "";
    const day = new Date(now - (page % 90) * 86_400_000).toISOString().slice(0, 10);
    const usage = Array.from({ length: RECORDS_PER_PAGE }, (_, at) => ({
      requestId: `${page}-${at}`,
      accountId,
      keyId: "bench",
      day,
      endpoint: "search",
      model: null,
      cost,
      costFrom: "provider",
      inputTokens: null,
      outputTokens: null,
      status: 200,
      durationMs: 5,
      at: now,
    }));
    operation.set(usageKey(accountId, day, `bench-${page}`), usage);
    if (page % 100 === 99) {
      await operation.commit();
      operation = kv.atomic();
    }
  }
  await operation.commit();
  const { text } = await createKey(
    kv,
    { accountId: ids[0] ?? "", label: null, expiresAt: null },
    now,
  );
  return { authorization: `Bearer ${text}` };
}

function best(figures: readonly number[]): string {
  return Math.round(Math.max(...figures)).toLocaleString("en");
}

function spread(figures: readonly number[]): string {
  return `${Math.min(...figures).toFixed(2)} to ${Math.max(...figures).toFixed(2)}`;
}
