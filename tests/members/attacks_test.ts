/** Faults and attacks between the service, the browser and the identity provider: none of them leads to a session. */

import assert from "node:assert/strict";
import type { IdentityFault } from "../../lib/sandbox/identity.ts";
import { PROVIDER_LIMIT_MILLISECONDS } from "../../lib/members/internal/provider.ts";
import type { Browser } from "../support/sign_in_browser.ts";
import { until } from "../support/until.ts";
import { isSignedIn, openSignIn, type SignInWorld } from "./world.ts";

const ADA = "person-ada";

async function countSessions({ foyer: { kv } }: SignInWorld): Promise<number> {
  return (await Array.fromAsync(kv.list({ prefix: ["session"] }))).length;
}

/** Fails unless a response is an error page with a status and code, and no session has begun. */
async function assertRefused(
  answer: Response | Promise<Response>,
  status: number,
  code: string,
  browser: Browser,
  what: string,
): Promise<string> {
  const response = await answer;
  const text = await response.text();
  assert.equal(response.status, status, `${what}: ${text.slice(0, 300)}`);
  assert.match(text, new RegExp(`/docs/errors#${code}"`), what);
  assert.match(text, /href="\/account"/, what);
  assert.equal(response.headers.get("cache-control"), "private, no-store", what);
  assert.deepEqual(response.headers.getSetCookie().filter((each) => /session/.test(each)), []);
  assert.equal(await isSignedIn(browser), false, what);
  return text;
}

Deno.test("a callback is accepted once, for its own browser and attempt", async () => {
  await using world = await openSignIn();
  const { foyer } = world;
  const ada = world.browser();

  const path = await ada.goToProvider(ADA);
  const doubled = await Promise.all([ada.get(path), ada.get(path)]);
  assert.deepEqual(doubled.map(({ status }) => status), [303, 303], "doubled");
  assert.equal(await countSessions(world), 1);
  assert.equal(world.identity.asked.get("/token"), 1);
  assert.equal((await ada.get("/account")).status, 200);
  const back = await ada.get(path);
  assert.deepEqual([back.status, back.headers.get("location")], [303, "/account"], "by Back");
  assert.deepEqual(back.headers.getSetCookie(), []);
  assert.equal(await countSessions(world), 1, "replayed by the same browser");
  await ada.post("/account/sign-out");
  await assertRefused(ada.get(path), 400, "bad_request", ada, "replayed after the end");

  const other = world.browser();
  await assertRefused(other.get(path), 400, "bad_request", other, "replayed by another");

  const eve = world.browser();
  const crossed = await eve.goToProvider(ADA);
  await other.goToProvider("person-olga");
  await assertRefused(other.get(crossed), 400, "bad_request", other, "crossed");

  const slow = world.browser();
  const late = await slow.goToProvider(ADA);
  foyer.clock.now += 601_000;
  await assertRefused(slow.get(late), 400, "bad_request", slow, "expired");

  const tabs = world.browser();
  const begun = [await tabs.begin("/account/sign-in?for=delete"), await tabs.begin()];
  const finished: Response[] = [];
  for (const address of begun) finished.push(await tabs.get(await tabs.choose(ADA, address)));
  const locations = finished.map(({ headers }) => headers.get("location"));
  assert.deepEqual(locations, ["/account/delete", "/account"], "both tabs finish");
  assert.equal(await countSessions(world), 1, "the later one replaces the session of the other");
  assert.deepEqual([...tabs.cookies.keys()], ["__Host-foyer_session"]);
});

Deno.test("an altered callback is refused, and so is a person who does not consent, with a clear error", async () => {
  await using world = await openSignIn();
  const browser = world.browser();
  const text = await assertRefused(browser.signIn(""), 403, "forbidden", browser, "no consent");
  assert.match(text, /did not consent/);
  const path = await browser.goToProvider(ADA);
  const { search } = new URL(path, "https://foyer.example");
  const change = (edit: (given: URLSearchParams) => void) => {
    const given = new URLSearchParams(search);
    edit(given);
    return `/account/callback?${given}`;
  };
  const changed = [
    "/account/callback",
    change((given) => given.delete("state")),
    change((given) => given.set("state", "x")),
    change((given) => given.append("state", given.get("state") ?? "")),
    change((given) => given.append("code", "other")),
    change((given) => given.set("iss", "https://evil.example")),
  ];
  for (const each of changed) {
    await assertRefused(browser.get(each), 400, "bad_request", browser, each);
  }
  assert.equal(world.identity.asked.get("/token"), undefined, "no code was exchanged");
  const withoutCode = change((given) => given.delete("code"));
  await assertRefused(browser.get(withoutCode), 502, "upstream_error", browser, withoutCode);
  const guessed = change((given) => given.set("code", "guessed"));
  await assertRefused(browser.get(guessed), 400, "bad_request", browser, guessed);
  assert.equal(await countSessions(world), 0);
});

