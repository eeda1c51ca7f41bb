/**
 * The proxy's figures: key, validation, durable reservation, forwarding, settlement and usage record,
 * against a proxy that does nothing but pass through, one that keeps the same books in plain form (`model.ts`), and
 * Portkey's gateway. All call the same provider on this machine, in turns within one run.
 */
// deno-lint-ignore-file no-console -- it tells how far it is

import { DatabaseSync } from "node:sqlite";
import { createAccount } from "../lib/accounts/account.ts";
import { dayOf } from "../lib/platform/utc_days.ts";
import { usageKey, type UsageRecord } from "../lib/proxy/ledger/values.ts";
import { compare, type Figure, type Patience } from "./compare.ts";
import { headersOf, startProvider, startProxy } from "./foyer.ts";
import { type Comparison, type Fact, formatRatio } from "./report.ts";
import { ALONE, type Server, startServer } from "./server.ts";
import { median } from "./statistics.ts";
import { DAY_MILLISECONDS } from "../lib/platform/time.ts";
import { type Subject, writeScript } from "./wrk.ts";
import { madeBy } from "../tests/support/made_by.ts";

const SEARCH = "/proxy/v1/websearch/search";
const CONTENTS = "/proxy/v1/websearch/contents";
const PORTKEY = "npm:@portkey-ai/gateway@1.15.2";
const ACCOUNTS = 100_000;
const USAGE_RECORDS = 1_000_000;
const RECORDS_PER_COMMIT = 500;

/**
 * Measures the proxies.
 *
 * @param folder for databases and scripts.
 */
export async function compareProxies(
  folder: string,
  patience: Patience,
): Promise<{ readonly comparisons: Comparison[]; readonly facts: Fact[] }> {
  await using provider = await startProvider();
  const script = await writeScript(folder, "search", { query: "sourdough bread", numResults: 3 });
  await using bareServer = await startPassThrough(provider);
  const few = await fillDatabase(`${folder}/few`, 10, 250);
  await using server = await startProxy(`${folder}/few`, provider);
  await using modelServer = await startServer(
    (port) => ["bench/model.ts", String(port), provider.origin, `${folder}/model`],
  );
  const foyer: Subject = { name: "Foyer", server, script, path: SEARCH, headers: few };
  const bare: Subject = { name: "bare proxy", server: bareServer, script, path: SEARCH };
  const model: Subject = { name: "the same books", server: modelServer, script, path: SEARCH };
  const comparisons: Comparison[] = [];
  const add = async (name: string, subjects: readonly Subject[], connections: number) => {
    const figures = await compare(subjects, connections, patience);
    comparisons.push({ name, connections, figures });
    console.error(`${name}: measured`);
    return figures;
  };
  const facts: Fact[] = [];
  {
    const portkey = await startPortkey(folder, provider);
    await using _ = portkey?.server;
    const subjects = portkey === null ? [foyer, bare, model] : [foyer, bare, model, portkey];
    for (const connections of [1, 16, 64]) {
      const figures = await add(
        `web search of 1 KB, ${connections} connection${connections > 1 ? "s" : ""}`,
        subjects,
        connections,
      );
      facts.push(costOf(connections, figures));
    }
  }
  const contents = await writeScript(folder, "contents", { urls: ["https://example.org/"] });
  await add(
    "page contents of 1 MB, 8 connections",
    [foyer, bare].map((subject) => ({ ...subject, script: contents, path: CONTENTS })),
    8,
  );
  const [own, other] = await firstEvents(foyer, bare);
  facts.push({
    name: "first event of a stream, median",
    figure: `${own.toFixed(2)} ms (a bare proxy: ${other.toFixed(2)} ms)`,
  });
  const many = await fillDatabase(`${folder}/many`, ACCOUNTS, USAGE_RECORDS);
  await using grown = await startProxy(`${folder}/many`, provider);
  const [, small] = await compare(
    [{ ...foyer, server: grown, headers: many }, foyer],
    16,
    patience,
  );
  facts.push({
    name: "rate with 100,000 accounts and 1,000,000 usage records ÷ with ten of each",
    figure: formatRatio(small.rateOfFirst),
  });
  facts.push(...await ratesObserved(folder, provider, [foyer, bare], patience));
  return { comparisons, facts };
}

