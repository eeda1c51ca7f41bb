/** The usage page: it shows the spending of a pasted key, without a script, and keeps the key nowhere. */

import assert from "node:assert/strict";
import {
  ANSWER_PRICE,
  createGate,
  PATHS,
  SEARCH,
  SEARCH_PRICE,
  STREAM,
  untilBooked,
} from "../proxy/proxy.ts";
import { type Foyer, startFoyer } from "../support/foyer.ts";
import { find, parseHtml } from "./html.ts";

const exact = `$${Number(SEARCH_PRICE) / 1e9}`;

/** Sends the form with a key. */
async function paste(foyer: Foyer, key: string) {
  const response = await foyer.answer("/usage", {
    method: "POST",
    body: new URLSearchParams({ key }),
  });
  const html = await response.text();
  const main = /<main[^]*<\/main>/.exec(html)?.[0] ?? "";
  const text = main.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
  const [, bar] = /class="usage-bar (\w+)"/.exec(html) ?? [];
  return { response, html: parseHtml(main), bar, text };
}

Deno.test("a pasted key shows what was spent and what is left, and is kept nowhere", async () => {
  await using foyer = await startFoyer();
  const member = await foyer.createMember(2n * SEARCH_PRICE);
  assert.match((await paste(foyer, member.key)).text, /No requests yet/);
  await foyer.post(PATHS.search, member.key, SEARCH);
  await untilBooked(foyer, member);
  const { response, html, bar, text } = await paste(foyer, member.key);
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.ok(text.includes(`${exact} left today`), text);
  assert.match(text, /search 1 \$0\.0\d+/);
  assert.equal(bar, "calm");
  const charts = find(html, "svg").filter(({ attributes: { role } }) => role === "img");
  assert.match(
    charts[0]?.attributes["aria-label"] ?? "",
    /^Spending on the last 30 days.* at most$/,
  );
  const heights = find(html, "rect").map(({ attributes }) => Number(attributes["height"]));
  assert.equal(heights.filter((height) => height === 40).length, 1, "today is the highest day");
  assert.doesNotMatch(JSON.stringify(foyer.lines) + text, new RegExp(member.key));
  assert.match(JSON.stringify(foyer.lines), new RegExp(member.keyId), "the log has the key's id");
});

Deno.test("the bar is amber when little of the limit is left, and says until when an account is blocked", async () => {
  const contact = "mailto:help@harbour.example";
  await using foyer = await startFoyer({ env: { SITE_CONTACT: contact } });
  const near = await foyer.createMember(SEARCH_PRICE * 6n / 5n);
  const blocked = await foyer.createMember(SEARCH_PRICE);
  for (const member of [near, blocked]) {
    await foyer.post(PATHS.search, member.key, SEARCH);
    await untilBooked(foyer, member);
  }
  assert.equal((await paste(foyer, near.key)).bar, "near");
  const refused = await paste(foyer, blocked.key);
  assert.equal(refused.bar, "blocked");
  const [chart] = find(refused.html, "svg").filter(({ attributes: { role } }) => role === "img");
  assert.match(chart?.attributes["aria-label"] ?? "", /; 1 of them reached today’s limit$/);
  assert.match(refused.text, /Blocked until 22 Nov, 00:00 \.[^]*the people who run this site/);
  const links = find(refused.html, "a").map(({ text, attributes }) => [text, attributes["href"]]);
  assert.ok(
    links.some(([text, href]) => text === "the people who run this site" && href === contact),
  );

  const holder = await foyer.createMember(ANSWER_PRICE);
  using gate = createGate();
  foyer.websearch.faults.push({ kind: "stall", until: gate.opened });
  await foyer.post(PATHS.answer, holder.key, STREAM);
  const { text } = await paste(foyer, holder.key);
  assert.match(text, /Blocked until requests in progress end[^]*reserved/);
  gate.open();
});

Deno.test("a key that is not valid is refused in words beside its field", async () => {
  await using foyer = await startFoyer();
  for (const key of ["", "foyer_mistyped", "schlüssel\n\ud800", "<b>"]) {
    const { response, html, text } = await paste(foyer, key);
    assert.equal(response.status, 401, key);
    const [mistake] = find(html, "p").filter(({ attributes: { role } }) => role === "alert");
    assert.equal(mistake?.attributes["id"], "key-mistake");
    assert.match(text, /key/i);
    assert.doesNotMatch(text, /`|mistyped_|sign in here/);
  }
});
