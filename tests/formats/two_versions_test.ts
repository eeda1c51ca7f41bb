/**
 * Two versions on one database. The values that a tree of format 1 wrote are recorded (`format_1.json`): this tree
 * reads them, and writes nothing that a tree of format 1 could not read. The values of a newer version, one number
 * higher, are made again or left alone.
 */

import assert from "node:assert/strict";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { tool as accounts } from "../../commands/accounts.ts";
import { tool as status } from "../../commands/status.ts";
import { createEmbeddedStore } from "../../lib/proxy/records/embedded.ts";
import { readBacklog } from "../../lib/proxy/records/outbox.ts";
import { type DayBook, outboxKey, type Reservation } from "../../lib/proxy/ledger/books.ts";
import { parseConfig } from "../../lib/platform/config/config.ts";
import { DIGEST_LENGTH, digestOf } from "../../lib/platform/digest.ts";
import { FORMATS } from "../../lib/platform/kv/formats.ts";
import { createServices } from "../../lib/operate/services.ts";
import { callTool } from "../commands/desk.ts";
import { type Foyer, row, startFoyer } from "../support/foyer.ts";
import { type Dump, dumpKv, loadDump, readDump } from "./dump.ts";
import { recordDump } from "./scenario.ts";

const recorded = await readDump(1);
const DAY = "2026-11-21";
const { accountId, key } = recorded.member;
const dayBook = ["spend", accountId, DAY];

/** A Foyer over a recorded database, at the moment of the recording. */
async function startOver(
  { entries }: Pick<Dump, "entries"> = recorded,
  options: Parameters<typeof startFoyer>[0] = {},
): Promise<Foyer> {
  const foyer = await startFoyer({ models: 3, now: recorded.at, ...options });
  await loadDump(foyer.kv, { ...recorded, entries });
  return foyer;
}

const search = (foyer: Foyer, by = key) =>
  foyer.post("/proxy/v1/websearch/search", by, { query: "anything" });

/** Raises the number of the stored values by one. */
async function raise(kv: Deno.Kv, key: Deno.KvKey): Promise<unknown> {
  const { value } = await kv.get(key);
  assert.ok(typeof value === "object" && value !== null, `nothing is at ${key.join("/")}`);
  const raised = Array.isArray(value) ? { list: value } : value;
  const newer = { ...raised, format: 2 };
  await kv.set(key, newer);
  return newer;
}

const told = ({ lines }: Foyer) =>
  lines.filter(({ message }) => message.includes("is stored in format 2"));

Deno.test("the recorded database has every kind of value but those that came later", () => {
  const later = [
    "account_of_person",
    "restriction",
    "account_of_reference",
    "change",
    "spend_of_key",
    "service_spend",
    "service_day",
    "session",
    "session_of_account",
    "sign_in_used",
    "departed",
    "days_seen",
    "service_allowance",
    "events failure",
    "events calls",
    "events mark",
    "events hook",
    "analytics refusals",
    "unpaintable",
    "turn",
    "jobs",
    "restore",
  ];
  const kinds = new Set(recorded.entries.flatMap(([key]) => {
    const [first, second, third] = key.map(String);
    return [`${first}`, `${first} ${second}`, `${first} ${third === "pointer" ? second : third}`];
  }));
  const missing = Object.keys(FORMATS).filter((kind) => !kinds.has(kind));
  assert.deepEqual(missing, later);
});

Deno.test("events that the last version stored are served, without a look at their store", async () => {
  await using foyer = await startOver();
  foyer.store.faults.push({ kind: "status", status: 500, sticky: true });
  const answer = await foyer.get("/api/v1/events");
  assert.equal(answer.status, 200);
  assert.deepEqual((await answer.json()).data, recorded.events);
  assert.equal(recorded.events.length, 2);
});

