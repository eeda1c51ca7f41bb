/** Lists whose callers do not read them. */

import assert from "node:assert/strict";
import { createCatalog } from "../../lib/events/catalog.ts";
import { COLUMN_NAMES } from "../../lib/platform/columns.ts";
import { parseListQuery } from "../../lib/events/query.ts";
import { createRecordParser } from "../../lib/events/record.ts";
import { sendList } from "../../lib/events/respond.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import { buildSnapshot } from "./build.ts";

const NOON = Date.parse("2026-11-21T12:00:00Z");

Deno.test("unread lists that differ are refused above 64 MB, until their callers have gone; shared ones are not", async () => {
  const parse = createRecordParser(COLUMN_NAMES, "UTC");
  const outcomes = Array.from({ length: 100 }, (_, at) =>
    parse({
      id: `rec${at}`,
      createdTime: "2026-01-01T00:00:00.000Z",
      fields: { "Name": `A ${at}`, "Start Date": "2026-12-01", "Description": "x".repeat(100_000) },
    }));
  const options = { timeZone: "UTC", baseUrl: "https://foyer.example", now: () => NOON };
  const catalog = createCatalog(await buildSnapshot(outcomes, null, NOON), options);
  const open: (() => void)[] = [];
  const ask = async (search: string) => {
    const { promise: completed, resolve } = Promise.withResolvers<void>();
    open.push(resolve);
    const request = new Request("https://foyer.example/api/v1/events");
    const source = { catalog: () => catalog };
    return await sendList(request, { completed }, source, parseListQuery(search));
  };
  let sent = 0;
  const refused = await (async () => {
    for (; sent < 20; sent++) await ask(`?limit=${99 - sent}`);
  })().catch((error: unknown) => error);
  assert.ok(refused instanceof PublicError && refused.code === "service_unavailable", `${refused}`);
  assert.equal(refused.headers["retry-after"], "5");
  assert.ok(sent >= 6 && sent <= 8, `${sent} lists of 10 MB`);
  assert.equal((await ask("")).status, 200, "the whole list");
  assert.equal((await ask("?from=2026-01-01")).status, 200, "a list with the same answer");
  for (const end of open) end();
  await Promise.resolve();
  assert.equal((await ask("?limit=50")).status, 200);
  for (const end of open) end();
});
