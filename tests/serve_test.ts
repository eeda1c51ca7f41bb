/**
 * `deno task build` and `deno task start` as an operator runs them, in a copy of the tree: a failed start states its
 * reason, and a shutdown loses nothing.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { get } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync } from "node:zlib";
import { openKv } from "../lib/platform/kv/open.ts";
import { sampleRecords } from "../lib/sandbox/sample.ts";
import { createWebsearchStandIn } from "../lib/sandbox/websearch.ts";
import { startIsolate } from "./support/deno_deploy.ts";
import { readBooks } from "./support/ledger_books.ts";
import { killProcess, readOutput } from "./support/foyer_process.ts";
import { createMemberAt } from "./support/member.ts";
import { IS_OWN_RUNTIME } from "./support/runtime.ts";
import { until } from "./support/until.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const NOT_COPIED = new Set([".git", ".data", "_fresh", "node_modules", "tests", "bench"]);
const API_KEY = "provider.test";
/** As many events as a full year has. */
const SAMPLE_LENGTH = 54;
/** The arguments of `deno task start`. */
const START = ["--cached-only", "--node-modules-dir=manual", "serve.ts"];

const copy = await Deno.makeTempDir();
globalThis.addEventListener("unload", () => Deno.removeSync(copy, { recursive: true }));

/** Runs a program of the copy with only these of the service's variables. */
function run(args: string[], env: Record<string, string> = {}): Deno.ChildProcess {
  const output = { stdin: "null", stdout: "piped", stderr: "piped" } as const;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", ...args],
    cwd: copy,
    env,
    ...output,
  }).spawn();
}

/** The exit code and the output of a failed start. */
async function failedStart(env: Record<string, string>) {
  const { code, stderr } = await run(START, env).output();
  return { code, said: new TextDecoder().decode(stderr) };
}

/** A provider whose next response stops half-way at a gate, and the variables that lead to it. */
function startProvider() {
  const gate = Promise.withResolvers<void>();
  const provider = createWebsearchStandIn({ apiKey: API_KEY, now: Date.now });
  provider.faults.push({ kind: "stall", until: gate.promise });
  const upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, provider.fetch);
  const env = {
    WEBSEARCH_API_URL: `http://127.0.0.1:${upstream.addr.port}`,
    WEBSEARCH_API_KEY: API_KEY,
  };
  return { gate, provider, upstream, env };
}

