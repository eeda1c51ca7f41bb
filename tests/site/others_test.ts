/** The other events on an event's page. */

import assert from "node:assert/strict";
import { find } from "./html.ts";
import { openSite, row } from "./site.ts";

Deno.test("an event's page leads to the three nearest events, to ended ones only from an ended one", async () => {
  const days: Record<string, [first: string, last: string | undefined]> = {
    "Long over": ["2026-06-01", "2026-06-02"],
    "Over": ["2026-11-01", "2026-11-02"],
    "On": ["2026-09-01", "2026-12-31"],
    "For ever": ["2025-01-01", undefined],
    "Next": ["2026-11-25", "2026-11-25"],
    "Later": ["2026-12-10", "2026-12-11"],
    "Last": ["2027-03-01", "2027-03-02"],
  };
  await using site = await openSite(
    Object.entries(days).map(([name, [first, last]]) =>
      row({ "Name": name, "Start Date": first, "End Date": last })
    ),
  );
  for (
    const [path, expected] of [
      ["next", ["On", "Later", "Last"]],
      ["on", ["Next", "Later", "Last"]],
      ["over", ["On", "Next", "Later"]],
      ["last", ["On", "Next", "Later"]],
    ] as const
  ) {
    const { all } = await site.see(`/events/${path}`);
    assert.deepEqual(find(all, "h3").map(({ text }) => text), expected, path);
    const markdown = await (await site.get(`/events/${path}.md`)).text();
    const [, listed = ""] = markdown.split("## Around the same time\n");
    assert.deepEqual([...listed.matchAll(/^- \[([^\]]+)/gm)].map(([, name]) => name), expected);
  }
  await using alone = await openSite([row({ "Name": "Alone" })]);
  assert.doesNotMatch((await alone.see("/events/alone")).html, /Around the same time/);
});
