/**
 * The same books in plain form, to measure the proxy against: one value for each account, changed by pure functions in
 * a queue; a key, a rate window, a daily limit, a reservation, a settlement, a usage record, the service's sums, and a
 * line of log. It has no sweep, no second day, no caps and no validation, so it shows what the rest costs.
 *
 *     deno run -A bench/model.ts PORT PROVIDER DATABASE
 */

import { parseUsd } from "../lib/platform/money.ts";

const [port, provider = "", path] = Deno.args;
const kv = await Deno.openKv(path);
const LIMIT = 10n ** 18n;
const RATE = 1_000_000_000;
const PRICE = 7_000_000n;
const SLOT_MILLISECONDS = 15_000;
const SLOTS = 120;
const LAZY_MILLISECONDS = 5;
const KEY_MILLISECONDS = 3_000;
const encoder = new TextEncoder();

interface Books {
  readonly rate: Readonly<Record<string, number>>;
  readonly spent: bigint;
  readonly reserved: bigint;
  readonly requests: number;
}

/** A change of an account's books, which may write more entries in the same commit. */
type Change<R> = (books: Books, operation: Deno.AtomicOperation) => readonly [Books, R];

interface Account {
  entry: Deno.KvEntryMaybe<Books> | null;
  readonly waiting: { change: Change<unknown>; resolve: (result: unknown) => void }[];
  isBusy: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const accounts = new Map<string, Account>();
const NOTHING: Books = { rate: {}, spent: 0n, reserved: 0n, requests: 0 };

function run<R>(id: string, change: Change<R>, isLazy = false): Promise<R> {
  const account: Account = accounts.get(id) ??
    { entry: null, waiting: [], isBusy: false, timer: undefined };
  accounts.set(id, account);
  return new Promise((resolve) => {
    account.waiting.push({ change, resolve: resolve as (result: unknown) => void });
    if (account.isBusy) return;
    if (isLazy) account.timer ??= setTimeout(() => drain(id, account), LAZY_MILLISECONDS);
    else void drain(id, account);
  });
}

async function drain(id: string, account: Account): Promise<void> {
  clearTimeout(account.timer);
  account.timer = undefined;
  account.isBusy = true;
  while (account.waiting.length > 0) {
    const entry = account.entry ??= await kv.get<Books>(["ledger", id]);
    const batch = account.waiting.slice(0, 90);
    const operation = kv.atomic().check(entry);
    let books = entry.value ?? NOTHING;
    const results = batch.map(({ change }) => {
      const [after, result] = change(books, operation);
      books = after;
      return result;
    });
    const done = await operation.set(["ledger", id], books).commit();
    account.entry = done.ok ? { ...entry, value: books, versionstamp: done.versionstamp } : null;
    if (!done.ok) continue;
    account.waiting.splice(0, batch.length);
    for (const [at, { resolve }] of batch.entries()) resolve(results[at]);
  }
  account.isBusy = false;
}

const keys = new Map<string, { readonly at: number; readonly accountId: string }>();

async function authenticate(headers: Headers): Promise<string> {
  const text = headers.get("authorization") ?? "";
  const known = keys.get(text);
  if (known !== undefined && Date.now() - known.at < KEY_MILLISECONDS) return known.accountId;
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(text));
  await kv.getMany([["key", new Uint8Array(digest).toHex()], ["account", "acc"]]);
  keys.set(text, { at: Date.now(), accountId: "acc" });
  return "acc";
}

function sum(operation: Deno.AtomicOperation, name: string, day: string, amount: bigint): void {
  operation.sum(["service", day, name], amount);
}

function countRequest(rate: Books["rate"], at: number): Books["rate"] {
  const slot = Math.floor(at / SLOT_MILLISECONDS);
  const live = Object.entries(rate).filter(([each]) => Number(each) > slot - SLOTS);
  return { ...Object.fromEntries(live), [slot]: (rate[slot] ?? 0) + 1 };
}

const totalOf = (rate: Books["rate"]) =>
  Object.values(rate).reduce((total, count) => total + count, 0);

Deno.serve({ port: Number(port), hostname: "127.0.0.1", onListen() {} }, async (request) => {
  if (request.method === "GET") return new Response();
  const [id, at] = [crypto.randomUUID(), Date.now()];
  const day = new Date(at).toISOString().slice(0, 10);
  const { signal } = request;
  const accountId = await authenticate(request.headers);
  const bytes = await request.bytes();
  const body = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof body.query !== "string") return Response.json({ error: "query" }, { status: 422 });
  const left = await run(accountId, (books, operation) => {
    if (books.spent + books.reserved >= LIMIT || totalOf(books.rate) >= RATE) return [books, -1];
    const reservation = { id, accountId, day, at, amount: PRICE, deadline: at + 240_000 };
    operation.set(["reservation", accountId, id], reservation);
    sum(operation, "reserved", day, PRICE);
    const rate = countRequest(books.rate, at);
    const after = { ...books, rate, reserved: books.reserved + PRICE };
    return [after, RATE - totalOf(rate)];
  });
  if (left < 0) return new Response("limit", { status: 402 });
  const answer = await fetch(`${provider}/search`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "none" },
    body: bytes,
    signal: AbortSignal.any([signal, AbortSignal.timeout(120_000)]),
  });
  const out = await answer.bytes();
  const total = JSON.parse(new TextDecoder().decode(out)).costDollars?.total;
  const cost = parseUsd(String(total)) ?? PRICE;
  void run(accountId, (books, operation) => {
    const ms = Date.now() - at;
    const record = { id, accountId, day, at, cost, endpoint: "search", status: answer.status, ms };
    operation.delete(["reservation", accountId, id])
      .set(["usage", accountId, day, at, id], record, { expireIn: 8_640_000_000 });
    sum(operation, "released", day, PRICE);
    sum(operation, "spent", day, cost);
    const { reserved, spent, requests } = books;
    const after = { reserved: reserved - PRICE, spent: spent + cost, requests: requests + 1 };
    return [{ ...books, ...after }, null];
  }, true);
  const line = { at: new Date(at).toISOString(), id, accountId, status: 200, ms: Date.now() - at };
  Deno.stdout.writeSync(encoder.encode(`${JSON.stringify(line)}\n`));
  return new Response(out, {
    headers: {
      "content-type": "application/json",
      "x-request-id": id,
      "ratelimit": `"default";r=${left}`,
      "cache-control": "no-store",
    },
  });
});