Deno.test("each attempt has its own state, nonce and PKCE challenge, and accepts no code of another", async () => {
  await using world = await openSignIn();
  const seen = new Set<string>();
  for (let attempt = 0; attempt < 2; attempt++) {
    const begun = await world.browser().get("/account/sign-in");
    const { searchParams } = new URL(begun.headers.get("location") ?? "");
    assert.equal(searchParams.get("response_type"), "code");
    assert.equal(searchParams.get("code_challenge_method"), "S256");
    for (const name of ["state", "nonce", "code_challenge"]) {
      const value = searchParams.get(name) ?? "";
      assert.match(value, /^[\w-]{43}$/, name);
      seen.add(value);
    }
  }
  assert.equal(seen.size, 6);

  // The code of a victim, put into the way back of an attempt that the attacker began.
  const queryOf = (path: string) => new URL(path, "https://foyer.example").searchParams;
  const stolen = queryOf(await world.browser().goToProvider(ADA)).get("code") ?? "";
  const eve = world.browser();
  const own = queryOf(await eve.goToProvider("person-olga"));
  own.set("code", stolen);
  const answer = eve.get(`/account/callback?${own}`);
  await assertRefused(answer, 400, "bad_request", eve, "a stolen code");
  assert.equal(await countSessions(world), 0);
});

Deno.test("a planted or doubled session opens nothing, and no member can end another's", async () => {
  await using world = await openSignIn();
  const name = "__Host-foyer_session";
  const planted = "A".repeat(43);
  const ada = world.browser();
  ada.cookies.set(name, planted);
  await ada.signIn(ADA);
  assert.notEqual(ada.cookies.get(name), planted);
  const eve = world.browser();
  eve.cookies.set(name, planted);
  assert.equal(await isSignedIn(eve), false);

  const olga = world.browser();
  await olga.signIn("person-olga");
  const tossed = world.browser();
  tossed.cookies.set(name, `${ada.cookies.get(name)}; ${name}=${olga.cookies.get(name)}`);
  assert.equal(await isSignedIn(tossed), false);

  const { kv } = world.foyer;
  for await (const { value } of kv.list<{ id: string }>({ prefix: ["session"] })) {
    await olga.post("/account", { session: value.id });
  }
  assert.deepEqual([await isSignedIn(ada), await isSignedIn(olga)], [true, false]);
});

Deno.test("a token that is not the provider's, not for us, not for this attempt or not for now opens nothing", async () => {
  await using world = await openSignIn();
  const { foyer, identity } = world;
  const seconds = Math.floor(foyer.clock.now / 1000);
  const token = (claims: Record<string, unknown>): IdentityFault => ({ kind: "token", claims });
  const faults: Readonly<Record<string, IdentityFault>> = {
    "another issuer": token({ iss: "https://evil.example" }),
    "another audience": token({ aud: "another-client" }),
    "several audiences and no party": token({ aud: ["foyer-test", "another-client"] }),
    "another nonce": token({ nonce: "x" }),
    "an empty nonce": token({ nonce: "" }),
    "no nonce": token({ nonce: undefined }),
    "expired": token({ exp: seconds - 120 }),
    "not yet valid": token({ nbf: seconds + 120 }),
    "no subject": token({ sub: undefined }),
    "no expiry": token({ exp: undefined }),
    "the subject of another": token({ sub: "person-olga" }),
    "alg: none": { kind: "token", signature: "none" },
    "another's key": { kind: "token", signature: "foreign" },
  };
  for (const [what, fault] of Object.entries(faults)) {
    const browser = world.browser();
    identity.faults.push({ ...fault, path: "/token" });
    const text = await assertRefused(browser.signIn(ADA), 502, "upstream_error", browser, what);
    assert.ok(!/jwt|nonce|issuer|eyJ/i.test(text), what);
  }
  assert.equal(await countSessions(world), 0);
  assert.deepEqual(await Array.fromAsync(foyer.kv.list({ prefix: ["account"] })), []);
  assert.ok(
    foyer.lines.some(({ level, message }) => level === "error" && /provider/.test(message)),
  );
  const leaks = foyer.logged.filter((line) => /eyJ|person-ada/.test(line));
  assert.deepEqual(leaks, [], "no token is logged");
});

