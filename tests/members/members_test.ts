/** Members and their pages: who gets an account, how long a session lasts, which forms are accepted. */

import assert from "node:assert/strict";
import { getAccount, updateAccount } from "../../lib/accounts/account.ts";
import { PATHS, SEARCH } from "../proxy/proxy.ts";
import { find, parseHtml } from "../site/html.ts";
import { BASE_URL, startFoyer } from "../support/foyer.ts";
import type { Judge } from "../support/faulty_kv.ts";
import { openFolder } from "../support/folder.ts";
import { makeKey, openBrowser } from "../support/sign_in_browser.ts";
import { accountOf, everythingStored, isSignedIn, openMember, openSignIn } from "./world.ts";
import { madeBy } from "../support/made_by.ts";

const DAY = 86_400_000;

Deno.test("without SIGN_IN_ISSUER there is no trace of sign-in", async () => {
  await using foyer = await startFoyer();
  const missing = await foyer.answer("/nowhere");
  const text = (page: string) => page.replace(/[0-9a-f-]{36}/g, "");
  const expected = text(await missing.text());
  const paths = ["", "/sign-in", "/callback", "/sign-out", "/keys/x", "/sessions"];
  for (const path of [...paths, "/data.json", "/delete"]) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const response = await foyer.answer(`/account${path}`, { method });
      assert.equal(response.status, 404, `${method} ${path}`);
      assert.equal(response.headers.get("set-cookie"), null);
      if (method === "GET") assert.equal(text(await response.text()), expected, path);
    }
  }
  for (const path of ["/", "/docs/proxy", "/llms.txt", "/sitemap.xml", "/nowhere"]) {
    assert.doesNotMatch(await (await foyer.answer(path)).text(), /\/account\b|[Ss]ign in/, path);
  }
});

Deno.test("a visitor who is not signed in has one button, which names the provider as people know it", async () => {
  const table = {
    "https://accounts.google.com": "Google",
    "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0": "Microsoft",
    "https://login.harbour.example/realms/members": "login.harbour.example",
  };
  for (const [SIGN_IN_ISSUER, name] of Object.entries(table)) {
    const rule = { SIGN_IN_ADMIT: "sub=*" };
    await using foyer = await startFoyer({
      env: {
        SIGN_IN_ISSUER,
        SIGN_IN_CLIENT_ID: "foyer",
        SIGN_IN_CLIENT_SECRET: "s".repeat(20),
        ...rule,
      },
    });
    const all = parseHtml(await (await foyer.answer("/account")).text());
    const buttons = [...find(all, "a", "plain-button"), ...find(all, "button")];
    assert.deepEqual(buttons.map(({ text }) => text), [`Sign in with ${name}`]);
  }
});

Deno.test("a person who is admitted gets one account, and no more of the person is stored than it needs", async () => {
  await using world = await openSignIn();
  const { foyer, identity, issuer } = world;
  const ada = world.browser();
  const claims = { email: "ada@example.org", picture: "https://example.org/ada.png" };
  identity.faults.push({ kind: "token", path: "/token", claims });
  await ada.signIn("person-ada");
  const id = accountOf(world);
  assert.deepEqual(await getAccount(foyer.kv, id), {
    version: 1,
    id,
    name: "Ada",
    limitNanoUsd: null,
    banned: false,
    verified: true,
    createdAt: foyer.clock.now,
    owner: { issuer, subject: "person-ada" },
  });
  assert.doesNotMatch(await everythingStored(world), /example\.org|127\.0\.0\.1(?!:)/);

  // The name and the verification are those of the last sign-in.
  const again = { name: "  Ada\u0007 \n Lovelace ", verification_status: "rejected" };
  identity.faults.push({ kind: "token", path: "/token", claims: again });
  await Promise.all([world.browser().signIn("person-ada")]);
  const { name, verified } = await getAccount(foyer.kv, id) ?? {};
  assert.deepEqual([accountOf(world), name, verified], [id, "Ada Lovelace", false]);

  const both = [world.browser(), world.browser()];
  await Promise.all(both.map((browser) => browser.signIn("person-olga")));
  const accounts = await Array.fromAsync(foyer.kv.list({ prefix: ["account"] }));
  assert.equal(accounts.length, 2, "two first sign-ins at once make one account");
});

