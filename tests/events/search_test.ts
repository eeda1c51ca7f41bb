/** The search, through the public door: where it looks, what it finds, and what it takes a typo for. */

import assert from "node:assert/strict";
import { row, startFoyer } from "../support/foyer.ts";

const RECORDS = [
  row({
    "id": "recA",
    "Name": "Women’s Game‑Jam",
    "Description": "We meet in the Straße der Jugend, U.S.A. style. **B**ring a\\_b.",
    "Project Types": ["Gamedev"],
    "In Person Location": "München, Germany",
  }),
  row({
    "id": "recB",
    "Name": "バスの日",
    "Requirements": "Ein Löt\u00adkolben, z.B. from Łódź",
    "Slack Channel": "co-working",
    "In Person Location": "Århus",
  }),
  row({ "id": "recC", "Name": "דמו בצה״ל", "Description": "दिल्ली में", "Project Types": ["CAD"] }),
];

const FOUND: readonly (readonly [typed: string, ids: readonly string[]])[] = [
  // Everywhere that readers read, in any order of the words.
  ["jam women's", ["recA"]],
  ["Germany", ["recA"]],
  ["games", ["recA"]],
  ["gamedev", ["recA"]],
  ["cad", ["recC"]],
  ["#co-working", ["recB"]],
  ["lötkolben", ["recB"]],
  // In any spelling.
  ["game-jam", ["recA"]],
  ["GAMEJAM", ["recA"]],
  ["“game jam”", ["recA"]],
  ["strasse usa", ["recA"]],
  ["munchen", ["recA"]],
  ["Muenchen", ["recA"]],
  ["aarhus", ["recB"]],
  ["coworking", ["recB"]],
  ["lodz", ["recB"]],
  ["bring a_b", ["recA"]],
  ['צה"ל', ["recC"]],
  ["ﾊﾞｽ", ["recB"]],
  ["दिल्ली", ["recC"]],
  // Letters that are others.
  ["ハス", []],
  ["दल", []],
  // A quote alone says nothing.
  ["’", ["recA", "recB", "recC"]],
];

Deno.test("a search finds what a reader means, whatever they type on", async () => {
  await using foyer = await startFoyer({ records: RECORDS });
  for (const [typed, ids] of FOUND) {
    const search = `?${new URLSearchParams({ q: typed })}`;
    const { data } = await (await foyer.answer(`/api/v1/events${search}`)).json();
    assert.deepEqual(data.map(({ id }: { id: string }) => id).toSorted(), ids, typed);
  }
});

Deno.test("a typo is corrected by the words of every text, and no word of the search is lost", async () => {
  await using foyer = await startFoyer({ records: RECORDS });
  const table = [
    ["munhcen", "munchen"],
    ["gmae-jam germnay", "game jam germany"],
    ["दिल्लि", "दिल्ली"],
    ["we meet in the strasse der jugnd", "we meet in the strasse der jugend"],
    ["munhcen xyzzy", null],
  ] as const;
  for (const [typed, meant] of table) {
    const page = await foyer.answer(`/index.md?${new URLSearchParams({ q: typed })}`);
    const [, suggested = null] = /Did you mean \[(.*?)\]/.exec(await page.text()) ?? [];
    assert.equal(suggested, meant, typed);
  }
});

Deno.test("names are in the order of readers, in the list and on the page", async () => {
  const names =
    "2 Years,10 Years,Ähre,Äpfel 2,Äpfel 10,apple,Banana,Éclair,iOS Night,Øl,Zebra,Яблоко,東京";
  const inOrder = names.split(",");
  await using foyer = await startFoyer({
    records: inOrder.toSorted().map((name, at) => row({ "id": `rec${at}`, "Name": name })),
  });
  for (const order of ["asc", "desc"]) {
    const { data } = await (await foyer.answer(`/api/v1/events?sort=name&order=${order}`)).json();
    const found = data.map(({ name }: { name: string }) => name);
    assert.deepEqual(found, order === "asc" ? inOrder : inOrder.toReversed());
  }
  const page = await (await foyer.answer("/index.md?sort=name")).text();
  assert.deepEqual([...page.matchAll(/^- \[(.*?)\]/gm)].map(([, name]) => name), inOrder);
});
