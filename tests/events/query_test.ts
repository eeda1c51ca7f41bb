/** The parameters of the list and the feed. */

import assert from "node:assert/strict";
import { PublicError } from "../../lib/platform/http/errors.ts";
import { parseListQuery } from "../../lib/events/query.ts";

function refused(parse: (search: string) => unknown, search: string): string | undefined {
  try {
    parse(search);
  } catch (error) {
    assert.ok(error instanceof PublicError, String(error));
    assert.equal(error.code, "bad_request", search);
    return error.hint;
  }
  throw new Error(`understood: ${search}`);
}

Deno.test("an invalid filter is refused with the allowed values", () => {
  const date = "a date that exists, such as 2026-12-05.";
  const time = "a time such as 2026-11-21T12:00:00Z; a plus sign is sent as %2B.";
  const table = [
    ["?format=onlin", "format is one of in-person, online, both; did you mean online?"],
    ["?projectType=cad", /did you mean CAD\?$/],
    ["?from=2026-02-29", `from is ${date}`],
    ["?to=tomorrow", `to is ${date}`],
    ["?from=", `from is ${date}`],
    ["?from=2026-12-02&to=2026-12-01", "Give the first day as from."],
    ["?year=26", "year is a year such as 2026."],
    ["?pinned=yes", "pinned is one of true, false."],
    [`?q=${"a".repeat(101)}`, "q is a text of at most 100 characters."],
    ["?q=a&q=b", "Give q once."],
    ["?changedSince=2026-11-21", `changedSince is ${time}`],
    ["?changedSince=2026-11-21T12:00:00", `changedSince is ${time}`],
    ["?changedSince=2026-11-21T12:00:00+01:00", `changedSince is ${time}`],
    ["?changedSince=2026-02-30T12:00:00Z", `changedSince is ${time}`],
    ["?projecttype=CAD", /did you mean projectType\?$/],
    ["?topic=CAD", /^The parameters are status, sort, .*changedSince\.$/],
  ] as const;
  for (const [search, hint] of table) {
    const found = refused(parseListQuery, search) ?? "";
    if (typeof hint === "string") assert.equal(found, hint, search);
    else assert.match(found, hint, search);
  }
});