Deno.test("keys of the last version work, and each sum of its books is exact to the end", async () => {
  await using foyer = await startOver();
  const { kv, clock, services } = foyer;
  const before = (await kv.get<DayBook>(dayBook)).value;
  assert.ok(before);
  // Two searches at 7,000,000 nano-dollars and a reservation that was swept; another one is open.
  assert.equal(before.spent, 26_000_000n);
  assert.equal(before.reserved, 12_000_000n);
  assert.equal((await search(foyer)).status, 200);
  await services.ledger.flush();
  const cost = 7_000_000n;
  clock.now += 3_600_000;
  assert.equal(await services.ledger.sweep(), 1);
  const after = (await kv.get<DayBook>(dayBook)).value;
  assert.deepEqual([after?.spent, after?.reserved, after?.requests], [
    before.spent + cost + before.reserved,
    0n,
    before.requests + 2,
  ]);
  const { data } = await (await foyer.get("/proxy/v1/usage", {
    headers: { authorization: `Bearer ${key}` },
  })).json();
  assert.equal(JSON.stringify(data).includes("0.045"), true, JSON.stringify(data));
  clock.now += 3_600_000;
  // Two pages had been delivered by the last version: none is counted twice.
  await services.outbox.flush();
  const asked = { from: DAY, to: DAY, accountId, by: "endpoint" } as const;
  const { total } = await createEmbeddedStore(kv).query(asked);
  assert.deepEqual([total.requests, total.cost], [after?.requests, after?.spent]);
});

Deno.test("the values of this version have every member of the last version's, of the same type", async () => {
  const written = await recordDump("this tree");
  const known = shapes(written.entries);
  // Each job had a value of its own; nothing reads them any more.
  const retired = new Set(["job"]);
  for (const [kind, shape] of shapes(recorded.entries)) {
    if (retired.has(kind)) continue;
    const own = known.get(kind);
    assert.ok(own !== undefined, `${kind} is no longer written`);
    for (const member of shape) assert.ok(own.has(member), `${kind} lacks ${member}`);
  }
});

/** By kind, each member of a value with its type (`meta.readAt: number`), those inside blobs and rows included. */
function shapes(entries: Dump["entries"]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const names = new Map(
    entries.flatMap(([[first, name, third], value]) =>
      first === "blob" && third === "pointer"
        ? [[(value as { version: string }).version, String(name)]]
        : []
    ),
  );
  for (const [key, value] of entries) {
    const [first, second, third, version] = key.map(String);
    const kind = first === "blob"
      ? `blob ${third} ${second}`
      : first === "analytics"
      ? `${first} ${second}`
      : first;
    const into = found.get(`${kind}`) ?? new Set();
    found.set(`${kind}`, into);
    addShape(into, "", value);
    if (third === "chunks" && names.get(`${version}`) === "events") {
      const [index = ""] = plainText(bytesOf(value)).split("\n");
      addShape(into, "index", JSON.parse(index));
    }
    if (kind === "analytics rows") {
      addShape(into, "row", JSON.parse(new TextDecoder().decode(bytesOf(value))));
    }
  }
  return found;
}

function addShape(into: Set<string>, path: string, value: unknown): void {
  if (Array.isArray(value)) { for (const item of value) addShape(into, `${path}[]`, item); }
  else if (typeof value !== "object" || value === null) {
    into.add(`${path}: ${value === null ? null : typeof value}`);
  } else {
    for (const [name, member] of Object.entries(value)) addShape(into, `${path}.${name}`, member);
  }
}

const bytesOf = (value: unknown) => Uint8Array.fromBase64((value as { $bytes: string }).$bytes);
const plainText = (bytes: Uint8Array) =>
  new TextDecoder().decode(zstdDecompressSync(bytes.subarray(DIGEST_LENGTH)));

Deno.test("a snapshot that a newer version wrote counts as absent, and is replaced although no event changed", async () => {
  await using foyer = await startFoyer({ records: [row({ "Name": "Hack Night" })] });
  const { kv } = foyer;
  const pointerKey = ["blob", "events", "pointer"];
  const list = async (of: Foyer) => (await (await of.get("/api/v1/events")).json()).data;
  const events = await list(foyer);
  assert.equal(events.length, 1);
  const { version } = await raise(kv, pointerKey) as { version: string };
  // Another process, with empty caches.
  const other = createServices(foyer.services.config, {
    ...foyer.services,
    analyticsKv: kv,
    openCache: null,
    pictures: null,
    sleep: () => new Promise(() => {}),
    startLimit: foyer.limits.start,
    fetch: foyer.store.substitute,
  });
  assert.equal((await other.events.catalog()).snapshot.events.length, 1);
  const { value } = await kv.get<{ version: string; format?: number }>(pointerKey);
  assert.notEqual(value?.version, version);
  assert.equal(value?.format, undefined);
  // The newer process may be reading these now.
  assert.ok((await kv.get(["blob", "events", "chunks", version, 0])).value !== null);
  foyer.clock.now += 10 * 60_000;
  assert.deepEqual(await list(foyer), events);
  assert.equal((await kv.get(["blob", "events", "chunks", version, 0])).value, null);
});