/** The median and the computing time of a search, beside those of the others. */
function costOf(connections: number, figures: readonly Figure[]): Fact {
  const [first] = figures;
  const each = figures.map((figure) => {
    const { name, medianMilliseconds, microseconds, computingOfFirst } = figure;
    const ratio = figure === first ? "" : `, ${first?.name} ${formatRatio(computingOfFirst)} of it`;
    return `${name} ${medianMilliseconds.toFixed(2)} ms, ${Math.round(microseconds)} µs${ratio}`;
  });
  return {
    name: `web search with ${connections} connection${
      connections > 1 ? "s" : ""
    }: median, and computing time of the whole process`,
    figure: each.join("; "),
  };
}

/** The cost of OpenTelemetry with a collector that accepts everything: for Foyer, and for a bare proxy. */
async function ratesObserved(
  folder: string,
  provider: Server,
  [foyer, bare]: readonly [Subject, Subject],
  patience: Patience,
): Promise<Fact[]> {
  const all = { OTEL_DENO: "true", OTEL_EXPORTER_OTLP_ENDPOINT: provider.origin };
  const some = {
    ...all,
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.1",
    OTEL_DENO_CONSOLE: "ignore",
  };
  const path = `${folder}/observed`;
  const headers = await fillDatabase(path, 10, 250);
  const pairs: [string, Subject, () => Promise<Server>][] = [
    ["rate with OpenTelemetry", foyer, () => startProxy(path, provider, all)],
    [
      "rate with metrics, one trace in ten and no exported log",
      foyer,
      () => startProxy(path, provider, some),
    ],
    ["a bare proxy's rate with OpenTelemetry", bare, () => startPassThrough(provider, all)],
  ];
  const facts: Fact[] = [];
  for (const [name, without, start] of pairs) {
    await using server = await start();
    const subject = { ...without, server, ...without === foyer && { headers } };
    const [, { rateOfFirst }] = await compare([subject, without], 16, patience);
    facts.push({ name: `${name} ÷ without`, figure: formatRatio(rateOfFirst) });
  }
  return facts;
}

/** Starts the proxy that keeps no books. */
function startPassThrough(provider: Server, env: Readonly<Record<string, string>> = {}) {
  return startServer((port) => ["bench/pass_through.ts", String(port), provider.origin], {
    env: () => ({ ...env }),
  });
}

/** The middle times of two servers, in turns. Before they are counted the engine compiles what is hot. */
async function firstEvents(one: Subject, other: Subject): Promise<readonly [number, number]> {
  for (let count = 0; count < 4; count++) for (const each of [one, other]) await firstEvent(each);
  return [await firstEvent(one), await firstEvent(other)];
}

async function firstEvent({ server, headers = {} }: Subject): Promise<number> {
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
  return median(times);
}

/** Starts Portkey's gateway, which neither authenticates nor accounts; null if it does not start here. */
async function startPortkey(folder: string, provider: Server): Promise<Subject | null> {
  const script = await writeScript(folder, "portkey", {
    model: "none",
    messages: [{ role: "user", content: "sourdough bread" }],
  });
  try {
    const server = await startServer((port) => [
      ...ALONE,
      PORTKEY,
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

/**
 * Makes a database with accounts and usage records, and gives the headers of a caller. It is filled in
 * memory (Linux has /dev/shm) and then copied: a hundred thousand durable commits take minutes.
 */
export async function fillDatabase(path: string, accounts: number, records: number) {
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
      () => createAccount(kv, asked, madeBy(now)),
    );
    ids.push(...(await Promise.all(some)).map(({ id }) => id));
  }
  let operation = kv.atomic();
  for (let made = 0; made < records; made++) {
    const accountId = ids[made % ids.length] ?? "";
    const record = benchRecord({ accountId, at: now - (made % 90) * DAY_MILLISECONDS });
    operation.set(usageKey(record), record);
    if (made % RECORDS_PER_COMMIT === RECORDS_PER_COMMIT - 1) {
      await operation.commit();
      operation = kv.atomic();
    }
  }
  await operation.commit();
  return await headersOf(kv, ids[0] ?? "");
}

/** The usage record of a search. */
export function benchRecord(
  fields: Pick<UsageRecord, "accountId" | "at"> & Partial<UsageRecord>,
): UsageRecord {
  return {
    requestId: crypto.randomUUID(),
    keyId: "bench",
    day: dayOf(fields.at),
    endpoint: "search",
    model: null,
    cost: 7_000_000n,
    costFrom: "provider",
    inputTokens: null,
    outputTokens: null,
    status: 200,
    durationMs: 5,
    ...fields,
  };
}
