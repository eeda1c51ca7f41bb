/** Deno Deploy: the meaning of its variables, and no spending on a database that may be lost. */

import assert from "node:assert/strict";
import { parseConfig } from "../../../lib/platform/config/config.ts";
import { readHosting } from "../../../lib/platform/config/hosting.ts";
import { row, startFoyer } from "../../support/foyer.ts";

/** The platform's variables for production, as in its documentation. */
const PRODUCTION = {
  DENO_DEPLOY: "true",
  DENO_DEPLOY_APP_SLUG: "events",
  DENO_DEPLOY_ORG_SLUG: "our-club",
  DENO_TIMELINE: "production",
};

Deno.test("the platform's variables say where the service runs", () => {
  const own = { isDenoDeploy: false, isSideTimeline: false, address: null, needsProof: false };
  const address = "https://events.our-club.deno.net";
  const production = { isDenoDeploy: true, isSideTimeline: false, address, needsProof: true };
  const { DENO_DEPLOY } = PRODUCTION;
  const DENO_KV_REQUIRES_DISTRIBUTED_DATABASE = "warn";
  const table = [
    [{}, own],
    [{ DENO_DEPLOY: " " }, own],
    [{ DENO_TIMELINE: "preview/x1y2", DENO_DEPLOY_APP_SLUG: "events" }, own],
    [{ DENO_KV_REQUIRES_DISTRIBUTED_DATABASE }, { ...own, needsProof: true }],
    [PRODUCTION, production],
    [{ ...PRODUCTION, DENO_TIMELINE: "git-branch/next" }, { ...production, isSideTimeline: true }],
    // A build.
    [{ DENO_DEPLOY }, { ...production, address: null }],
  ] as const;
  for (const [environment, expected] of table) {
    assert.deepEqual(readHosting(environment), expected, JSON.stringify(environment));
  }
});

Deno.test("on Deno Deploy the proxy is off until the database holds an account; the rest works", async () => {
  const signIn = { SIGN_IN_ISSUER: "https://id.example", SIGN_IN_CLIENT_ID: "foyer" };
  await using foyer = await startFoyer({ env: { ...PRODUCTION, ...signIn }, records: [row()] });
  const off: Readonly<Record<string, RequestInit>> = {
    "/proxy/v1/websearch/search": { method: "POST", body: '{"query":"bread"}' },
    "/proxy/v1/usage": {},
    "/proxy/v1/models": {},
  };
  for (const [path, init] of Object.entries(off)) {
    const response = await foyer.get(path, init);
    assert.equal(response.status, 500, path);
    const { error } = await response.json();
    assert.equal(error.type, "server_misconfigured");
    assert.match(
      error.message,
      /is off: .* assign a Deno KV database .* `deno task accounts create`/,
    );
  }
  // An account created by a sign-in would count as the proof.
  for (const path of ["/account/sign-in", "/account/callback", "/account//callback"]) {
    assert.match(await (await foyer.get(path)).text(), /no proof that/, path);
  }
  for (const path of ["/", "/api/v1/events", "/docs", "/up"]) {
    assert.equal((await foyer.get(path)).status, 200, path);
  }
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const accept = { headers: { accept: "application/json, text/event-stream" } };
  for (const [key, status] of [[null, 200], ["foyer_some", 500]] as const) {
    const response = await foyer.post("/mcp", key, ping, accept);
    assert.equal(response.status, status, "assistants without a key get the events");
  }
  const preflight = await foyer.get("/proxy/v1/usage", { method: "OPTIONS" });
  assert.ok(preflight.ok, "a browser gets to see the error");
  assert.match(await (await foyer.get("/status.md")).text(), /The AI proxy is off: .* lasts/);
  assert.ok(foyer.lines.some(({ level, message }) => level === "error" && /off/.test(message)));

  const member = await foyer.createMember();
  foyer.clock.now += 31_000;
  const search = await foyer.post("/proxy/v1/websearch/search", member.key, { query: "bread" });
  assert.equal(search.status, 200);
  assert.doesNotMatch(await (await foyer.get("/status.md")).text(), /proxy is off/);
});

Deno.test("a database that does not respond neither proves nor disproves", async () => {
  let isAway = true;
  await using foyer = await startFoyer({
    env: PRODUCTION,
    judge: ({ kind }) => kind === "read" && isAway ? "refuse" : "work",
  });
  const member = await foyer.createMember();
  const away = await foyer.get("/proxy/v1/models");
  assert.deepEqual([away.status, away.headers.get("retry-after")], [503, "5"]);
  isAway = false;
  const back = await foyer.post("/proxy/v1/websearch/search", member.key, { query: "bread" });
  assert.equal(back.status, 200);
});

Deno.test("without BASE_URL, links use the address that the platform gives the app, on previews too", () => {
  for (const DENO_TIMELINE of ["production", "git-branch/next", "preview/x1y2"]) {
    const { BASE_URL } = parseConfig({ ...PRODUCTION, DENO_TIMELINE });
    assert.equal(BASE_URL, "https://events.our-club.deno.net");
  }
  const given = parseConfig({ ...PRODUCTION, BASE_URL: "https://club.example" });
  assert.equal(given.BASE_URL, "https://club.example");
});
