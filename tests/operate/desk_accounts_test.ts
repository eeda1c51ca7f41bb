/** The desk's pages of accounts: found, changed with an entry in the record, imported. */

import assert from "node:assert/strict";
import { createAccount, getAccount, updateAccount } from "../../lib/proxy/accounts/account.ts";
import { listChanges } from "../../lib/proxy/accounts/changes.ts";
import { getKey, listKeys } from "../../lib/proxy/accounts/key.ts";
import { getAccountByReference } from "../../lib/proxy/accounts/reference.ts";
import { accountOf, openSignIn, type SignInWorld } from "../members/world.ts";
import { PATHS, SEARCH } from "../proxy/door.ts";
import { find, parseHtml } from "../site/html.ts";
import { madeBy } from "../support/made_by.ts";
import type { Browser } from "../support/sign_in_browser.ts";

const DAY = 86_400_000;

/** Signs the operator in, for changes, and returns the operator's account. */
async function openDesk(world: SignInWorld) {
  const olga = world.browser();
  await olga.signIn("person-olga", "/account/sign-in?for=desk");
  return { olga, operatorId: accountOf(world) };
}

async function makeAccount({ foyer: { kv, clock } }: SignInWorld, name: string) {
  const asked = { name, limitNanoUsd: null, verified: true };
  return await createAccount(kv, asked, madeBy(clock.now));
}

/** The version that the forms of a page carry. */
async function versionAt(browser: Browser, address: string): Promise<string> {
  const page = parseHtml(await (await browser.get(address)).text());
  const fields = find(page, "input").map(({ attributes }) => attributes);
  return fields.find((each) => each["name"] === "version")?.["value"] ?? "";
}

const namesIn = (page: string) =>
  [...page.matchAll(/<bdi>([^<]*)<\/bdi><\/a><\/th>/g)].map(([, name]) => name);

/** The query of the link to the next page; "" without one. */
function nextOf(page: string): string {
  const [, query = ""] = /href="\/desk\/accounts\?([^"]*)" rel="next"/.exec(page) ?? [];
  return query.replaceAll("&amp;", "&");
}

