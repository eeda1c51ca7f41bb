/** The catalog: the bytes that lists share. */

import assert from "node:assert/strict";
import { createCatalog } from "../../lib/events/catalog.ts";
import { parseListQuery } from "../../lib/events/query.ts";
import { NOON, record, snapshotOf } from "./build.ts";

const options = {
  timeZone: "UTC",
  baseUrl: "https://foyer.example",
  origin: "appTest",
  now: () => NOON,
};

Deno.test("spellings of one query share its bytes", async () => {
  const records = Array.from({ length: 40 }, (_, at) => record(`rec${at}`));
  const catalog = createCatalog(await snapshotOf(records), options);
  const of = (search: string) => catalog.list(parseListQuery(search));
  const cut = await of("?limit=39&status=upcoming,ongoing");
  assert.equal(await of("?status=ongoing&status=upcoming&limit=39"), cut);
  assert.notEqual(await of("?limit=38&status=upcoming,ongoing"), cut);
});

Deno.test("a list is made in slices, and once for callers that ask at once", async () => {
  const description = "x".repeat(100_000);
  const records = Array.from({ length: 100 }, (_, at) => {
    return record(`rec${at}`, { "Description": description });
  });
  const catalog = createCatalog(await snapshotOf(records), options);
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const list = () => catalog.list(parseListQuery(""));
  const [first, second] = await Promise.all([list(), list()]);
  assert.equal(first, second);
  clearInterval(timer);
  assert.ok(turns > 2, `requests have ${turns} turns meanwhile`);
});
