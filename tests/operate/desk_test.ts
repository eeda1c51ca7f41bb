/** The desk at its front door: who reaches it, what a change asks for, and what its pages show. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { updateAccount } from "../../lib/accounts/account.ts";
import { accountOf, openSignIn, type SignInWorld } from "../members/world.ts";
import { madeBy } from "../support/made_by.ts";
import type { Browser } from "../support/sign_in_browser.ts";
import { enter, FOR_DESK, openDesk } from "./desk.ts";

const OLGA = "person-olga";
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const HOUR = 3_600_000;

/** An address of every route of the desk, found in the file system. */
function listAddresses(): string[] {
  const routes = fileURLToPath(new URL("../../routes/", import.meta.url));
  return readdirSync(routes, { recursive: true, encoding: "utf8" })
    .filter((file) => /^desk.*\.tsx?$/.test(file))
    .map((file) =>
      `/${file}`.replace(/\.tsx?$/, "").replace(/\/index$/, "")
        .replaceAll(/\[(?:\.\.\.)?\w+\]/g, "acc_000000000000")
    );
}

/** A response without what differs between any two, the request's id, and without the time for which it is kept. */
async function plain(response: Response) {
  const headers = new Headers(response.headers);
  headers.delete("cache-control");
  const id = headers.get("x-request-id") ?? "";
  headers.delete("x-request-id");
  const body = (await response.text()).replaceAll(id, "");
  return { status: response.status, headers: [...headers], body };
}

Deno.test("the desk is not there for anyone but operators, at any address and with any method", async () => {
  const path = await Deno.makeTempFile({ suffix: ".sqlite3" });
  await using world = await openSignIn({}, { kvPath: path });
  // The same service, after its rule was changed.
  const withRule = (SIGN_IN_OPERATORS?: string) =>
    openSignIn({ SIGN_IN_ISSUER: world.issuer, SIGN_IN_OPERATORS }, { kvPath: path });
  await using changed = await withRule("groups=operators, verification_status=verified");
  await using closed = await withRule();

  const olga = await enter(world);
  assert.equal((await olga.get("/desk")).status, 200);
  const cookieOf = ({ cookies }: Browser) =>
    [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const old = await enter(world);
  world.foyer.clock.now += 12 * HOUR;
  const visitors: readonly [who: string, SignInWorld, cookie: string][] = [
    ["a visitor", world, ""],
    ["a visitor with a token of no session", world, `__Host-foyer_session=${"a".repeat(43)}`],
    ["a member", world, cookieOf(await enter(world, "person-ada", "/account/sign-in"))],
    ["a member who asked for the desk", world, cookieOf(await enter(world, "person-ben"))],
    ["an operator by an older rule", changed, cookieOf(olga)],
    ["an operator of a service that has none any more", closed, cookieOf(olga)],
    ["an operator who signed in twelve hours ago", world, cookieOf(old)],
  ];
  const addresses = [...listAddresses(), "/%64esk", "/desk/nothing", "/desk/events/nothing"];
  assert.ok(addresses.includes("/desk/events"));
  for (const [who, { foyer }, cookie] of visitors) {
    for (const method of METHODS) {
      const headers = { accept: "text/html", "sec-fetch-site": "same-origin" };
      const init = { method, headers: { ...headers, ...cookie !== "" && { cookie } } };
      const page = await plain(await foyer.answer("/nothing/here", init));
      const twin = await plain(await foyer.answer("/nothing/here.md", init));
      assert.deepEqual([page.status, twin.status], [404, 404]);
      for (const address of addresses) {
        const expected = address.endsWith(".md") ? twin : page;
        const response = await foyer.answer(address, init);
        // An operator who then signs in must not meet it in the browser's cache.
        const isKept = response.headers.get("cache-control") !== "no-store";
        assert.ok(!isKept || address === "/%64esk", `${method} ${address}`);
        const found = await plain(response);
        assert.deepEqual(found, expected, `${who}: ${method} ${address}`);
      }
    }
  }
});

Deno.test("an operator who signs out or is banned loses the desk at once", async () => {
  await using world = await openSignIn();
  const [left, banned] = [await enter(world), await enter(world)];
  await left.post("/account/sign-out");
  assert.equal((await left.get("/desk")).status, 404);
  assert.equal((await banned.get("/desk")).status, 200);
  await updateAccount(world.foyer.kv, accountOf(world), { banned: true }, madeBy());
  assert.equal((await banned.get("/desk")).status, 404);
});

Deno.test("a form of the desk asks for a sign-in of the last fifteen minutes, and leads there and back", async () => {
  await using world = await openSignIn();
  const olga = await enter(world, OLGA, "/account/sign-in");
  assert.match(await (await olga.get("/account")).text(), /href="\/desk"/);
  const page = await (await olga.get("/desk/events")).text();
  assert.match(page, /Sign in again<\/a> to make changes/);
  for (const minutes of [0, 15]) {
    if (minutes > 0) await olga.signIn(OLGA, FOR_DESK);
    world.foyer.clock.now += minutes * 60_000;
    const refused = await olga.post("/desk/events", { action: "read" });
    assert.equal(refused.status, 403);
    assert.equal(refused.headers.get("cache-control"), "private, no-store");
    const [, way = ""] = /href="https:\/\/foyer\.example(\/account\/sign-in\?for=[\w/]+)"/
      .exec(await refused.text()) ?? [];
    const back = await olga.signIn(OLGA, way);
    assert.equal(back.headers.get("location"), "/desk/events");
    assert.equal((await olga.post("/desk/events", { action: "read" })).status, 303);
  }
});

Deno.test("a sign-in for the desk leads to no other site, whatever its address says", async () => {
  await using world = await openSignIn();
  const encoded = ["desk/../..", "desk/.evil", "desk\\evil", "//evil", "deskx"];
  for (const purpose of ["desk//evil.example", ...encoded]) {
    const from = `/account/sign-in?for=${encodeURIComponent(purpose)}`;
    const response = await world.browser().signIn(OLGA, from);
    assert.equal(response.headers.get("location"), "/account", purpose);
  }
});

Deno.test("a form of another site changes nothing, and no page of the desk is shown in a frame or kept", async () => {
  await using world = await openDesk();
  const { olga } = world;
  const forged: readonly Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "origin": "https://evil.example" },
    { "origin": "null" },
  ];
  for (const headers of forged) {
    for (const address of listAddresses()) {
      const response = await olga.post(address, { action: "read" }, headers);
      assert.ok([403, 405].includes(response.status), `${address}: ${response.status}`);
    }
  }
  const response = await olga.get("/desk");
  assert.equal(response.headers.get("x-frame-options"), "DENY");
  const policy = response.headers.get("content-security-policy") ?? "";
  for (const part of ["frame-ancestors 'none'", "form-action 'self'"]) {
    assert.ok(policy.includes(part), policy);
  }
  assert.equal(response.headers.get("cache-control"), "private, no-store");
  assert.equal(response.headers.get("x-robots-tag"), "noindex");
});

Deno.test("every page of the desk says which it is, and has no script but the font's", async () => {
  await using world = await openDesk();
  const { olga } = world;
  for (const address of ["/desk", "/desk/usage", "/desk/events", "/desk/setup", "/desk/record"]) {
    const html = await (await olga.get(address)).text();
    assert.ok(!html.includes("boot("), address);
    assert.match(html, new RegExp(`<a href="${address}"[^>]* aria-current="page"`));
  }
});