Deno.test("a person who is not admitted gets no account, and loses an existing one's access; who is not verified sees why the keys are refused", async () => {
  await using world = await openSignIn();
  const { foyer, identity } = world;
  const eve = world.browser();
  const refused = await eve.signIn("person-eve");
  assert.equal(refused.status, 403);
  assert.match(await refused.text(), /not admitted/);
  assert.deepEqual(await Array.fromAsync(foyer.kv.list({ prefix: ["account"] })), []);

  const ada = world.browser();
  await ada.signIn("person-ada");
  const { key } = await makeKey(ada);
  const search = async () => (await (await foyer.post(PATHS.search, key, SEARCH)).json()).code;
  assert.equal(await search(), undefined);
  identity.faults.push({ kind: "token", path: "/token", claims: { groups: [] } });
  assert.equal((await world.browser().signIn("person-ada")).status, 403);
  assert.equal(await isSignedIn(ada), false, "the other session has ended");
  foyer.clock.now += 5_001;
  assert.equal(await search(), "forbidden");
  await ada.signIn("person-ada");
  foyer.clock.now += 5_001;
  assert.equal(await search(), undefined);
  await foyer.services.ledger.flush();

  const ben = world.browser();
  await ben.signIn("person-ben");
  assert.match(await (await ben.get("/account")).text(), /identity is not verified/);
  assert.equal((await foyer.post(PATHS.search, (await makeKey(ben)).key, SEARCH)).status, 403);
});

