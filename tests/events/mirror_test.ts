/** A consumer's copy of the events, made by the program in the guide, against the list itself. */
// Not quick: a thousand edits.

import assert from "node:assert/strict";
import { createCatalog } from "../../lib/events/catalog.ts";
import { parseListQuery } from "../../lib/events/query.ts";
import type { StoreRecord } from "../../lib/events/reading/record.ts";
import { createRandom } from "../../lib/sandbox/random.ts";
import { NOON, snapshotOf, throughBytes } from "./build.ts";
import type { Snapshot } from "../../lib/events/keeping/snapshot.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const BASE_URL = "https://foyer.example";

/** An event of the list. */
interface Listed {
  readonly id: string;
  readonly logoUrl: string | null;
  readonly background: { readonly imageUrl: string | null } | null;
}

/** The program of the guide, over a `fetch` of the test's own. */
interface Copy {
  readonly copy: Map<string, Listed>;
  update(): Promise<void>;
}

const guide = await Deno.readTextFile(new URL("../../static/docs/events.md", import.meta.url));
const [, program = ""] = /## Keep a copy\n[^]*?```ts\n([^]*?)\nawait update/.exec(guide) ?? [];

function startCopy(fetch: (url: URL) => Promise<Response>): Copy {
  return new Function("fetch", `${program}\nreturn { copy, update };`)(fetch);
}

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);
/** An image's signature changes without a change of the event. */
const lasting = (events: Iterable<Listed>) =>
  [...events].map(({ logoUrl, background, ...rest }) => ({
    ...rest,
    hasLogo: logoUrl !== null,
    background: background && { ...background, imageUrl: background.imageUrl !== null },
  })).toSorted((a, b) => a.id < b.id ? -1 : 1);

/** The filters of the copies; the guide's own program requests everything. */
const FILTERS = [
  "",
  "format=online&q=jam",
  "status=upcoming,ongoing&pinned=false",
  "when=next-week",
  "place=porto&place=Germany",
];
const STEPS = 1_000;

Deno.test("a copy that follows a thousand random edits is the list, with filters and without", async () => {
  const random = createRandom(21);
  const below = (limit: number) => random.int(0, limit - 1);
  const records = new Map<string, StoreRecord>();
  let now = NOON;
  /** Those that some isolate may still have. */
  let snapshots: { readonly snapshot: Snapshot; readonly at: number }[] = [];
  let answering = 0;

  /** Adds, changes or withdraws an event, or spoils or repairs its record. */
  function edit(): void {
    const id = `rec${below(30)}`;
    const known = records.get(id);
    const fields: Record<string, unknown> = {
      "Name": `${random.chance(0.5) ? "Game jam" : "Talk"} ${below(9)}`,
      "Description": random.chance(0.5) ? "A jam." : "",
      "Format": ["", "online", "in-person", "both"][below(4)],
      "In Person Location": ["", "Porto, Portugal", "Berlin, Deutschland", "TBA"][below(4)],
      "Pinned": random.chance(0.3),
      "Start Date": dateOf(now + (below(20) - 10) * DAY),
      "End Date": random.chance(0.3) ? "" : dateOf(now + (10 + below(10)) * DAY),
      "Logo Url": random.chance(0.3)
        ? [{ id: `att${below(3)}`, url: `https://signed.example/${below(999)}` }]
        : [],
    };
    if (known === undefined) {
      records.set(id, { id, createdTime: new Date(now).toISOString(), fields });
    } else if (random.chance(0.3)) records.delete(id);
    else if (random.chance(0.2)) {
      // A record without a date is not an event. A repair may restore the same event.
      const { "Start Date": start, "Was": was = start, ...rest } = known.fields;
      const changed = start === "soon"
        ? { "Start Date": was }
        : { "Start Date": "soon", "Was": was };
      records.set(id, { ...known, fields: { ...rest, ...changed } });
    } else {
      const changed = Object.entries(fields).filter(() => random.chance(0.4));
      records.set(id, { ...known, fields: { ...known.fields, ...Object.fromEntries(changed) } });
    }
  }

  async function read(): Promise<void> {
    const last = snapshots.at(-1)?.snapshot ?? null;
    // The clocks of isolates differ by some seconds.
    const readAt = now + below(4_000) - 2_000;
    const built = await snapshotOf([...records.values()], last, readAt);
    const snapshot = random.chance(0.1) ? await throughBytes(built, built) : built;
    snapshots = [...snapshots, { snapshot, at: now }].filter(({ at }) => now - at < 5 * MINUTE);
  }

  async function ask(search: string): Promise<Response> {
    const { snapshot } = snapshots[answering] ?? assert.fail();
    const catalog = createCatalog(snapshot, {
      timeZone: "UTC",
      baseUrl: BASE_URL,
      origin: "appTest",
      now: () => now,
    });
    const { representation } = await catalog.list(parseListQuery(`?${search}`));
    return await representation.send("identity", { maxAgeSeconds: 0 });
  }

  const asked = { whole: 0, changes: 0 };
  const copies = FILTERS.map((filter) => ({
    filter,
    ...startCopy(({ searchParams }) => {
      asked[searchParams.size === 0 ? "whole" : "changes"]++;
      return ask([filter, searchParams].join("&"));
    }),
  }));
  let compared = 0;
  let awakeAt = 0;
  for (let step = 0; step < STEPS; step++) {
    now += random.chance(0.02) ? below(40) * DAY : below(5) * MINUTE;
    edit();
    if (step > 0 && random.chance(0.5)) continue;
    await read();
    // A consumer that pauses while its list changes and months pass.
    if (random.chance(0.03)) awakeAt = step + below(60);
    if (step < awakeAt) continue;
    if (random.chance(0.3)) {
      // An isolate that has not loaded the last snapshots.
      answering = below(snapshots.length);
      for (const { update } of copies) await update();
    }
    if (random.chance(0.2)) continue;
    answering = snapshots.length - 1;
    for (const { filter, copy, update } of copies) {
      await update();
      const { data } = await (await ask(filter)).json();
      compared += data.length;
      assert.deepEqual(lasting(copy.values()), lasting(data), `step ${step}: ${filter}`);
    }
  }
  const { whole, changes } = asked;
  // Only an absence of more than 30 days makes a copy read everything again.
  assert.ok(changes > 1_000 && whole < 60 && compared > 5_000, Deno.inspect({ asked, compared }));
});
