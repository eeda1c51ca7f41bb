/** What a read that found nothing new keeps, and what requests at once share: counted by pages that are rendered. */

import assert from "node:assert/strict";
import { options } from "preact";
import { openSite, row } from "./site.ts";

/** Counts the pages that are rendered meanwhile. */
function countPages() {
  let pages = 0;
  const before = options.vnode ?? (() => {});
  options.vnode = (vnode) => {
    if (typeof vnode.type === "function" && vnode.type.name === "PageFrame") pages++;
    before(vnode);
  };
  return {
    /** The number since the last call. */
    taken() {
      const taken = pages;
      pages = 0;
      return taken;
    },
    [Symbol.dispose]: () => void (options.vnode = before),
  };
}

const attachment = {
  id: "attTea",
  filename: "tea.png",
  source: { type: "image/png", bytes: new Uint8Array() },
};
const TEA = row({ id: "recTea", "Name": "Tea", "Logo Url": [attachment] });
const HOUR = 3_600_000;

Deno.test("48 requests for a page at once render it once, and a read that found nothing new renders nothing", async () => {
  await using site = await openSite([TEA, row()]);
  const { sharing, events } = site.services;
  const { picture } = sharing;
  let pictures = 0;
  Object.assign(sharing, {
    picture: (...given: Parameters<typeof picture>) => {
      pictures++;
      return picture(...given);
    },
  });
  using pages = countPages();
  const at = async (path: string) =>
    await (await site.answer(path, { headers: { accept: "text/html" } })).text();
  const many = async (path: string) =>
    await Promise.all(Array.from({ length: 48 }, () => at(path)));

  for (const path of ["/", "/?q=tea", "/follow", "/events/tea"]) {
    assert.equal(new Set(await many(path)).size, 1, path);
    assert.equal(pages.taken(), 1, path);
  }
  const feeds = ["/api/v1/events/rss", "/feed.atom?q=tea", "/feed.json", "/calendar.ics"];
  pictures = 0;
  for (const path of feeds) await many(path);
  assert.equal(pictures, 5, "two events in two feeds, one in the filtered one");

  // Signed addresses are held for an hour, and then replaced.
  const signed = async () => (await (await site.answer("/api/v1/events/tea")).json()).data.logoUrl;
  const before = await signed();
  site.clock.now += HOUR + 1;
  await events.refresh();
  assert.notEqual(await signed(), before);
  pictures = 0;
  for (const path of ["/", "/follow", "/events/tea", "/feed.json", "/calendar.ics"]) await at(path);
  assert.equal(pages.taken() + pictures, 0);

  site.store.setRecords([{ ...TEA, fields: { ...TEA.fields, "Name": "Tea and cake" } }]);
  site.clock.now += HOUR;
  await events.refresh();
  for (const path of ["/", "/feed.json", "/calendar.ics"]) {
    assert.match(await at(path), /Tea and cake/, path);
  }
});
