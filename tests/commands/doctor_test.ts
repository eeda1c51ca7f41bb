/** `doctor`: its report on a healthy installation, and on each fault. */

import assert from "node:assert/strict";
import type { Finding, Installation } from "../../lib/operate/doctor.ts";
import { PROVIDER_KEYS, row, startFoyer } from "../support/foyer.ts";
import { runJobs } from "../support/run_jobs.ts";
import { callTool } from "./desk.ts";

/** Calls the doctor, which must open no workplace: the configuration may be what is wrong. */
async function call(installation: Installation, ...args: string[]) {
  const { code, out, err } = await callTool("doctor", args, null, installation);
  assert.equal(err, "");
  return { code, out: out.trimEnd() };
}

/** Returns the findings by name, the last of each. */
async function examine(world: Installation) {
  const { code, out } = await call(world, "--json");
  const findings: Finding[] = JSON.parse(out);
  return {
    code,
    findings,
    said: new Map(findings.map(({ name, state, sentence }) => [name, `${state}: ${sentence}`])),
    failed: findings.filter(({ state }) => state === "failed").map(({ name }) => name),
  };
}

/** A healthy installation, seen from its operator's machine. */
async function setUp() {
  const foyer = await startFoyer({ now: Date.now(), records: [row()] });
  await foyer.createMember();
  await runJobs(foyer.services);
  const environment = {
    KV_PATH: "https://kv.example/connect",
    DENO_KV_ACCESS_TOKEN: "ddo_test",
    BASE_URL: foyer.origin,
    AIRTABLE_API_URL: "http://store.example",
    AIRTABLE_TOKEN: "patTest.secret",
    AIRTABLE_BASE_ID: "appTest",
    WEBSEARCH_API_URL: foyer.services.config.WEBSEARCH_API_URL,
    WEBSEARCH_API_KEY: PROVIDER_KEYS.websearch,
  };
  return {
    foyer,
    environment,
    denoVersion: "2.9.6",
    // The test closes it.
    openKv: () => Promise.resolve(Object.assign(foyer.kv, { [Symbol.dispose]() {} })),
    fetch: (...[input, init]: Parameters<typeof fetch>) =>
      String(input).startsWith("http://store.example/")
        ? foyer.store.substitute(input, init)
        : fetch(input, init),
    now: Date.now,
    [Symbol.asyncDispose]: () => foyer[Symbol.asyncDispose](),
  };
}

Deno.test("an installation that is well has a line for each part, and exit code 0", async () => {
  await using world = await setUp();
  const { code, findings, said, failed } = await examine(world);
  assert.deepEqual([failed, code], [[], 0], JSON.stringify(findings, null, 1));
  const parts = ["deno", "configuration", "database", "events store", "Web search", "service"];
  for (const name of [...parts, "same database", "job “check health”"]) {
    assert.match(said.get(name) ?? "missing", /^ok: /, name);
  }
  assert.ok(!said.has("Model lists"), "their source is not watched");
  assert.ok(!JSON.stringify(findings).includes(PROVIDER_KEYS.websearch));
  assert.ok(!JSON.stringify(findings).includes("ddo_test"));
  // For people: a line for each finding.
  assert.equal((await call(world)).out.split("\n").length, findings.length);
});