Deno.test("clocks may differ by a minute, and the provider's metadata and keys are kept", async () => {
  await using world = await openSignIn();
  const { foyer, identity } = world;
  const seconds = Math.floor(foyer.clock.now / 1000);
  const sign = async () => (await world.browser().signIn(ADA)).status;
  assert.equal(await sign(), 303);
  for (const skew of [-50, 50]) {
    const claims = { iat: seconds + skew, nbf: seconds + skew, exp: seconds + skew };
    identity.faults.push({ kind: "token", path: "/token", claims });
    assert.equal(await sign(), 303, `${skew}`);
  }
  assert.equal(identity.asked.get("/jwks"), 1);
  assert.equal(identity.asked.get("/.well-known/openid-configuration"), 1);
});

Deno.test("the provider is to ask for the password again, and to prove it, where a deletion or a change follows, and only there", async () => {
  await using world = await openSignIn();
  const asked = async (query: string) => {
    const begun = await world.browser().get(`/account/sign-in${query}`);
    const { searchParams } = new URL(begun.headers.get("location") ?? "");
    return [searchParams.get("max_age"), searchParams.get("claims")];
  };
  const again = ["0", '{"id_token":{"auth_time":{"essential":true}}}'];
  const queries = ["", "?for=delete", "?for=desk", "?for=desk/setup/backup"];
  const expected = [[null, null], again, again, again];
  assert.deepEqual(await Promise.all(queries.map(asked)), expected);
});

Deno.test("only a signed time after the attempt proves that the provider asked again, whatever the browser did to the request", async () => {
  for (const SIGN_IN_PASSWORD_PROOF of ["on", "off"]) {
    await using world = await openSignIn({ SIGN_IN_PASSWORD_PROOF });
    const { foyer, identity } = world;
    const seconds = Math.floor(foyer.clock.now / 1000);
    // The library refuses what is no number, as it does any malformed token.
    for (const auth_time of [null, String(seconds), true]) {
      const browser = world.browser();
      identity.faults.push({ kind: "token", path: "/token", claims: { auth_time } });
      await assertRefused(browser.signIn(ADA), 502, "upstream_error", browser, `${auth_time}`);
    }
    const table: [authTime: number | undefined, isProof: boolean][] = [
      [undefined, false],
      [seconds * 1000, false],
      [seconds - 61, false],
      [seconds - 59, true],
      [seconds, true],
      [seconds + 59, true],
      [seconds + 61, false],
    ];
    for (const [auth_time, isProof] of table) {
      const what = `${SIGN_IN_PASSWORD_PROOF} ${auth_time}`;
      for (const [purpose, location] of [["delete", "/account/delete"], ["desk", "/desk"]]) {
        const browser = world.browser();
        identity.faults.push({ kind: "token", path: "/token", claims: { auth_time } });
        const answer = browser.signIn("person-olga", `/account/sign-in?for=${purpose}`);
        if (isProof || SIGN_IN_PASSWORD_PROOF === "off") {
          assert.equal((await answer).headers.get("location"), location, what);
          continue;
        }
        const text = await assertRefused(answer, 403, "forbidden", browser, what);
        if (auth_time === undefined) assert.match(text, /SIGN_IN_PASSWORD_PROOF=off/, what);
      }
      const entering = world.browser();
      identity.faults.push({ kind: "token", path: "/token", claims: { auth_time } });
      assert.equal((await entering.signIn(ADA)).status, 303, `entering, ${what}`);
    }
  }
});