/** Asks for a streamed answer. */
function askFor(origin: string, key: string): Promise<Response> {
  return fetch(`${origin}/proxy/v1/websearch/answer`, {
    method: "POST",
    headers: { "authorization": `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query: "sourdough bread", stream: true }),
  });
}

async function readBooksAt(kvPath: string) {
  using kv = await openKv(kvPath);
  return await readBooks(kv);
}

/** The service on a port of its own, with such a provider. */
async function startService(env: Record<string, string> = {}) {
  const { gate, provider, upstream, env: ours } = startProvider();
  const kvPath = await Deno.makeTempFile({ dir: copy });
  const { key } = await createMemberAt(kvPath);
  const child = run(START, {
    PORT: "0",
    HOST: "127.0.0.1",
    KV_PATH: kvPath,
    ...ours,
    ...env,
  });
  const { listening, said } = readOutput(child);
  /** Ends it if a failed step has not, so that the test does not wait for it for ever. */
  async function end(): Promise<void> {
    gate.resolve();
    killProcess(child);
    await child.status;
    await said;
    await upstream.shutdown();
  }
  const origin = await listening().catch(async (error) => {
    await end();
    throw error;
  });
  const ask = () => askFor(origin, key);
  return {
    origin,
    key,
    child,
    provider,
    gate,
    /** The whole standard output and standard error, once it has ended. */
    said,
    ask,
    /** A response whose first bytes have arrived, while the rest is held back. */
    async openStream() {
      const response = await ask();
      assert.equal(response.status, 200);
      return response;
    },
    books: () => readBooksAt(kvPath),
    [Symbol.asyncDispose]: end,
  };
}

/** An isolate of Deno Deploy, with such a provider. */
async function startOnDeploy() {
  const { gate, provider, upstream, env } = startProvider();
  const kvPath = await Deno.makeTempFile({ dir: copy });
  const isolate = await startIsolate({ folder: copy, database: kvPath, env });
  return {
    isolate,
    provider,
    gate,
    kvPath,
    ask: (key: string) => askFor(isolate.origin, key),
    books: () => readBooksAt(kvPath),
    async [Symbol.asyncDispose]() {
      gate.resolve();
      await isolate[Symbol.asyncDispose]();
      await upstream.shutdown();
    },
  };
}

/** Sample events in their own looks, of which one begins each day from now on. */
function comingSample() {
  const picture = [{ id: "att1", filename: "a.png", url: "https://pictures.example/a.png" }];
  return sampleRecords().slice(0, SAMPLE_LENGTH).map(({ id, fields }, at) => {
    const day = new Date(Date.now() + at * 86_400_000).toISOString().slice(0, 10);
    const pictures = Object.fromEntries(
      ["Logo Url", "Background Image Url"].filter((name) => name in fields)
        .map((name) => [name, picture]),
    );
    const days = { "Start Date": day, "End Date": day, "Announced At": "2026-01-01T00:00:00Z" };
    return { id, fields: { ...fields, ...pictures, ...days } };
  });
}

/** A text of the service, and the bytes in which it is sent to a browser. */
async function sent(address: string) {
  const headers = { "accept": "text/html, */*", "accept-encoding": "br" };
  const request = get(address, { headers });
  const [response] = await once(request, "response");
  const body = await buffer(response);
  const isPacked = response.headers["content-encoding"] === "br";
  return { bytes: body.length, text: (isPacked ? brotliDecompressSync(body) : body).toString() };
}

/** The first group of every match. */
function addressesIn(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map(([, address = ""]) => address));
}

Deno.test("the service is built and started as its operator does it", async (t) => {
  cpSync(ROOT, copy, {
    recursive: true,
    filter: (source) => !NOT_COPIED.has(source.slice(ROOT.length).split("/")[0] ?? ""),
  });
  await Deno.symlink(`${ROOT}node_modules`, `${copy}/node_modules`);

  await t.step("a start without a build says how to make one", async () => {
    const { code, said } = await failedStart({ KV_PATH: ":memory:" });
    assert.equal(code, 1);
    assert.match(said, /^There is no build here\./m);
  });

  await t.step("the build ends well", async () => {
    const { code, stderr } = await run(["dev.ts", "build"]).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  });

  await t.step(
    "a start tells every mistake of the configuration, by name, and shows no value",
    async () => {
      const env = { PORT: "http", WEBSEARCH_API_KEY: "s3cret s3cret", AIRTABLE_TOKN: "s3cret" };
      const { code, said } = await failedStart(env);
      assert.equal(code, 1);
      assert.match(said, /^ {2}- PORT: expected .*, such as 8000$/m);
      assert.match(said, /^ {2}- WEBSEARCH_API_KEY: /m);
      assert.match(
        said,
        /^ {2}- AIRTABLE_TOKN: no such variable; the nearest is AIRTABLE_TOKEN: /m,
      );
      assert.ok(!said.includes("s3cret"));
    },
  );

  await t.step(
    "a start says what it starts with, and other programs' names are no hindrance",
    async () => {
      const others = { PGHOST: "db", PGPORT: "5432", DBHOST: "db", EXA_API_KEY: "s3cret" };
      await using service = await startService(others);
      service.child.kill("SIGTERM");
      assert.equal((await service.child.status).code, 0);
      const [out, err] = await service.said;
      assert.match(out, /"Web search is configured, at http:\/\/127\.0\.0\.1:\d+\."/);
      assert.match(out, /"Decisions are not configured: set DECISION_API_KEY\. /);
      assert.match(err, /"Events are not configured: set AIRTABLE_TOKEN and AIRTABLE_BASE_ID, or /);
      assert.ok(!(out + err).includes("s3cret"));
      assert.ok(!(out + err).includes(API_KEY));
    },
  );

  // Upstream's runtime in the browser is larger.
  const maxScriptKb = IS_OWN_RUNTIME ? 10 : 20;
  await t.step(
    `the home page is at most 14 KB as it is sent, and its scripts at most ${maxScriptKb} KB`,
    async () => {
      const file = `${copy}/events.json`;
      await Deno.writeTextFile(file, JSON.stringify(comingSample()));
      await using service = await startService({ EVENTS_FILE: file });
      const { bytes, text } = await sent(`${service.origin}/`);
      assert.ok(text.split('class="card ').length > 40, "the page shows the events");
      assert.ok(bytes <= 14 * 1024, `${bytes} bytes of HTML`);
      const waiting = addressesIn(text, /"(\/_fresh\/[^"]+\.js)"/g);
      let scripts = 0;
      for (const address of waiting) {
        const script = await sent(`${service.origin}${address}`);
        scripts += script.bytes;
        for (const each of addressesIn(script.text, /["'](\.\/[^"']+\.js)["']/g)) {
          waiting.add(new URL(each, `${service.origin}${address}`).pathname);
        }
      }
      assert.ok(waiting.size > 2, "the page has its scripts");
      assert.ok(scripts <= maxScriptKb * 1024, `${scripts} bytes of script`);
    },
  );

  await t.step(
    "a start says that its port is in use, or which database cannot be opened or is not shared",
    async () => {
      using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
      const PORT = String(listener.addr.port);
      const inUse = `^PORT, HOST: cannot listen on 127.0.0.1:${PORT}: it is in use$`;
      const shared = { DENO_KV_REQUIRES_DISTRIBUTED_DATABASE: "error" };
      const notOpened = "^KV_PATH: the database .* cannot be opened: ";
      const table: [env: Record<string, string>, sentence: string][] = [
        [{ PORT, HOST: "127.0.0.1", KV_PATH: `${copy}/kv-port` }, inUse],
        [{ KV_PATH: `${copy}/deno.json/kv` }, "^KV_PATH"],
        [shared, notOpened],
        [{ ...shared, KV_PATH: `${copy}/kv-own` }, notOpened],
      ];
      await Promise.all(table.map(async ([env, sentence]) => {
        const { code, said } = await failedStart(env);
        assert.equal(code, 1);
        assert.match(said, new RegExp(sentence, "m"));
      }));
    },
  );

  await t.step(
    "SIGTERM: nothing is refused as long as connections are taken, a stream ends and is booked, and the end is 0",
    async () => {
      await using service = await startService();
      const { child, gate } = service;
      const stream = await service.openStream();
      child.kill("SIGTERM");
      // As if a supervisor signals a whole group, and its first process passes the signal on.
      child.kill("SIGINT");
      const { health, usage, connection } = await answersUntilTheEnd(service);
      assert.deepEqual(new Set(usage), new Set([200]));
      assert.deepEqual([health.at(-1), connection], [503, "close"]);
      gate.resolve();
      assert.match(await stream.text(), /costDollars/);
      assert.equal((await child.status).code, 0);
      const [log] = await service.said;
      assert.match(log, /The service stops: [^]*The service has stopped\./);
      const { open, records } = await service.books();
      assert.equal(open.size, 0);
      assert.deepEqual([...records.values()].map(({ cost, costFrom }) => [cost, costFrom]), [
        [service.provider.charges.values().next().value, "provider"],
      ]);
    },
  );

  await t.step("refusals that wait are answered before the end", async () => {
    await using service = await startService({ RATE_LIMIT_REQUESTS: "1" });
    service.gate.resolve();
    await (await service.openStream()).text();
    let answered = 0;
    const refused = Array.from({ length: 30 }, async () => {
      const { status, body } = await service.ask();
      await body?.cancel();
      answered++;
      return status;
    });
    // The first twenty signals do not wait.
    await until(() => answered >= 20);
    service.child.kill("SIGTERM");
    for (const status of await Promise.all(refused)) assert.ok([429, 503].includes(status));
    assert.equal((await service.child.status).code, 0);
  });

  await t.step(
    "a second signal ends at once: what is under way stays reserved, for the sweep",
    async () => {
      await using service = await startService();
      const { origin, child } = service;
      const stream = await service.openStream();
      child.kill("SIGINT");
      await until(async () => (await healthOf(origin)) !== 200);
      // The signals of the first second count as one.
      const again = setInterval(() => {
        try {
          child.kill("SIGTERM");
        } catch (error) {
          // It may end before this process learns of it.
          if (!(error instanceof TypeError)) throw error;
        }
      }, 100);
      const { code } = await child.status.finally(() => clearInterval(again));
      assert.equal(code, 1);
      await assert.rejects(stream.text());
      assert.equal((await service.books()).open.size, 1);
    },
  );

  const events = `${copy}/events.json`;
  const announcedAt = "2026-11-01T12:00:00Z";
  const jam = { id: "recA", name: "Jam", startDate: "2026-12-04", announcedAt };
  await Deno.writeTextFile(events, JSON.stringify([jam]));
  const none = /This app has no database\. .*is lost when its isolate ends/;
  const maybe = /The database may be a temporary one: the proxy is off until it holds an account/;
  const withoutDatabase = [["error", "production", none], ["warn", "preview/x1y2", maybe]] as const;
  for (const [requirement, timeline, sentence] of withoutDatabase) {
    await t.step(
      `on Deno Deploy without a database (${timeline}, ${requirement}), events work and the proxy is off`,
      async () => {
        await using isolate = await startIsolate({
          folder: copy,
          database: null,
          requirement,
          timeline,
          env: { EVENTS_FILE: events, WEBSEARCH_API_KEY: API_KEY },
        });
        const { origin } = isolate;
        const list = await fetch(`${origin}/api/v1/events`);
        assert.equal((await list.json()).data[0]?.name, "Jam");
        const usage = await fetch(`${origin}/proxy/v1/usage`);
        assert.equal((await usage.json()).error.type, "server_misconfigured");
        assert.match(await (await fetch(`${origin}/status.md`)).text(), /The AI proxy is off/);
        assert.equal(await isolate.evict(), 0);
        const said = await isolate.said;
        assert.match(said, sentence);
        assert.match(said, /Links use https:\/\/events\.our-club\.deno\.net/);
      },
    );
  }

  await t.step(
    "on Deno Deploy, the first account turns the proxy on, and every request is booked, whatever ends it",
    async () => {
      await using world = await startOnDeploy();
      const { isolate, provider, gate, books } = world;
      // An isolate that has missed the first account reads again five seconds later.
      assert.equal((await world.ask("none")).status, 500);
      // From the operator's machine, over the same database.
      const { key } = await createMemberAt(world.kvPath);
      await until(async () => {
        const response = await fetch(`${isolate.origin}/proxy/v1/usage`, {
          headers: { authorization: `Bearer ${key}` },
        });
        await response.body?.cancel();
        return response.status === 200;
      });
      // A caller that leaves half-way is charged the reservation.
      const left = await world.ask(key);
      assert.equal(left.status, 200);
      await left.body?.cancel();
      await until(async () => (await books()).open.size === 0);
      gate.resolve();
      const whole = await world.ask(key);
      assert.match(await whole.text(), /costDollars/);
      await until(async () => (await books()).records.size === 2);
      const costs = [...(await books()).records.values()].map(({ costFrom }) => costFrom);
      assert.deepEqual(costs.toSorted(), ["provider", "reservation"]);
      // Requests in progress at the eviction of the isolate are finished and booked.
      const last = Promise.withResolvers<void>();
      provider.faults.push({ kind: "stall", until: last.promise });
      const stream = await world.ask(key);
      const evicted = isolate.evict();
      last.resolve();
      assert.match(await stream.text(), /costDollars/);
      assert.equal(await evicted, 0);
      const { open, records } = await books();
      assert.deepEqual([open.size, records.size], [0, 3]);
    },
  );

  await t.step(
    "an isolate whose response takes too long ends in time, and the sweep charges it",
    async () => {
      await using world = await startOnDeploy();
      const { key } = await createMemberAt(world.kvPath);
      const stream = await world.ask(key);
      assert.equal(stream.status, 200);
      assert.equal(await world.isolate.evict(), 0);
      await stream.text().catch(() => {});
      assert.equal((await world.books()).open.size, 1);
    },
  );
});

/** The status of the health record; null if no connection is accepted any more. */
async function healthOf(origin: string): Promise<number | null> {
  const response = await fetch(`${origin}/up`, { method: "HEAD" }).catch(() => null);
  return response?.status ?? null;
}

/** The statuses of `/up` and of a member's usage for as long as connections are accepted; the last `Connection`. */
async function answersUntilTheEnd(
  { origin, key }: { readonly origin: string; readonly key: string },
): Promise<{ health: number[]; usage: number[]; connection: string | null }> {
  const answers = {
    health: [] as number[],
    usage: [] as number[],
    connection: null as string | null,
  };
  const headers = { authorization: `Bearer ${key}` };
  for (;;) {
    const health = await healthOf(origin);
    const usage = await fetch(`${origin}/proxy/v1/usage`, { headers }).catch(() => null);
    await usage?.body?.cancel();
    if (health === null || usage === null) return answers;
    answers.health.push(health);
    answers.usage.push(usage.status);
    answers.connection = usage.headers.get("connection");
  }
}