Deno.test("accounts are found by a word of the name, the reference and the id, fifty a page", async () => {
  await using world = await openSignIn();
  const { olga } = await openDesk(world);
  for (let n = 0; n < 60; n++) await makeAccount(world, `Robot ${String(n).padStart(2, "0")}`);
  const { id } = await makeAccount(world, "Zoë's <b>weather</b> bot");
  const list = async (query: string) => await (await olga.get(`/desk/accounts${query}`)).text();
  for (const word of ["zoe", "weather", id]) {
    assert.match(await list(`?q=${word}`), /Zoë&#39;s &lt;b>weather|Zoë's &lt;b>weather/, word);
  }
  const first = await list("?q=robot");
  const second = await list(`?${nextOf(first)}`);
  const both = [...namesIn(first), ...namesIn(second)];
  assert.deepEqual([namesIn(first).length, new Set(both).size], [50, 60]);
  assert.equal(nextOf(second), "");
});

Deno.test("each view lists all accounts in its state, fifty a page, with their number and the time of the list", async () => {
  await using world = await openSignIn();
  const { olga } = await openDesk(world);
  const { kv, clock } = world.foyer;
  const set = async (name: string, change: Parameters<typeof updateAccount>[2]) => {
    const { id } = await makeAccount(world, name);
    await updateAccount(kv, id, change, madeBy(clock.now));
  };
  for (let n = 0; n < 60; n++) await set(`Bad ${n}`, { banned: true });
  await set("New", { verified: false });
  const list = async (query: string) => await (await olga.get(`/desk/accounts?${query}`)).text();
  const first = await list("view=banned");
  assert.match(first, /1 to 50 of 60 at 2026-11-21 12:00 UTC/);
  const second = await list(nextOf(first));
  assert.deepEqual(new Set([...namesIn(first), ...namesIn(second)]).size, 60);
  assert.equal(nextOf(second), "");
  assert.deepEqual(namesIn(await list("view=unverified")), ["New"]);
  for (const view of ["near", "spenders"]) {
    assert.deepEqual(namesIn(await list(`view=${view}`)), []);
  }
});

Deno.test("every action on an account takes effect, is confirmed, and is recorded with the operator", async () => {
  await using world = await openSignIn();
  const { kv, clock } = world.foyer;
  const ada = world.browser();
  await ada.signIn("person-ada");
  const id = accountOf(world);
  const { olga, operatorId } = await openDesk(world);
  const address = `/desk/accounts/${id}`;
  const until = new Date(clock.now + DAY).toISOString().slice(0, 10);
  const actions: [string, Record<string, string>, (account: unknown) => void][] = [
    [
      "limit",
      { limit: "0.5" },
      (a) => assert.partialDeepStrictEqual(a, { limitNanoUsd: 500_000_000n }),
    ],
    ["grant", { grant: "9", until, why: "for the fair" }, (a) =>
      assert.partialDeepStrictEqual(a, {
        grant: { limitNanoUsd: 9_000_000_000n, until: Date.parse(until) + DAY },
      })],
    ["ungrant", {}, (a) => assert.ok(!("grant" in (a as object)))],
    ["unverify", {}, (a) => assert.partialDeepStrictEqual(a, { verified: false })],
    ["verify", {}, (a) => assert.partialDeepStrictEqual(a, { verified: true })],
    ["rename", { name: "Countess" }, (a) => assert.partialDeepStrictEqual(a, { name: "Countess" })],
    ["sessions", {}, () => {}],
    [
      "ban",
      { reason: "<i>spam</i>" },
      (a) => assert.partialDeepStrictEqual(a, { banned: true, banReason: "<i>spam</i>" }),
    ],
    ["unban", {}, (a) => assert.partialDeepStrictEqual(a, { banned: false })],
  ];
  for (const [action, fields, check] of actions) {
    clock.now += 1_000;
    const version = await versionAt(olga, address);
    const response = await olga.post(address, { action, version, ...fields });
    assert.equal(response.headers.get("location"), address);
    const page = await (await olga.get(address)).text();
    assert.match(page, /class="verdict up done wide" role="status"/, action);
    assert.doesNotMatch(await (await olga.get(address)).text(), /role="status"/, "it is said once");
    assert.doesNotMatch(page, /<i>spam/);
    check(await getAccount(kv, id));
    const change = (await Array.fromAsync(listChanges(kv, id))).at(-1);
    assert.deepEqual(change?.by, { accountId: operatorId }, action);
  }
  assert.match(
    await (await ada.get("/account")).text(),
    />Sign in<\/a>/,
    "the sessions have ended",
  );
  // A link alone confirms nothing.
  const crafted = await (await olga.get(`${address}?done=account-ban`)).text();
  assert.doesNotMatch(crafted, /is banned/);
  const markdown = await (await olga.get(`${address}.md`)).text();
  assert.match(markdown, /^# Countess\n/);
  assert.match(markdown, /for the fair/);

  const version = await versionAt(olga, address);
  const gone = await olga.post(address, { action: "delete", version });
  assert.equal(gone.headers.get("location"), "/desk/accounts");
  assert.equal((await getAccount(kv, id))?.deletedAt, clock.now);
  assert.equal((await olga.get(address)).status, 200, "its books stay");
  assert.equal((await olga.get("/desk/accounts/acc_aaaaaaaaaaaa")).status, 404);
});

Deno.test("a form that was made from an older version changes nothing, and shows both", async () => {
  await using world = await openSignIn();
  const { kv, clock } = world.foyer;
  const { id } = await makeAccount(world, "Weather bot");
  const { olga } = await openDesk(world);
  const address = `/desk/accounts/${id}`;
  const version = await versionAt(olga, address);
  await updateAccount(kv, id, { limitNanoUsd: 3_000_000_000n }, madeBy(clock.now));
  const changed = await getAccount(kv, id);
  const forms = [
    { action: "limit", limit: "7" },
    { action: "ban", reason: "spam" },
    { action: "rename", name: "Other" },
    { action: "delete" },
  ];
  for (const fields of forms) {
    for (const made of [version, "", "none"]) {
      const response = await olga.post(address, { ...fields, version: made });
      assert.equal(response.status, 409, fields.action);
      const page = await response.text();
      if (fields.action === "limit") assert.match(page, />7<[^]*>3</);
    }
  }
  assert.deepEqual(await getAccount(kv, id), changed);
  // Two operators at once: one of them is told.
  const present = await versionAt(olga, address);
  const both = await Promise.all(
    ["1", "2"].map((limit) => olga.post(address, { action: "limit", limit, version: present })),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [303, 409]);
});

Deno.test("a mistake stands beside its field, with what was typed", async () => {
  await using world = await openSignIn();
  const { id } = await makeAccount(world, "Weather bot");
  const { olga } = await openDesk(world);
  const address = `/desk/accounts/${id}`;
  const cases = [
    ["/desk/accounts", { name: "", limit: "1" }, "name"],
    ["/desk/accounts", { name: "x", reference: "ü", limit: "1" }, "reference"],
    [address, { action: "limit", limit: "much" }, "limit"],
    [address, { action: "grant", grant: "1", until: "2026-11-20" }, "until"],
    [address, { action: "ban", reason: "x".repeat(301) }, "reason"],
    [
      address,
      { action: "key", label: "laptop", expires: "90", cap: "-1", endpoint: "search" },
      "cap",
    ],
  ] as const;
  for (const [path, fields, wrong] of cases) {
    const version = path === address ? await versionAt(olga, address) : "";
    const response = await olga.post(path, { ...fields, version });
    assert.equal(response.status, 400, path);
    const page = parseHtml(await response.text());
    const mistakes = find(page, "p").filter(({ attributes: { role } }) => role === "alert");
    assert.deepEqual(
      mistakes.map(({ attributes }) => attributes["id"]),
      [`${wrong}-mistake`],
      wrong,
    );
  }
});

Deno.test("an operator creates a key that is shown once, limits, rotates and revokes it", async () => {
  await using world = await openSignIn();
  const { foyer } = world;
  const { kv, clock } = foyer;
  const { olga, operatorId } = await openDesk(world);
  const made = await olga.post("/desk/accounts", { name: "Bot", reference: "bot-1", limit: "1" });
  const account = await getAccountByReference(kv, "bot-1");
  assert.equal(made.headers.get("location"), `/desk/accounts/${account?.id}`);
  const address = `/desk/accounts/${account?.id}`;
  const shown = async (response: Response) => {
    const next = response.headers.get("location") ?? "";
    const [text = ""] = /foyer_\w{51}/.exec(await (await olga.get(next)).text()) ?? [];
    assert.doesNotMatch(await (await olga.get(next)).text(), /foyer_\w{51}/, "it is shown once");
    return { text, address: next.split("?")[0] ?? "" };
  };
  const status = async (key: string) => {
    clock.now += 5_001;
    const response = await foyer.post(PATHS.search, key, SEARCH);
    await response.body?.cancel();
    return response.status;
  };
  const form = { action: "key", label: "laptop", expires: "90", cap: "", endpoint: "search" };
  const key = await shown(await olga.post(address, form));
  assert.equal(await status(key.text), 200);
  const act = async (at: string, fields: Record<string, string>) =>
    await olga.post(at, { ...fields, version: await versionAt(olga, at) });
  await act(key.address, { action: "limit", cap: "0.5", endpoint: "answer" });
  assert.equal(await status(key.text), 403);
  await act(key.address, { action: "limit", cap: "0.5", endpoint: "search" });
  const next = await shown(await act(key.address, { action: "rotate", overlap: "0" }));
  assert.deepEqual([await status(key.text), await status(next.text)], [401, 200]);
  const stale = await olga.post(next.address, { action: "revoke", version: "none" });
  assert.equal(stale.status, 409);
  await act(next.address, { action: "revoke" });
  assert.equal(await status(next.text), 401);
  assert.equal((await getKey(kv, next.address.split("/").at(-1) ?? ""))?.revoked, true);
  for (const { by } of await Array.fromAsync(listChanges(kv, account?.id ?? ""))) {
    assert.deepEqual(by, { accountId: operatorId });
  }
  const other = await makeAccount(world, "Other");
  const path = next.address.replace(account?.id ?? "", other.id);
  assert.equal((await olga.get(path)).status, 404, "a key has no page at another account");
  await foyer.services.ledger.flush();
});

Deno.test("an import shows what will happen, does it, and shows the keys once", async () => {
  await using world = await openSignIn();
  const { kv, clock } = world.foyer;
  const { olga } = await openDesk(world);
  const address = "/desk/accounts/import";
  const table = "Name;Reference;Limit\nAda;a-1;2\nBen;b-2;\n=Cat;c-3;1";
  const upload = async (text: string) => {
    const body = new FormData();
    body.append("file", new File([text], "members.csv", { type: "text/csv" }));
    body.append("table", "");
    return await olga.get(address, {
      method: "POST",
      body,
      headers: { "sec-fetch-site": "same-origin" },
    });
  };
  const wrong = await upload("name,reference,limit\nAda,a-1,much\n,b-2,");
  assert.equal(wrong.status, 400);
  assert.match(await wrong.text(), /line 2: the limit[^]*line 3: the name is empty/);

  const preview = await (await upload(table)).text();
  assert.match(preview, /3 will be created, 0 get another limit, 0 stay/);
  assert.equal(await getAccountByReference(kv, "a-1"), null, "nothing has happened yet");
  const fieldsOf = (page: string) =>
    Object.fromEntries(
      find(parseHtml(page), "input").map(({ attributes }) => attributes)
        .filter((each) => each["type"] === "hidden")
        .map((each) => [each["name"] ?? "", each["value"] ?? ""]),
    );
  const done = await olga.post(address, { ...fieldsOf(preview), keys: "yes" });
  const result = await done.text();
  assert.match(result, /3 were created, 0 got another limit, 0 stayed/);
  assert.equal([...result.matchAll(/foyer_\w{51}/g)].length, 3);
  assert.match(result, /'=Cat,c-3|&#39;=Cat,c-3/, "a spreadsheet takes no name for a formula");
  const ada = await getAccountByReference(kv, "a-1");
  assert.equal(ada?.limitNanoUsd, 2_000_000_000n);
  assert.equal((await listKeys(kv, ada?.id ?? "")).length, 1);

  const again = await (await olga.post(address, { table: table.replace("a-1;2", "a-1;5") })).text();
  assert.match(again, /0 will be created, 1 get another limit, 2 stay[^]*\$2 → \$5/);
  await updateAccount(kv, ada?.id ?? "", { limitNanoUsd: 9n }, madeBy(clock.now));
  const late = await olga.post(address, fieldsOf(again));
  assert.equal(late.status, 409, "another operator has changed the limit");
  assert.equal((await getAccountByReference(kv, "a-1"))?.limitNanoUsd, 9n);
});