Deno.test("a session is a random token of which a digest is stored, and ends by idleness, age or its owner", async () => {
  await using world = await openSignIn();
  const { foyer } = world;
  const ada = world.browser();
  const signedIn = await ada.signIn("person-ada");
  const [cookie = ""] = signedIn.headers.getSetCookie().filter((each) => /_session=./.test(each));
  assert.match(
    cookie,
    /^__Host-foyer_session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  const token = ada.cookies.get("__Host-foyer_session") ?? "";
  assert.ok(!(await everythingStored(world)).includes(token));
  assert.equal(ada.cookies.has("__Host-foyer_attempt"), false);

  await ada.signIn("person-ada");
  const old = world.browser();
  old.cookies.set("__Host-foyer_session", token);
  assert.equal(await isSignedIn(old), false, "a new sign-in replaces the browser's session");
  const alone = await (await ada.get("/account")).text();
  assert.match(alone, /No requests yet/);
  assert.doesNotMatch(alone, /Sign out everywhere else/);

  const stored = await everythingStored(world);
  foyer.clock.now += 600_000;
  assert.equal(await isSignedIn(ada), true);
  assert.equal(await everythingStored(world), stored, "a request within ten minutes is not noted");

  // A session ends after three days without use, or after fourteen days.
  for (let days = 0; days < 13; days += 2.5) {
    assert.equal(await isSignedIn(ada), true, `${days} days`);
    foyer.clock.now += 2.5 * DAY;
  }
  assert.equal(await isSignedIn(ada), false, "after 15 days");
  await ada.signIn("person-ada");
  foyer.clock.now += 3 * DAY;
  assert.equal(await isSignedIn(ada), false, "after three idle days");

  const others = [world.browser(), world.browser(), world.browser()] as const;
  for (const browser of others) {
    foyer.clock.now += 1_000;
    await browser.signIn("person-ada");
  }
  const page = await (await others[2].get("/account")).text();
  assert.match(page, /this browser/);
  assert.match(page, /Sign out everywhere else/);
  const ending = page.match(/name="session" value="[\w-]{12}"/g);
  assert.equal(ending?.length, 2, "the two other sessions that last can be ended");
  const [id = ""] = /name="session" value="([\w-]{12})"/.exec(page)?.slice(1) ?? [];
  await others[2].post("/account", { session: id });
  assert.deepEqual(await Promise.all(others.map(isSignedIn)), [true, false, true]);
  await others[2].post("/account", { session: "others" });
  assert.deepEqual(await Promise.all(others.map(isSignedIn)), [false, false, true]);
  await others[2].post("/account/sign-out");
  assert.equal(others[2].cookies.has("__Host-foyer_session"), false);
  assert.equal(await isSignedIn(others[2]), false);
});

Deno.test("an end, a ban, a withdrawn admission and a deletion take effect at once in every process", async () => {
  await using folder = await openFolder();
  const kvPath = `${folder.path}/kv.sqlite3`;
  await using world = await openSignIn({}, { kvPath });
  const env = { SIGN_IN_ISSUER: world.issuer, SIGN_IN_CLIENT_ID: "foyer-test" };
  await using other = await startFoyer({ kvPath, now: world.foyer.clock.now, env });
  const ada = world.browser();
  const there = openBrowser(other.answer, world.issuer, BASE_URL);
  const arrive = async (from?: string) => {
    await ada.signIn("person-ada", from);
    for (const [name, value] of ada.cookies) there.cookies.set(name, value);
    assert.equal(await isSignedIn(there), true);
  };
  await arrive();
  await updateAccount(world.foyer.kv, accountOf(world), { banned: true }, madeBy());
  for (const browser of [ada, there]) {
    const banned = await browser.get("/account");
    assert.equal(banned.status, 403);
    const page = await banned.text();
    assert.match(page, /is banned/);
    assert.doesNotMatch(page, /Go to your account/, "it leads in no circle");
    assert.match(page, /action="\/account\/sign-out"/);
    assert.equal((await browser.post("/account", { expires: "90" })).status, 403);
  }
  await updateAccount(world.foyer.kv, accountOf(world), { banned: false }, madeBy());
  assert.equal(await isSignedIn(there), true);
  await ada.post("/account/sign-out");
  assert.equal(await isSignedIn(there), false);

  await arrive();
  const claims = { groups: [] };
  world.identity.faults.push({ kind: "token", path: "/token", claims });
  assert.equal((await world.browser().signIn("person-ada")).status, 403);
  assert.equal(await isSignedIn(there), false, "the person is no longer admitted");
  await arrive("/account/sign-in?for=delete");
  await ada.post("/account/delete");
  assert.equal(await isSignedIn(there), false, "the account is deleted");
});

Deno.test("a database that cannot be written is 503 on members' pages, and opens no session", async () => {
  const fault = { reason: "", isOfReads: false };
  const judge: Judge = ({ kind }) => {
    if (fault.reason !== "" && (kind === "commit" || fault.isOfReads)) {
      throw new Error(fault.reason);
    }
    return "work";
  };
  await using world = await openMember({}, { judge });
  const { ada } = world;
  const { address } = await makeKey(ada);
  fault.reason = "disk I/O error";
  const refused = await world.browser().signIn("person-ada");
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get("cache-control"), "private, no-store");
  assert.doesNotMatch(`${refused.headers.getSetCookie()}`, /session/);
  const headers = { accept: "text/markdown" };
  const changed = await ada.post(address, { action: "revoke" }, headers);
  assert.equal(changed.status, 503);
  assert.match(await changed.text(), /check whether the change was made/);
  fault.isOfReads = true;
  const seen = await ada.get(address, { headers });
  assert.equal(seen.status, 503);
  assert.match(await seen.text(), /Try again in a minute/, "a page that is read changes nothing");
  fault.isOfReads = false;
  fault.reason = "a fault of the code";
  assert.equal((await world.browser().signIn("person-ada")).status, 500);
  fault.reason = "";
  assert.equal(await isSignedIn(ada), true);
});

