/** What a read keeps, and what requests at once share: counted by pages that are rendered. */
// Not quick: it renders each page anew after many reads.

import assert from "node:assert/strict";
import fc from "fast-check";
import { options } from "preact";
import type { StandInRecord } from "../../lib/sandbox/records.ts";
import { openFolder } from "../support/folder.ts";
import { startFoyer } from "../support/foyer.ts";
import { eventOn, openSite, row } from "./site.ts";

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

/** Nine events, a month after each other; each page leads to the three nearest others. */
const MONTHLY = Array.from({ length: 9 }, (_, at) => ({
  ...eventOn(`Event ${at}`, `2027-0${at + 1}-10`),
  id: `rec${at}`,
}));
const PAGES = [
  ...MONTHLY.flatMap((_, at) => [`/events/event-${at}`, `/embed/event-${at}`]),
  "/events/event-3.md",
  "/",
];

Deno.test("a read that changes one event renders anew what shows it, and no page that does not", async () => {
  await using site = await openSite(MONTHLY);
  using pages = countPages();
  const renderedOf = async (path: string) => {
    await (await site.answer(path, { headers: { accept: "text/html" } })).text();
    return pages.taken();
  };
  for (const path of PAGES) await renderedOf(path);
  const [first, ...others] = MONTHLY;
  const changed = { ...first, fields: { ...first?.fields, "Description": "New" } } as StandInRecord;
  site.store.setRecords([changed, ...others]);
  site.clock.now += HOUR;
  await site.services.events.refresh();
  const rendered = [];
  for (const at of MONTHLY.keys()) rendered.push(await renderedOf(`/events/event-${at}`));
  assert.deepEqual(rendered, [1, 1, 1, 0, 0, 0, 0, 0, 0]);
  assert.equal(await renderedOf("/"), 1);
});

/** An edit of one record: a cell, or null for the record. */
const edit = fc.record({
  at: fc.nat({ max: MONTHLY.length - 1 }),
  cells: fc.oneof(
    fc.record({
      "Name": fc.constantFrom("Tea", "Event 1", "Event 8"),
      "Description": fc.constantFrom("a", "b", undefined),
      "Start Date": fc.constantFrom("2026-11-21", "2026-11-20", "2027-02-01"),
      "Background Color": fc.constantFrom("#112233", undefined),
      "Pinned": fc.boolean(),
      "Logo Url": fc.constantFrom([attachment], [{ ...attachment, id: "attCake" }], undefined),
    }, { requiredKeys: [] }),
    fc.constant(null),
  ),
  hours: fc.constantFrom(1, 20),
});

Deno.test("whatever a read changes, each page is what a process without kept pages sends", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 5 }), async (edits) => {
      await using folder = await openFolder();
      const kvPath = `${folder.path}/kv.sqlite3`;
      const records: (StandInRecord | null)[] = [...MONTHLY];
      const current = () => records.filter((record) => record !== null);
      await using kept = await startFoyer({ records: current(), kvPath });
      const { clock, store, services } = kept;
      const sent = async ({ answer }: Pick<typeof kept, "answer">) =>
        await Promise.all(
          PAGES.map(async (path) => {
            const response = await answer(path, { headers: { accept: "text/html, */*" } });
            const { status, headers } = response;
            // An error names its request.
            return [path, status, headers.get("etag"), status < 300 ? await response.text() : ""];
          }),
        );
      await sent(kept);
      for (const { at, cells, hours } of edits) {
        const before = MONTHLY[at] ?? assert.fail();
        records[at] = cells && { ...before, fields: { ...before.fields, ...cells } };
        store.setRecords(current());
        clock.now += hours * HOUR;
        await services.events.refresh();
        await using fresh = await startFoyer({ records: current(), kvPath, now: clock.now });
        assert.deepEqual(await sent(kept), await sent(fresh));
      }
    }),
    { numRuns: 15 },
  );
});
