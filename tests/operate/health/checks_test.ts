/** The checks behind `/up` under every fault of each dependency. */

import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { openClickHouse } from "../../../lib/proxy/records/clickhouse.ts";
import { parseConfig } from "../../../lib/platform/config/config.ts";
import { createChecks } from "../../../lib/operate/health/checks.ts";
import { buildRecord, runChecks } from "../../../lib/operate/health/report.ts";
import { holdLimits } from "../../support/held_limits.ts";

/** The limit of each check. */
const LIMIT_MILLISECONDS = 5_000;
const HOSTS = ["router", "ocr", "websearch", "analytics", "media"] as const;
type Host = typeof HOSTS[number];
const KINDS = ["slow", "hung", "reset", "garbage", "nonsense"] as const;
const TROUBLES = [...KINDS, "401", "403", "429", "500"] as const;
type Trouble = typeof TROUBLES[number];

/** Whether a dependency with a fault still counts as up. */
const STILL_UP: Record<Host, readonly Trouble[]> = {
  router: ["slow", "429"],
  ocr: ["slow", "429"],
  // Every response below 500, except a refusal of the key, proves that the provider works.
  websearch: ["slow", "garbage", "nonsense", "429"],
  analytics: ["slow"],
  media: TROUBLES,
};

const config = parseConfig({
  ROUTER_API_URL: "http://router.test",
  ROUTER_API_KEY: "key-router",
  ROUTER_MANAGEMENT_KEY: "key-management",
  OCR_API_URL: "http://ocr.test",
  OCR_API_KEY: "key-ocr",
  WEBSEARCH_API_URL: "http://websearch.test",
  WEBSEARCH_API_KEY: "key-websearch",
  MEDIA_API_URL: "http://media.test",
  MEDIA_API_KEY: "key-media",
  ANALYTICS_URL: "http://analytics.test",
});

const GOOD: Record<string, unknown> = {
  "/v1/key": { data: { limit_remaining: 7.5, usage: 2.25 } },
  "/v1/credits": { data: { total_credits: 10.1, total_usage: 9.9 } },
  "/v1/models": { data: [] },
  "/v1/account": { username: "house" },
  "/api/users/house/unused-credit": { unused_credit: "12.34" },
};

function fakeFetch(troubles: Partial<Record<Host, Trouble>>): typeof fetch {
  return async (input, init) => {
    const { hostname, pathname } = new URL(String(input));
    // The hosts above are all that the checks may ask.
    const host = hostname.replace(".test", "") as Host;
    assert.ok(HOSTS.includes(host), hostname);
    const isQuery = host === "analytics" && init?.body === "SELECT 1";
    // A request for the contents of no page: the provider refuses it, and charges nothing for an error.
    const isProbe = host === "websearch" && pathname === "/contents" && init?.body === "{}";
    if (!isQuery && !isProbe) {
      assert.equal(init?.method ?? "GET", "GET", "a check must not cost money");
    }
    const good = isQuery
      ? new Response("1\n")
      : isProbe
      ? Response.json({ error: "urls or ids" }, { status: 400 })
      : Response.json(GOOD[pathname] ?? {}, { status: pathname in GOOD ? 200 : 404 });
    const trouble = troubles[host];
    switch (trouble) {
      case "slow":
        // No timer: those of Deno 2.9.6 may wake late when others are cleared meanwhile.
        for (let turn = 0; turn < 50; turn++) await null;
        return good;
      case "hung":
        return await new Promise(() => {});
      case "reset":
        throw new TypeError("fetch failed: a secret of key-router");
      case "garbage":
        return new Response("<html>not json");
      case "nonsense":
        return Response.json({ data: { message: "an answer to another question" } });
      case undefined:
        return good;
      default:
        return new Response("denied", { status: Number(trouble) });
    }
  };
}

/** A database that responds at once: the speed of the real one does not matter to the pairs. */
const PROMPT: Pick<Deno.Kv, "get"> = {
  get: (key) => Promise.resolve({ key, value: null, versionstamp: null }),
};

Deno.test("every trouble of a dependency gives a report that is right in every field, and holds no secret", async () => {
  for (const host of HOSTS) {
    for (const trouble of [undefined, ...TROUBLES]) {
      const told = `${host}: ${trouble}`;
      const fetch = fakeFetch(trouble === undefined ? {} : { [host]: trouble });
      const clickHouse = openClickHouse(config, fetch);
      const limits = holdLimits();
      const startLimit = limits.start;
      const checks = createChecks({ config, kv: PROMPT, fetch, clickHouse, startLimit });
      const running = runChecks(checks);
      // All work that does not hang is done by then: none of it waits for a timer or for another process.
      await setImmediate();
      const findings = await limits.lapseDuring(LIMIT_MILLISECONDS, running);
      const { status, database, router, ocr, websearch, analytics, timestamp, ...figures } =
        buildRecord(findings, null, 0);
      const isUp = trouble === undefined || STILL_UP[host].includes(trouble);
      const down = Object.entries({ database, router, ocr, websearch, analytics })
        .filter(([, isUp]) => !isUp).map(([name]) => name);
      assert.deepEqual([status, down], isUp ? ["up", []] : ["down", [host]], told);
      const knows = (of: Host) => host !== of || trouble === undefined || trouble === "slow";
      const [ofRouter, ofMedia] = [knows("router"), knows("media")];
      assert.deepEqual([timestamp, figures], [0, {
        keyUsage: ofRouter ? 2.25 : undefined,
        dailyKeyUsageRemaining: ofRouter ? 7.5 : undefined,
        keyLimitRemaining: ofRouter ? 7.5 : undefined,
        balanceRemaining: ofRouter ? 0.2 : undefined,
        mediaUnusedCredit: ofMedia ? 12.34 : undefined,
      }], told);
      // ClickHouse's own message contains no secret, and the operator needs it.
      const refused = /^ClickHouse answered status (401|403|429|500): denied$/;
      const isRefused = host === "analytics" && /^\d/.test(trouble ?? "");
      assert.equal(refused.test(findings.analytics.reason ?? ""), isRefused, told);
      assert.ok(!/key-|secret/.test(Deno.inspect(findings, { depth: 9 })), told);
    }
  }
});

Deno.test("a figure is a number or the text of one; anything else is not a figure", async () => {
  for (const value of ["soon", "", " ", "Infinity", null, true, [1], { usage: 1 }]) {
    const fetch: typeof globalThis.fetch = async (input, init) =>
      String(input).endsWith("/v1/key")
        ? Response.json({ data: { limit_remaining: value, usage: "2.25" } })
        : await fakeFetch({})(input, init);
    const checks = createChecks({ config, kv: PROMPT, fetch, clickHouse: null });
    const { router } = await runChecks(checks);
    const limits = { dailyKeyUsageRemaining: undefined, keyLimitRemaining: undefined };
    assert.deepEqual(router.figures, { ...limits, keyUsage: 2.25 }, String(value));
  }
});
