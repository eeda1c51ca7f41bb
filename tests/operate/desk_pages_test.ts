/** What the desk's pages show and do: today, the events, the setup and the audit log. */

import assert from "node:assert/strict";
import { readFailure } from "../../lib/events/keeping/failure.ts";
import { readStoredSnapshot } from "../../lib/events/keeping/stored.ts";
import { createAccount, getAccount, updateAccount } from "../../lib/accounts/account.ts";
import { ledgerKey, type LedgerValue } from "../../lib/proxy/ledger/values.ts";
import { storeRefusals } from "../../lib/proxy/records/refusals.ts";
import { refusal } from "../proxy/records/clickhouse.ts";
import { PROVIDER_KEYS, row } from "../support/foyer.ts";
import { madeBy } from "../support/made_by.ts";
import { until } from "../support/until.ts";
import { find, parseHtml } from "../site/html.ts";
import { FOR_DESK, hiddenIn, openDesk } from "./desk.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const HOSTILE = `<script>alert(1)</script> [a](javascript:b) | "'`;

Deno.test("today shows health, spending, its largest spenders and refusals as they are now", async () => {
  await using world = await openDesk({ SERVICE_DAILY_LIMIT_USD: "20" }, { records: [row()] });
  const { foyer } = world;
  await foyer.get("/api/v1/events");
  const { accountId, key } = await foyer.createMember(5_000_000n);
  await foyer.createMember();
  assert.match(
    await world.read("/desk"),
    /Spent\$0\.00.*Accounts3Near their limit0Banned0/,
  );

  await foyer.post("/proxy/v1/websearch/search", key, { query: "tides" });
  await foyer.services.ledger.flush();
  const ago = (days: number, requests: number) =>
    refusal({ accountId, lastAt: foyer.clock.now - days * DAY, requests });
  await storeRefusals(foyer.kv, [ago(0, 7), ago(6, 20), ago(7, 300), ago(13, 3)]);
  await updateAccount(foyer.kv, accountId, { verified: false }, madeBy());
  const sums = { spent: 0n, reserved: 0n, requests: 0, byEndpoint: {}, suspectCosts: 2 };
  await foyer.kv.set(["day", "2026-11-15", accountId], sums);
  await foyer.services.health.get();
  const text = await world.read("/desk");
  assert.match(text, /Limit of all accounts\$20\.00Requests1Accounts3/);
  assert.match(text, /Near their limit1Banned0Not verified1/);
  assert.match(text, /Largest spenders.*member\$0\.007\$0\.00.*not verified/);
  assert.match(text, /No backup was made yet.*The rate limit was reached7273031member/);
  const fortnight = await world.read("/desk/usage?from=2026-11-08&by=key");
  assert.match(fortnight, /Why refusedRequestsThe rate limit was reached330/);
  assert.match(text, /Suspect costs.*2026-11-15acc_\w+2/);
  assert.match(text, /Router: credit left\$/);
  const html = await world.textAt("/desk");
  const links = html.split(`href="/desk/accounts/${accountId}"`);
  assert.equal(links.length, 4, "three rows lead there");
});