Deno.test("a snapshot in a layout from before the formats is read again, not answered as broken JSON", async () => {
  await using foyer = await startOver(recorded, { records: [row({ "Name": "From the store" })] });
  const { kv } = foyer;
  const [, pointer] = recorded.entries.find(([key]) => key.join("/") === "blob/events/pointer") ??
    [];
  const { version } = pointer as { version: string };
  const chunkKey = ["blob", "events", "chunks", version, 0];
  const { value: bytes } = await kv.get<Uint8Array>(chunkKey);
  assert.ok(bytes !== null);
  const old = plainText(bytes).replaceAll(/,"bytes":\d+/g, "");
  const compressed = new Uint8Array(zstdCompressSync(old));
  await kv.set(
    chunkKey,
    new Uint8Array([...new TextEncoder().encode(digestOf(compressed)), ...compressed]),
  );
  // The recorded pause has ended by then.
  foyer.clock.now += 10_000;
  const answer = await foyer.get("/api/v1/events");
  assert.equal(answer.status, 200);
  assert.deepEqual((await answer.json()).data.map(({ name }: { name: string }) => name), [
    "From the store",
  ]);
});

for (const name of ["models", "decision_models"]) {
  Deno.test(`a copy of ${name} that a newer version wrote counts as absent`, async () => {
    await using foyer = await startOver();
    await raise(foyer.kv, ["blob", name, "pointer"]);
    const path = name === "models" ? "/proxy/v1/models" : "/proxy/v1/decision/models";
    const headers = { authorization: `Bearer ${key}` };
    const answer = await foyer.get(path, { headers });
    assert.equal(answer.status, 200);
    const { data, models } = await answer.json();
    assert.ok((data ?? models).length > 0);
    const { value } = await foyer.kv.get<{ format?: number }>(["blob", name, "pointer"]);
    assert.equal(value?.format, undefined, "it was read and written anew");
  });
}

const KEPT: readonly [string, Deno.KvKey][] = [
  ["account", ["account", accountId]],
  ["key", ["key", key.slice(6, 18)]],
  ["day book", dayBook],
];

for (const [name, stored] of KEPT) {
  Deno.test(`a search that needs the ${name} of a newer version is 503, reaches no provider and changes nothing`, async () => {
    await using foyer = await startOver();
    const newer = await raise(foyer.kv, stored);
    const answer = await search(foyer);
    assert.equal(answer.status, 503);
    assert.equal((await answer.json()).code, "service_unavailable");
    assert.equal(foyer.websearch.requests.length, 0);
    assert.deepEqual((await foyer.kv.get(stored)).value, newer);
    // Other accounts are served.
    const { key: other } = await foyer.createMember();
    assert.equal((await search(foyer, other)).status, 200);
    const [line] = foyer.lines.filter(({ level }) => level === "error");
    assert.match(
      Deno.inspect(line?.properties),
      /is stored in format 2, and this version of Foyer knows format 1/,
    );
  });
}

Deno.test("a settlement that meets a newer day book books nothing, and leaves the reservation to the newer version", async () => {
  await using foyer = await startOver();
  const { kv, services } = foyer;
  const bid = { keyId: "k", endpoint: "search", model: null, amount: 5n, limit: 10n ** 12n };
  const admission = await services.ledger.reserve({ ...bid, accountId, requestId: "under-way" });
  assert.ok(admission.admitted);
  const newer = await raise(kv, dayBook);
  const usageBefore = await Array.fromAsync(kv.list({ prefix: ["usage"] }));
  await services.ledger.settle(admission.hold, { cost: 1n, status: 200 });
  assert.deepEqual((await kv.get(dayBook)).value, newer);
  assert.deepEqual(await Array.fromAsync(kv.list({ prefix: ["usage"] })), usageBefore);
  const pages = await Array.fromAsync(kv.list<Reservation[]>({ prefix: ["reservations"] }));
  assert.ok(pages.some(({ value }) => value.some(({ requestId }) => requestId === "under-way")));
  const failed = foyer.lines.filter(({ message }) => message.startsWith("A booking failed"));
  assert.equal(failed.length, 2, "the settlement and the correction of a sweep, each tried once");
});

