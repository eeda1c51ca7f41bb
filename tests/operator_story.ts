/**
 * The promises of static/docs/install.md and operate.md to an operator of Deno Deploy, as one story: from an empty database to a
 * member's answered search, then the loss of the database, and the same service on another one.
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { parseConfig } from "../lib/platform/config/config.ts";
import { openKv } from "../lib/platform/kv/open.ts";
import { toUsd } from "../lib/platform/money.ts";
import { createWebsearchStandIn } from "../lib/sandbox/websearch.ts";
import { callTool, done, json } from "./commands/desk.ts";
import { startIsolate } from "./support/deno_deploy.ts";
import { type KvConnect, startKvConnect } from "./support/kv_connect.ts";
import { readBooks } from "./support/ledger_books.ts";
import { until } from "./support/until.ts";

const API_KEY = "provider.test";
/** Requests in progress during the copy, and as many after it. */
const REQUESTS = 30;
const LIMIT = "5";

/**
 * Leads an operator through it.
 *
 * @param folder has the tree and its build.
 */
export async function leadOperator(folder: string): Promise<void> {
  const provider = createWebsearchStandIn({ apiKey: API_KEY, now: Date.now });
  const upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, provider.fetch);
  const env = {
    WEBSEARCH_API_URL: `http://127.0.0.1:${upstream.addr.port}`,
    WEBSEARCH_API_KEY: API_KEY,
  };
  const copy = join(folder, "backup.gz");
  try {
    const { key, expiresAt } = await liveUntilTheLoss();
    await goOnElsewhere(key, expiresAt);
  } finally {
    await upstream.shutdown();
  }

  /** Returns the member's key; the copy is all that is left of the database. */
  async function liveUntilTheLoss() {
    await using database = startKvConnect();
    await using isolate = await deploy(database);
    using desk = await sitDown(database, env, isolate.origin);
    assert.deepEqual(await json(desk.call("accounts", "list", "--json")), []);
    const { failed, states } = await desk.examine();
    assert.deepEqual(failed, []);
    assert.equal(states.get("database"), "warning", "it holds no account yet");
    assert.equal(states.get("same database"), "ok");

    await done(desk.call("accounts", "create", "Ada's project", "--limit", LIMIT));
    const made = ["create", "Ada's project", "--name", "laptop", "--expires", "90d", "--json"];
    const { key, expiresAt } = await json(desk.call("keys", ...made));
    assert.match(await search(isolate.origin, key), /costDollars/);

    const answers = Array.from({ length: REQUESTS }, () => search(isolate.origin, key));
    await until(async () => await countRecords(desk.kv) > REQUESTS / 3);
    const copied = done(desk.call("backup", copy));
    await Promise.all(answers);
    await copied;
    // These will be lost.
    await Promise.all(Array.from({ length: REQUESTS }, () => search(isolate.origin, key)));
    assert.equal(await isolate.evict(), 0);
    const { records, open } = await readBooks(desk.kv);
    assert.deepEqual([records.size, open.size], [1 + 2 * REQUESTS, 0]);
    return { key, expiresAt };
  }

  async function goOnElsewhere(key: string, expiresAt: string): Promise<void> {
    // A self-hosted server: ten checks in a commit.
    await using database = startKvConnect(10);
    {
      using desk = await sitDown(database, env, "http://127.0.0.1:1");
      const { code, err } = await desk.call("restore", copy);
      assert.equal(code, 0, err);
      assert.deepEqual((await json(desk.call("accounts", "audit", "--json"))).differences, []);
    }
    await using isolate = await deploy(database);
    using desk = await sitDown(database, env, isolate.origin);
    const { records, open } = await readBooks(desk.kv);
    assert.ok(records.size > REQUESTS / 3 && records.size + open.size <= 1 + REQUESTS);
    for (const { requestId, cost } of records.values()) {
      assert.equal(cost, provider.charges.get(requestId), "to the nano-dollar");
    }
    // A request that is reserved in the copy stays so until the sweep charges it.
    const sum = [...records.values()].reduce((spent, { cost }) => spent + cost, 0n);
    const { data } = await usageOf(isolate.origin, key);
    assert.equal(data.spentUsd, toUsd(sum));

    assert.match(await search(isolate.origin, key), /costDollars/);
    assert.deepEqual((await desk.examine()).failed, []);
    const [kept] = await json(desk.call("keys", "list", "Ada's project", "--json"));
    assert.equal(kept.expiresAt, expiresAt);
    assert.equal(await isolate.evict(), 0);
    assert.deepEqual((await json(desk.call("accounts", "audit", "--json"))).differences, []);
    const after = await readBooks(desk.kv);
    assert.equal(after.records.size, records.size + 1);
    const [newest] = [...after.records.values()].filter(({ requestId }) => !records.has(requestId));
    assert.equal(newest?.cost, provider.charges.get(newest?.requestId ?? ""));
  }

  function deploy({ env: { KV_PATH: address } }: KvConnect) {
    return startIsolate({ folder, database: address, env });
  }
}

/** The operator's machine: the two variables that lead to the database, and the tools. */
async function sitDown(database: KvConnect, env: Record<string, string>, baseUrl: string) {
  const environment = { ...env, ...database.env, BASE_URL: baseUrl };
  const kv = await openKv(database.env.KV_PATH);
  const place = { kv, config: parseConfig(environment), now: Date.now };
  return {
    kv,
    call: (name: string, ...args: string[]) => callTool(name, args, place),
    /** The states that the doctor finds, and the findings that failed. */
    async examine() {
      const world = { environment, denoVersion: Deno.version.deno, openKv, fetch, now: Date.now };
      const { out } = await callTool("doctor", ["--json"], place, world);
      const findings: { name: string; state: string; sentence: string }[] = JSON.parse(out);
      return {
        failed: findings.filter(({ state }) => state === "failed"),
        states: new Map(findings.map(({ name, state }) => [name, state])),
      };
    },
    [Symbol.dispose]: () => kv.close(),
  };
}

async function countRecords(kv: Deno.Kv): Promise<number> {
  return (await Array.fromAsync(kv.list({ prefix: ["usage"] }))).length;
}

/** The body of a member's answered search. */
async function search(origin: string, key: string): Promise<string> {
  const response = await fetch(`${origin}/proxy/v1/websearch/search`, {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query: "how tides work", numResults: 3 }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

async function usageOf(origin: string, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  return await (await fetch(`${origin}/proxy/v1/usage`, { headers })).json();
}