Deno.test("an address counts only with the verification of its own source, and the log names the test that failed", async () => {
  const rule = { SIGN_IN_ADMIT: "email=*@example.org", SIGN_IN_SCOPES: "openid profile email" };
  const email = "Ada@Example.ORG";
  const table: [
    trust: string,
    token: Record<string, unknown>,
    userinfo: Record<string, unknown>,
    fault: RegExp | null,
  ][] = [
    ["off", { email, email_verified: "true" }, {}, null],
    ["off", {}, { email, email_verified: true }, null],
    ["off", { email }, {}, /email counts only with email_verified/],
    ["off", { email }, { email: "ada@evil.example", email_verified: true }, /counts only with/],
    ["on", { email }, {}, null],
    ["on", { email, email_verified: false }, {}, /^email is not verified$/],
    ["on", { email: "ada@evil.example" }, {}, /^email has another value$/],
    ["on", {}, {}, /^email is not stated$/],
  ];
  for (const [SIGN_IN_TRUST_EMAIL, token, userinfo, fault] of table) {
    await using world = await openSignIn({ ...rule, SIGN_IN_TRUST_EMAIL });
    const { foyer, identity } = world;
    identity.faults.push({ kind: "token", path: "/token", claims: token });
    identity.faults.push({ kind: "members", path: "/me", members: userinfo });
    const { status } = await world.browser().signIn(ADA);
    assert.equal(status, fault === null ? 303 : 403, Deno.inspect([token, userinfo]));
    const line = foyer.lines.find(({ message }) => /not admitted by SIGN_IN_ADMIT/.test(message));
    if (fault !== null) assert.match(String(line?.properties["fault"]), fault);
    assert.ok(!foyer.logged.some((each) => /evil|Ada@/i.test(each)), "no value is logged");
  }
});

Deno.test("a provider that is down, slow, wrong or strict is reported, and delays no sign-in for long", async () => {
  await using world = await openSignIn();
  const { foyer, identity } = world;
  const browser = world.browser();
  const discovery = "/.well-known/openid-configuration";
  const begin = () => browser.get("/account/sign-in");
  const refused = (answer: Promise<Response>, status: number, code: string, what: string) =>
    assertRefused(answer, status, code, browser, what);

  const atDiscovery: readonly IdentityFault[] = [
    { kind: "reset" },
    { kind: "status", status: 503 },
    { kind: "members", members: { issuer: "https://evil.example" } },
  ];
  for (const fault of atDiscovery) {
    identity.faults.push({ ...fault, path: discovery });
    await refused(begin(), 502, "upstream_error", Deno.inspect(fault));
  }
  identity.faults.push({ kind: "hang", path: discovery });
  const asked = identity.asked.get(discovery) ?? 0;
  const waiting = [begin(), begin()];
  await until(() => identity.asked.get(discovery) === asked + 1);
  // A second read would begin meanwhile.
  await (await browser.get("/account")).text();
  await foyer.limits.expire(PROVIDER_LIMIT_MILLISECONDS);
  for (const each of waiting) await refused(each, 504, "upstream_timeout", "slow discovery");
  assert.equal(identity.asked.get(discovery), asked + 1, "one read at a time");

  for (const path of ["/token", "/jwks", "/me"]) {
    const back = await browser.goToProvider(ADA);
    identity.faults.push({ kind: "status", status: 500, path });
    await refused(browser.get(back), 502, "upstream_error", path);
  }
  const back = await browser.goToProvider(ADA);
  identity.faults.push({ kind: "hang", path: "/token" });
  const returning = browser.get(back);
  await foyer.limits.expire(PROVIDER_LIMIT_MILLISECONDS);
  await refused(returning, 504, "upstream_timeout", "slow token");
  assert.equal(await countSessions(world), 0);
});

Deno.test("a client that the provider does not know is reported as the operator's mistake", async () => {
  await using world = await openSignIn({ SIGN_IN_CLIENT_SECRET: "wrong" });
  const browser = world.browser();
  await assertRefused(browser.signIn(ADA), 500, "server_misconfigured", browser, "wrong secret");
  assert.ok(!world.foyer.logged.some((line) => line.includes("wrong")), "no secret is logged");
  assert.ok(world.foyer.logged.some((line) => line.includes("invalid_client")));
});

Deno.test("the client's secret goes in the way that the provider accepts: by Basic, unless its list lacks it", async () => {
  const table: [list: string[] | undefined, scheme: string][] = [
    [undefined, "Basic"],
    [["client_secret_post", "client_secret_basic"], "Basic"],
    [["private_key_jwt", "client_secret_post"], ""],
  ];
  for (const [list, scheme] of table) {
    await using world = await openSignIn();
    const members = { token_endpoint_auth_methods_supported: list };
    world.identity.faults.push({ kind: "members", members });
    assert.equal((await world.browser().signIn(ADA)).status, 303);
    assert.deepEqual(world.identity.schemes, [scheme], `${list}`);
  }
});