Deno.test("the sweep leaves a newer page of reservations alone, says so once, and charges the others", async () => {
  await using foyer = await startOver();
  const { kv, services, clock } = foyer;
  const [page] = await Array.fromAsync(kv.list({ prefix: ["reservations"] }));
  assert.ok(page);
  const newer = await raise(kv, page.key);
  const { accountId: other } = await foyer.createMember();
  const bid = { keyId: "k", endpoint: "search", model: null, amount: 5n, limit: 10n ** 12n };
  assert.ok((await services.ledger.reserve({ ...bid, accountId: other, requestId: "r" })).admitted);
  clock.now += 3_600_000;
  assert.equal(await services.ledger.sweep(), 1);
  assert.equal(await services.ledger.sweep(), 0);
  assert.deepEqual((await kv.get(page.key)).value, newer);
  assert.equal(told(foyer).length, 1);
});

for (const name of ["marker", "page"] as const) {
  Deno.test(`a ${name} of usage of a newer version stays for it to deliver, and the others are delivered`, async () => {
    await using foyer = await startOver();
    const { kv, services } = foyer;
    const [marker] = await Array.fromAsync(kv.list({ prefix: ["outbox"] }));
    assert.ok(marker);
    const page = String(marker.key.at(-1));
    const raised = name === "marker" ? outboxKey(page) : ["usage", accountId, DAY, page];
    const newer = await raise(kv, raised);
    assert.equal((await search(foyer)).status, 200);
    await services.ledger.flush();
    assert.equal(await services.outbox.flush(), 1);
    assert.deepEqual((await kv.get(raised)).value, newer);
    assert.equal((await readBacklog(services.kv)).waiting, 1);
    assert.equal(told(foyer).length, 1);
  });
}

Deno.test("a command that meets an account of a newer version says so in one line and changes nothing", async () => {
  await using foyer = await startOver();
  const { kv, clock } = foyer;
  const newer = await raise(kv, ["account", accountId]);
  const place = { kv, config: parseConfig({}), now: () => clock.now };
  for (const args of [["limit", accountId, "3"], ["ban", accountId]]) {
    const { code, err } = await callTool(accounts, args, place);
    assert.equal(code, 1, args.join(" "));
    assert.match(err, /^accounts: .*"account".* is stored in format 2, .* knows format 1: .*\n$/);
  }
  assert.deepEqual((await kv.get(["account", accountId])).value, newer);
});

Deno.test("lists and sums leave out values of a newer version, and say so", async () => {
  await using foyer = await startOver();
  const { kv, clock } = foyer;
  const place = { kv, config: parseConfig({}), now: () => clock.now };
  const before = JSON.parse((await callTool(accounts, ["list", "--json"], place)).out);
  const { requests } = JSON.parse((await callTool(status, ["--json"], place)).out).today;
  assert.ok(requests > 0);
  await raise(kv, ["account", accountId]);
  const list = await callTool(accounts, ["list", "--json"], place);
  assert.equal(list.code, 0, list.err);
  const isOther = ({ id }: { id: string }) => id !== accountId;
  assert.deepEqual(JSON.parse(list.out), before.filter(isOther));
  assert.match(list.err, /^Note: .*left out: .*"account".* is stored in format 2, .*\n$/);
  const created = await callTool(accounts, ["create", "another", "--json"], place);
  assert.equal(created.code, 0, created.err);
  const asked = await callTool(status, ["--json"], place);
  assert.equal(asked.code, 0, asked.err);
  assert.equal(JSON.parse(asked.out).today.requests, 0);
  assert.match(asked.err, /^Note: .*left out: .*"account".* is stored in format 2, .*\n$/);
});

Deno.test("a day book of a newer version is left out of the operator's sums", async () => {
  await using foyer = await startOver();
  const { kv, clock } = foyer;
  await raise(kv, dayBook);
  const place = { kv, config: parseConfig({}), now: () => clock.now };
  const { code, out, err } = await callTool(status, ["--json"], place);
  assert.equal(code, 0, err);
  assert.equal(JSON.parse(out).today.requests, 0);
  assert.match(err, /^Note: .*left out: .*"spend".* is stored in format 2, .*\n$/);
});

Deno.test("a look at the database changes only values that can be made again", async () => {
  await using foyer = await startOver();
  const kept = (entries: Dump["entries"]) =>
    entries.filter(([[first, second]]) =>
      FORMATS[String(first)]?.isKept ?? FORMATS[[first, second].map(String).join(" ")]?.isKept
    );
  await (await foyer.get("/api/v1/events")).body?.cancel();
  await (await foyer.get("/up")).body?.cancel();
  assert.deepEqual(
    kept(await dumpKv(foyer.kv)).filter(([[kind]]) => kind !== "health_day"),
    kept(recorded.entries).filter(([[kind]]) => kind !== "health_day"),
  );
});