Deno.test("a form that another site sends changes nothing, and a visitor's leads to the sign-in page; no member's page is cached", async () => {
  await using world = await openMember();
  const { ada } = world;
  const { address } = await makeKey(ada);
  const forms: [string, Record<string, string>][] = [
    ["/account", { expires: "90", endpoint: "search" }],
    [address, { action: "revoke" }],
    ["/account", { session: "others" }],
    ["/account/sign-out", {}],
    ["/account/delete", {}],
  ];
  const before = await everythingStored(world);
  const foreign: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site", "origin": "https://evil.example" },
    { "sec-fetch-site": "same-site", "origin": "https://evil.foyer.example" },
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "" },
    { "sec-fetch-site": "SAME-ORIGIN" },
    { origin: "http://foyer.example" },
    { origin: `${BASE_URL}:444` },
    { origin: `${BASE_URL}.evil.example` },
  ];
  for (const [path, fields] of forms) {
    for (const headers of foreign) {
      const refused = await ada.post(path, fields, headers);
      assert.equal(refused.status, 403, path);
      assert.deepEqual(refused.headers.getSetCookie(), [], path);
    }
    const sent = await world.browser().post(path, fields);
    assert.equal(sent.headers.get("location"), "/account", path);
  }
  assert.equal(await everythingStored(world), before);
  const ours: Record<string, string>[] = [
    {},
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "same-origin", "origin": BASE_URL },
    { origin: BASE_URL },
    // A proxy in front may show the browser another origin than the service has.
    { "sec-fetch-site": "cross-site", "origin": BASE_URL },
  ];
  for (const headers of ours) {
    const taken = await ada.post(address, { action: "rename", label: "mine" }, headers);
    assert.equal(taken.status, 303, JSON.stringify(headers));
  }
  for (const path of ["/account", address, "/account/data.json", "/account/delete"]) {
    const page = await ada.get(path);
    assert.equal(page.status, 200, path);
    assert.equal(page.headers.get("etag"), null, path);
    const led = await world.browser().get(path);
    if (path !== "/account") assert.equal(led.headers.get("location"), "/account", path);
    for (const response of [page, led]) {
      assert.equal(response.headers.get("cache-control"), "private, no-store", path);
    }
  }
});

Deno.test("no public page, feed or answer of an API varies by a cookie", async () => {
  await using world = await openMember();
  const { ada, foyer } = world;
  const { key } = await makeKey(ada);
  const pages = "/ /follow /docs /docs/proxy /docs/security /usage /status /favicon.svg /nowhere";
  const files = "/llms.txt /robots.txt /sitemap.xml /feed.atom /feed.json /calendar.ics";
  const apis = "/api/v1/events /api/v1/events/rss /api/v1/openapi.json /api/v1/docs " +
    "/proxy/v1/models /proxy/v1/usage /api/v1/nowhere";
  const paths = `${pages} ${files} ${apis}`.split(" ");
  const cookie = [...ada.cookies].map((pair) => pair.join("=")).join("; ");
  assert.notEqual(cookie, "");
  for (const path of paths) {
    for (
      const keyed of path.startsWith("/proxy") ? [{}, { authorization: `Bearer ${key}` }] : [{}]
    ) {
      const seen = async (headers: Record<string, string>) => {
        const response = await foyer.answer(path, { headers });
        const fields = new Headers(response.headers);
        fields.delete("x-request-id");
        const body = (await response.text()).replace(/[0-9a-f-]{36}/g, "");
        return { status: response.status, fields: Object.fromEntries(fields), body };
      };
      const without = await seen(keyed);
      assert.deepEqual(await seen({ ...keyed, cookie }), without, path);
      assert.equal(without.fields["set-cookie"], undefined, path);
      assert.doesNotMatch(without.fields["vary"] ?? "", /cookie/i, path);
    }
  }
});