Deno.test("each thing that is wrong fails by name, with exit code 1: a part, another database, a job, a provider", async () => {
  await using world = await setUp();
  const by = (change: Record<string, string>) => ({
    environment: { ...world.environment, ...change },
  });
  const openKv = () => Promise.reject(new Error("KV_PATH: no such"));
  const table: [name: string, expected: RegExp, change: Partial<Installation>][] = [
    ["deno", /This is Deno 2.6.9. Foyer needs Deno 2.7/, { denoVersion: "2.6.9" }],
    ["configuration", /PORT: expected/, by({ PORT: "http" })],
    ["database", /KV_PATH: no such/, { openKv }],
    ["events store", /AIRTABLE_TOKEN is not a valid token/, by({ AIRTABLE_TOKEN: "other" })],
    ["Web search", /it refuses our key: 401/, by({ WEBSEARCH_API_KEY: "other" })],
    ["service", /cannot be examined/, by({ BASE_URL: "http://127.0.0.1:1" })],
  ];
  for (const [name, expected, change] of table) {
    const { code, said, failed } = await examine({ ...world, ...change });
    assert.match(said.get(name) ?? "missing", expected, `${name}: ${JSON.stringify([...said])}`);
    assert.ok(failed.includes(name) && code === 1, name);
  }
  const { AIRTABLE_BASE_ID: _baseId, ...environment } = world.environment;
  const { said, failed } = await examine({ ...world, environment });
  assert.match(said.get("events store") ?? "", /^unknown: .*none is set here/);
  assert.deepEqual([said.get("Events"), failed], ["unknown: not configured", []]);

  using other = await Deno.openKv(":memory:");
  const elsewhere = await examine({ ...world, openKv: () => Promise.resolve(other) });
  assert.match(elsewhere.said.get("database") ?? "", /^warning: .*accounts create <name>/);
  const sentence = elsewhere.said.get("same database") ?? "";
  assert.match(sentence, /production's \(its name ends in -production\)/);
  assert.deepEqual(elsewhere.failed, ["same database"]);

  const { foyer } = world;
  const run = () => Promise.reject(new Error("no store"));
  foyer.clock.now += 60_000;
  await runJobs(foyer.services, [{ name: "refresh events", limitSeconds: 1, run }]);
  foyer.websearch.faults.push({ kind: "status", status: 500, sticky: true });
  const late = await examine(world);
  assert.match(late.said.get("job “refresh events”") ?? "", /^failed: failed, .* ago: no store/);
  assert.match(late.said.get("Web search") ?? "", /: status 500/);
  const ours = late.failed.filter((name) => /^(?:job|Web)/.test(name));
  assert.deepEqual(ours, ["Web search", "job “refresh events”"]);
});

Deno.test("a file of the look that cannot be used is named, and those that can are said to be", async () => {
  const harbour = "lib/sandbox/data/harbour";
  const cases: readonly [change: Record<string, string>, said: RegExp][] = [
    [
      { SITE_LOGO: `${harbour}/logo.svg`, SITE_FONT: `${harbour}/fraunces.woff2` },
      /^ok: .*: SITE_LOGO, SITE_FONT\./,
    ],
    [{ SITE_LOGO: "no-such-logo.svg" }, /^warning: SITE_LOGO .*there is no such file/],
    [
      { SITE_ICON: "static/icon-192.png" },
      /^warning: SITE_ICON .*must be square, and at least 512/,
    ],
    [{ SITE_LOGO: "https://localhost/logo" }, /^warning: SITE_LOGO .*address may not be fetched/],
  ];
  await using world = await setUp();
  for (const [change, said] of cases) {
    const environment = { ...world.environment, ...change };
    const findings = await examine({ ...world, environment });
    assert.match(findings.said.get("look") ?? "missing", said);
  }
});

Deno.test("the identity provider is examined for its issuer, and for the claims that will be needed of it", async () => {
  await using world = await setUp();
  const issuer = "https://id.example/realms/x";
  const metadata = (members: Record<string, unknown>) => ({
    ...world,
    environment: {
      ...world.environment,
      BASE_URL: "http://localhost:8000",
      SIGN_IN_ISSUER: issuer,
      SIGN_IN_CLIENT_ID: "foyer",
      SIGN_IN_SCOPES: "openid email",
      SIGN_IN_OPERATORS: "email=ada@example.org",
    },
    fetch: (...[input, init]: Parameters<typeof fetch>) =>
      String(input) === `${issuer}/.well-known/openid-configuration`
        ? Promise.resolve(Response.json(members))
        : world.fetch(input, init),
  });
  const table: [members: Record<string, unknown>, ...sentences: RegExp[]][] = [
    [{ issuer }, /^ok: .* is the issuer/],
    [{ issuer, claims_supported: ["auth_time", "email_verified"] }, /^ok/],
    [{ issuer: `${issuer}/` }, /^failed: SIGN_IN_ISSUER differs/],
    [
      { issuer, claims_supported: ["sub", "email"] },
      /^ok/,
      /^warning: .*auth_time.*SIGN_IN_PASSWORD_PROOF=off/,
      /^warning: .*email_verified.*SIGN_IN_TRUST_EMAIL=on/,
    ],
  ];
  for (const [members, ...sentences] of table) {
    const found = (await examine(metadata(members))).findings
      .filter(({ name }) => name === "sign-in").map(({ state, sentence }) =>
        `${state}: ${sentence}`
      );
    assert.equal(found.length, sentences.length, found.join("\n"));
    for (const [at, sentence] of sentences.entries()) assert.match(found[at] ?? "", sentence);
  }
});
