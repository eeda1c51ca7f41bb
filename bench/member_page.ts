/**
 * Measures a member's page in a large database, for a member with many keys, requests and refusals.
 * `deno run -A --lock=tests/deno.lock bench/member_page.ts [ACCOUNTS] [RECORDS] [OWN_RECORDS]`
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import assert from "node:assert/strict";
import { cpuUsage } from "node:process";
import { Builder } from "fresh/dev";
import { createApp } from "../app.ts";
import freshConfig from "../fresh.config.ts";
import { createAccount } from "../lib/proxy/accounts/account.ts";
import { createKey, revokeKey } from "../lib/proxy/accounts/key.ts";
import type { Refusal } from "../lib/proxy/records/refusal.ts";
import { storeRefusals } from "../lib/proxy/records/refusals.ts";
import { parseConfig } from "../lib/platform/config/config.ts";
import { openKv } from "../lib/platform/kv/open.ts";
import { dayOf, daysUntil } from "../lib/proxy/ledger/days.ts";
import {
  dayKey,
  type DaySums,
  LEDGER_VERSION,
  ledgerKey,
  usageKey,
} from "../lib/proxy/ledger/values.ts";
import { openPlatform } from "../lib/operate/platform.ts";
import { randomBytes } from "../lib/platform/random.ts";
import { createServices } from "../lib/operate/services.ts";
import { beginSession } from "../lib/members/sessions.ts";
import { benchRecord, fillDatabase } from "./proxy.ts";
import { median, percentile } from "./statistics.ts";
import { madeBy } from "../tests/support/made_by.ts";

const ACCOUNTS = Number(Deno.args[0] ?? 100_000);
const RECORDS = Number(Deno.args[1] ?? 1_000_000);
const OWN_RECORDS = Number(Deno.args[2] ?? 1_000_000);
const [LIVE_KEYS, ENDED_KEYS, DAYS, KINDS] = [20, 30, 30, 100];
const [WARM_UP, PAGES] = [100, 200];

const folder = await Deno.makeTempDir();
const path = `${folder}/kv`;
await fillDatabase(path, ACCOUNTS, RECORDS);
const token = await fillMember();
const config = parseConfig({
  KV_PATH: path,
  BASE_URL: "http://localhost:8000",
  SIGN_IN_ISSUER: "http://localhost:1",
  SIGN_IN_CLIENT_ID: "bench",
});
const log = { info() {}, warn: console.warn, error: console.error };
const platform = { ...await openPlatform(config), log };
const services = createServices(config, platform);
const app = createApp(services);
await (await new Builder(freshConfig).build({ snapshot: "memory" }))(app);
const answer = app.handler();

async function showPage(): Promise<string> {
  const headers = { cookie: `foyer_session=${token}` };
  const response = await answer(new Request("http://localhost:8000/account", { headers }));
  return await response.text();
}

const page = await showPage();
for (const part of ["Sign out", "Keys that no longer work", "Last requests", "Refused requests"]) {
  assert.ok(page.includes(part), part);
}
for (let count = 0; count < WARM_UP; count++) await showPage();
const times: number[] = [];
const before = cpuUsage();
for (let count = 0; count < PAGES; count++) {
  const startedAt = performance.now();
  await showPage();
  times.push(performance.now() - startedAt);
}
const { user, system } = cpuUsage(before);
console.log(
  `${ACCOUNTS} accounts, ${RECORDS} usage records and ${OWN_RECORDS} of the member: /account of ${
    (page.length / 1024).toFixed(0)
  } KiB takes ` +
    `${median(times).toFixed(1)} ms at the median, ${
      percentile(times, 99).toFixed(1)
    } ms at p99, ` +
    `${((user + system) / 1000 / PAGES).toFixed(1)} ms of computing time`,
);
platform.kv.close();
await Deno.remove(folder, { recursive: true });

/** Adds a member whose page is as long as possible, and returns a session's token. */
async function fillMember(): Promise<string> {
  using kv = await openKv(path);
  const now = Date.now();
  const asked = { name: "Ada", limitNanoUsd: null, verified: true };
  const { id: accountId } = await createAccount(kv, asked, madeBy(now));
  for (let made = 0; made < LIVE_KEYS + ENDED_KEYS; made++) {
    const { key } = await createKey(
      kv,
      { accountId, label: `key ${made}`, expiresAt: null },
      madeBy(now),
    );
    if (made < ENDED_KEYS) await revokeKey(kv, key.id, madeBy(now));
  }
  const search = { requests: OWN_RECORDS / DAYS, failures: 0, spent: 280_000_000n };
  const sums: DaySums = { ...search, reserved: 0n, byEndpoint: { search } };
  const days = daysUntil(dayOf(now), DAYS);
  const held = Object.fromEntries(days.slice(0, 2).map((day) => [day, sums]));
  await kv.set(ledgerKey(accountId), { version: LEDGER_VERSION, rate: {}, days: held });
  for (const day of days) await kv.set(dayKey(day, accountId), day in held ? {} : sums);
  for (let made = 0; made < OWN_RECORDS;) {
    const operation = kv.atomic();
    for (let more = 0; more < 500; more++, made++) {
      const record = benchRecord({
        accountId,
        at: now - Math.floor(made * DAYS * 86_400_000 / OWN_RECORDS),
      });
      operation.set(usageKey(record), record);
    }
    await operation.commit();
  }
  for (const day of daysUntil(dayOf(now), 15)) {
    const kinds = Array.from({ length: KINDS }, (_, kind): Refusal => ({
      accountId,
      keyId: `key${kind}`,
      endpoint: "search",
      code: "validation_failed",
      reason: null,
      field: "numResults",
      requests: 3,
      firstAt: Date.parse(day),
      lastAt: Date.parse(day) + kind,
    }));
    await storeRefusals(kv, kinds);
  }
  const begun = await beginSession(
    kv,
    { accountId, purpose: "enter", operatorBy: null, state: "bench", replaced: undefined },
    now,
    randomBytes,
  );
  assert.ok(begun);
  return begun;
}