Deno.test("today's first sentence leads to where its fault can be mended", async () => {
  await using world = await openDesk({}, { records: [row()] });
  const { foyer, foyer: { services: { events, health } } } = world;
  const links = async () =>
    find(parseHtml(await world.textAt("/desk")), "a")
      .filter(({ inside }) => inside.at(-1) === "p")
      .map(({ text, attributes }) => `${text} ${attributes["href"]}`);
  await events.refresh();
  await health.get();
  assert.match((await links())[0] ?? "", /^Everything works\. \/status$/);
  foyer.websearch.faults.push({ kind: "status", status: 503, sticky: true });
  foyer.clock.now += MINUTE;
  await health.get();
  assert.match((await links())[0] ?? "", /^Web search .* \/desk\/setup#examination$/);
  foyer.store.faults.push({ kind: "status", status: 500, sticky: true });
  foyer.clock.now += 4 * MINUTE;
  await events.refresh();
  assert.match((await links())[0] ?? "", /^The events store .* \/desk\/events$/);
});

Deno.test("every link of the desk leads somewhere, and no page has two elements of one id", async () => {
  await using world = await openDesk({}, { records: [row()] });
  await world.foyer.get("/api/v1/events");
  await world.foyer.createMember();
  const seen = new Set(["/desk"]);
  // A set is read on while it grows.
  for (const path of seen) {
    const response = await world.olga.get(path);
    assert.equal(response.status, 200, path);
    if (!path.startsWith("/desk") || path.startsWith("/desk/setup/backup")) continue;
    const all = parseHtml(await response.text());
    const ids = all.flatMap(({ attributes: { id } }) => id ?? []);
    assert.deepEqual(ids.filter((id, at) => ids.indexOf(id) !== at), [], path);
    for (const { attributes: { href = "" } } of find(all, "a")) {
      if (/^\/(?!\/)/.test(href)) seen.add(href.replaceAll("&amp;", "&").split("#", 1)[0] ?? "");
    }
  }
  assert.ok(seen.size > 20, `${seen.size} pages`);
});

Deno.test("with many accounts, no page waits for a count: it shows the last one and its time, and the next is made behind it", async () => {
  await using world = await openDesk();
  const { foyer: { kv, clock, services }, read } = world;
  const account = await world.makeAccount("Weather bot");
  await updateAccount(kv, account.id, { banned: true }, madeBy());
  const banned = await getAccount(kv, account.id);
  const copies = Array.from({ length: 1_000 }, (_, at) => `acc_${String(at).padStart(12, "0")}`);
  await Promise.all(copies.map((id) => kv.set(["account", id], { ...banned, id })));
  await services.deskSummary.keep();
  assert.match(await read("/desk"), /Accounts1,002.*Banned1,001.*Counted at 21 Nov, 12:00/);
  assert.match(
    await read("/desk/accounts?view=banned&after=450"),
    /451 to 500 of 1,001 at 2026-11-21 12:00 UTC\. The first 500 are listed/,
  );
  await updateAccount(kv, account.id, { banned: false }, madeBy());
  clock.now += 5 * MINUTE - 1;
  assert.match(await read("/desk"), /Banned1,001.*Counted at 21 Nov, 12:00/);
  assert.match(await read("/desk"), /Banned1,001/, "it is kept for five minutes");
  clock.now += 1;
  assert.match(await read("/desk"), /Banned1,001.*Counted at 21 Nov, 12:00/);
  await until(async () => /Banned1,000.*Counted at 21 Nov, 12:05/.test(await read("/desk")));

  // A count that fails leaves the last one.
  clock.now += 5 * MINUTE;
  await kv.set(["account", account.id], { ...banned, version: 99 });
  assert.match(await read("/desk"), /Banned1,000.*Counted at 21 Nov, 12:05/);
  await until(() => world.foyer.lines.some(({ message }) => /be counted/.test(message)));
});

Deno.test("names, reasons and records with markup are text on every page of the desk", async () => {
  const records = [row({ "Name": HOSTILE, "Start Date": HOSTILE }), row()];
  await using world = await openDesk({}, { records });
  const { foyer } = world;
  await foyer.get("/api/v1/events");
  const asked = { name: HOSTILE, limitNanoUsd: 1n, verified: true };
  const { id } = await createAccount(foyer.kv, asked, { ...madeBy(), why: HOSTILE });
  await storeRefusals(foyer.kv, [refusal({ accountId: id, lastAt: foyer.clock.now })]);
  const hostile = encodeURIComponent(HOSTILE);
  const paths = ["/desk", "/desk/events", "/desk/setup", `/desk/record?who=${hostile}`];
  const more = ["/desk/record", `/desk/accounts?q=${hostile}`, `/desk/accounts/${id}`];
  for (const path of [...paths, ...more]) {
    const html = await (await world.olga.get(path)).text();
    assert.ok(!html.includes("<script>alert"), path);
  }
  assert.match(await world.read("/desk/record"), /<script>alert\(1\)<\/script>/);
});

Deno.test("an operator sees which records need repair and why, and asks for a read", async () => {
  await using world = await openDesk({}, {
    records: [row({ "Name": "Plain" }), row({ id: "recBroken", "Start Date": "soon" })],
  });
  const { foyer } = world;
  assert.match(await world.read("/desk/events"), /The events have not been read yet/);
  await foyer.get("/api/v1/events");
  const text = await world.read("/desk/events");
  assert.match(text, /Last read 2026-11-21 12:00 UTC.*every 120 seconds while there are requests/);
  assert.match(text, /Calls of Airtable's API in 2026-11: 1/);
  assert.match(text, /Start Date.*left outrecBroken/);

  foyer.store.setRecords([row({ "Name": "Edited" })]);
  foyer.clock.now += 15_000;
  const asked = await world.olga.post("/desk/events", { action: "read" });
  assert.equal(asked.headers.get("location"), "/desk/events");
  assert.match(await world.textAt("/desk/events"), /The table will be read within a minute/);
  // No visitor asks for an event meanwhile.
  foyer.clock.now += 10_000;
  await until(async () => {
    const snapshot = await readStoredSnapshot(foyer.kv);
    return JSON.stringify(snapshot?.events).includes("Edited");
  });
});

Deno.test("the desk names a column that is gone, and an operator accepts its loss", async () => {
  const records = Array.from({ length: 12 }, () => row({ "Slack Channel": "jam" }));
  await using world = await openDesk({}, { records });
  const { foyer, read, olga } = world;
  await foyer.get("/api/v1/events");
  const gone = /The column “Slack Channel” is gone: 12 of 12 events had a value there/;
  assert.doesNotMatch(await read("/desk/events"), gone);
  foyer.store.setRecords(
    records.map(({ fields: { "Slack Channel": _gone, ...fields }, ...record }) => ({
      ...record,
      fields,
    })),
  );
  foyer.clock.now += 3 * MINUTE;
  await foyer.services.events.refresh();
  assert.match(await read("/desk/events"), gone);
  const shown = hiddenIn(await world.textAt("/desk/events"));
  const accept = (fields: Record<string, string>) =>
    olga.post("/desk/events", { ...shown, ...fields, action: "columns", why: "unused" });
  assert.equal((await accept({ version: "format" })).status, 409, "another column");
  assert.equal((await accept({})).status, 303);
  foyer.clock.now += 3 * MINUTE;
  await foyer.services.events.refresh();
  assert.doesNotMatch(await read("/desk/events"), gone);
  assert.match(await read("/desk/record"), /accept loss.*Slack Channel.*unused/);
});

Deno.test("a refused loss names what would vanish, and is accepted as it was shown or not at all", async () => {
  const records = Array.from({ length: 20 }, (_, at) => row({ "Name": `Jam ${at}` }));
  await using world = await openDesk({}, { records });
  const { foyer } = world;
  const { events } = foyer.services;
  await events.refresh();
  const lose = async (left: number) => {
    foyer.store.setRecords(records.slice(0, left));
    foyer.clock.now += 3 * MINUTE;
    await events.refresh();
  };
  await lose(5);
  const text = await world.read("/desk/events");
  assert.match(text, /would have lost 15 of 20 events/);
  assert.match(text, /Jam 5 rec.*and 5 more/);
  const fields = hiddenIn(await world.textAt("/desk/events"));
  assert.equal(fields["shown"], "lost 15 of 20 events");

  // Meanwhile, more records vanish.
  await lose(4);
  const accept = { ...fields, action: "accept", why: "The old season" };
  const late = await world.olga.post("/desk/events", accept);
  assert.equal(late.status, 409);
  const conflict = (await late.text()).replaceAll(/<[^>]*>/g, " ");
  assert.match(conflict, /Nothing was changed/);
  assert.match(conflict, /would have lost 15 of 20 events, which is not [^]* lost 16 of 20 events/);
  assert.equal((await readFailure(foyer.kv))?.loss?.acceptedUntil, null);

  await lose(5);
  const long = await world.olga.post("/desk/events", { ...accept, why: "x".repeat(501) });
  assert.match(await long.text(), /id="why-mistake"/);
  const accepted = await world.olga.post("/desk/events", accept);
  assert.equal(accepted.headers.get("location"), "/desk/events");
  await events.refresh();
  assert.equal((await (await foyer.get("/api/v1/events")).json()).data.length, 5);
  const record = await world.read("/desk/record?account=events");
  assert.ok(record.includes(world.operatorId), "by whom");
  assert.match(record, /accept loss.*gone: 15; left out: 0; endless: 0; known: 20.*The old season/);
});

Deno.test("the setup tells each variable's state and no secret, examines, and tries a provider", async () => {
  await using world = await openDesk({
    SITE_NAME: "Harbour",
    SITE_COLOR: "#0a7d5b",
    SITE_LOGO: "lib/sandbox/data/harbour/logo.svg",
    SITE_ICON: "gone.png",
  });
  const page = await world.textAt("/desk/setup");
  const examined = await (await world.olga.post("/desk/setup", { examine: "all" })).text();
  for (const secret of [...Object.values(PROVIDER_KEYS), "patTest.secret", "identity-test-4c81e"]) {
    assert.ok(!page.includes(secret) && !examined.includes(secret));
  }
  const text = await world.read("/desk/setup");
  assert.match(text, /noneColour on light screens #0\w{5}Colour on dark screens #\w{6}Logo/);
  assert.match(page, /Logo<\/dt><dd><img src="\/logo\.svg[^"]*"/);
  assert.match(text, /IconSITE_ICON could not be read; the log says why/);
  assert.match(text, /SITE_NAMEsetHarbour/);
  assert.match(text, /SITE_COLORset#0a7d5b/);
  assert.match(text, /WEBSEARCH_API_KEYsetnot shown/);
  assert.match(text, /KV_PATHnot set/);
  assert.match(text, /PORTdefault8000/);
  assert.match(examined, /job “refresh events”/);
  assert.match(examined, /Airtable accepts the token/);

  world.foyer.websearch.faults.push({ kind: "status", status: 503 });
  const tried = await (await world.olga.post("/desk/setup", { examine: "websearch" })).text();
  assert.match(tried, /Web search<\/th><td[^>]*>failed<\/td><td[^>]*>It is down: status 503/);
  assert.equal((await world.olga.post("/desk/setup", { examine: "database" })).status, 400);
});

Deno.test("the books are compared on the setup's page, and each difference is shown with its account", async () => {
  await using world = await openDesk();
  const { kv, ...foyer } = world.foyer;
  const { accountId, key } = await foyer.createMember(5_000_000n);
  await foyer.post("/proxy/v1/websearch/search", key, { query: "tides" });
  await foyer.services.ledger.flush();
  const compare = async () =>
    (await (await world.olga.post("/desk/setup", { examine: "books" })).text())
      .replaceAll(/.*<article|<[^>]*>/gs, "");
  assert.match(await compare(), /The sums of 2 accounts agree with their records/);
  const { value } = await kv.get<LedgerValue>(ledgerKey(accountId));
  assert.ok(value !== null);
  const [[day, sums] = []] = Object.entries(value.days);
  assert.ok(day !== undefined);
  await kv.set(ledgerKey(accountId), { ...value, days: { [day]: { ...sums, requests: 2 } } });
  assert.match(
    await compare(),
    new RegExp(`failed.*${accountId} on 2026-11-21: the book has .* on 2 requests.* on 1 request,`),
  );
});

Deno.test("usage of any days is shown in groups with its total, accounts and keys by name, and a period that the books lack is named", async () => {
  await using world = await openDesk();
  const { foyer, read } = world;
  const { accountId, key, keyId } = await foyer.createMember(500_000_000n);
  await foyer.post("/proxy/v1/websearch/search", key, { query: "tides" });
  foyer.clock.now += 24 * 60 * MINUTE;
  await world.olga.signIn("person-olga", FOR_DESK);
  await foyer.post("/proxy/v1/websearch/search", key, { query: "tides" });
  await foyer.services.ledger.flush();
  assert.match(await read("/desk/usage"), /Endpoint.*search200\$0.01\$0\.014All200\$0.01\$0\.014/);
  assert.match(
    await world.textAt("/desk/usage"),
    /aria-label="Spending on 22 days: \$0.007 at most"/,
  );
  const ofDay = "from=2026-11-22&to=2026-11-22";
  assert.match(await read(`/desk/usage?${ofDay}&by=status`), /200100\$0\.007All10/);
  assert.match(
    await world.textAt(`/desk/usage?${ofDay}&by=account`),
    new RegExp(`<a href="/desk/accounts/${accountId}">member</a>`),
  );
  assert.match(
    await world.textAt(`/desk/usage?${ofDay}&by=key`),
    new RegExp(`<a href="/desk/accounts/${accountId}/${keyId}">`),
  );
  assert.match(await read("/desk/usage?from=2026-11-25&to=2026-11-24"), /25 is after 2026-11-22/);
  assert.match(
    await read("/desk/usage?to=9999-12-31"),
    /All200\$0.01\$0\.014/,
    "days to come are not read",
  );
  await storeRefusals(foyer.kv, [refusal({ accountId, lastAt: foyer.clock.now, requests: 7 })]);
  assert.match(await read(`/desk/usage?${ofDay}&by=account`), /member107\$0\.007All107/);
  assert.match(await read(`/desk/usage?${ofDay}&by=status`), /200100\$0\.007429007\$0\.00All107/);
  assert.match(await read("/desk/usage?from=2020-01-01"), /The books begin on 2025-10-19/);
  assert.match(await read("/desk/usage?from=2026-01-01&by=model"), /choose at most \d+ days/);
});

Deno.test("a backup is downloaded after a fresh sign-in only, and its time is shown", async () => {
  await using world = await openDesk();
  const { foyer } = world;
  foyer.clock.now += 15 * MINUTE;
  const refused = await world.olga.get("/desk/setup/backup");
  assert.equal(refused.status, 403);
  assert.match(await refused.text(), /for=desk\/setup\/backup"/);
  assert.match(await world.read("/desk"), /Sign in again to make changes/, "pages are still read");
  const back = await world.olga.signIn("person-olga", "/account/sign-in?for=desk/setup/backup");
  assert.equal(back.headers.get("location"), "/desk/setup/backup");
  assert.match(await world.read("/desk/setup"), /The last one was made: never/);
  const backup = await world.olga.get("/desk/setup/backup");
  assert.match(backup.headers.get("content-disposition") ?? "", /"foyer-2026-11-21\.gz"/);
  assert.equal(backup.headers.get("cache-control"), "private, no-store");
  const text = await new Response(backup.body?.pipeThrough(new DecompressionStream("gzip"))).text();
  assert.match(text, /^\{"backup":"foyer"/);
  assert.ok(text.includes(world.operatorId));
  assert.match(await world.read("/desk/setup"), /The last one was made: 21 Nov, 12:15 UTC/);
});

Deno.test("the audit log shows who changed what and why, by filters and in pages that lose and repeat no change of one moment", async () => {
  await using world = await openDesk();
  const { foyer: { kv }, makeAccount } = world;
  const ids: string[] = [];
  for (let n = 0; n < 60; n++) ids.push((await makeAccount(`Member ${n}`)).id);
  const [first = ""] = ids;
  const by = { command: "accounts limit", user: "ada" };
  const change = { limitNanoUsd: 20_000_000_000n };
  await updateAccount(kv, first, change, { at: madeBy().at + 1, by, why: "a course" });
  const filtered = `/desk/record?account=${first}&what=limit&who=ADA`;
  assert.match(await world.textAt(filtered), /<input[^>]* name="who"[^>]* value="ADA"/);
  const found = await world.read(filtered);
  assert.match(found, /accounts limit \(ada\)acc_\w+limitlimit: none → \$20\.00a course/);
  assert.match(await world.read("/desk/record?what=ban"), /No such change/);
  await updateAccount(kv, first, { limitNanoUsd: null }, { at: madeBy().at + 2, by });
  assert.match(await world.read(filtered), /limit: \$20\.00 → none/);

  const seen: string[] = [];
  for (let path: string | undefined = "/desk/record"; path !== undefined;) {
    const html = await world.textAt(path);
    seen.push(...html.matchAll(/acc_\w{12}(?=<\/a>)/g).map(([id]) => id));
    path = /href="([^"]*)">Older changes/.exec(html)?.[1]?.replaceAll("&amp;", "&");
  }
  assert.deepEqual(seen.toSorted(), [...ids, first, first, world.operatorId].toSorted());
});
