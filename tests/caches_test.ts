/**
 * What the service keeps between requests is keyed by what it made itself: ids, digests, canonical queries. A key that is
 * a visitor's text would let any visitor fill the memory.
 */

import assert from "node:assert/strict";

/** Each cache by size, with its keys. `memoize` and `WeakMap` are keyed by objects, which live elsewhere. */
const CACHES: Readonly<Record<string, string>> = {
  "components/shared/kept_pages.tsx": "addresses of pages without a query",
  "lib/events/catalog.ts":
    "canonical queries; ids of events; addresses of documents without a query",
  "lib/events/pictures/images.ts": "ids of events with the kind and width of their images",
  "lib/events/pictures/picture_process.ts": "versions of pictures",
  "lib/events/pictures/sharing_pictures.ts": "ids of events",
  "lib/accounts/authenticate.ts": "keys that were right",
  "lib/accounts/key_cache.ts": "ids of keys, which have one length",
  "lib/accounts/last_use.ts": "ids of keys",
  "lib/proxy/ledger/internal/queue.ts": "ids of accounts",
  "lib/proxy/models.ts": "ids of listed models; a category or an order of the router",
};

/** Every other file with a map, or a set of texts, that begins empty: those that last, with their keys, and those of one call. */
const MAPS: Readonly<Record<string, string>> = {
  "components/shared/card_text.tsx": "kinds of cards",
  "lib/platform/cache.ts": "keys of the caches above, while their values are made",
  "lib/events/site/corrections.ts": "words of events",
  "lib/members/sign_in.ts": "states of running sign-ins, until each ends",
  "lib/platform/fresh/build.ts": "files of the build",
  "lib/platform/fresh/router.ts": "routes",
  "lib/proxy/internal/in_flight.ts": "ids of accounts with requests",
  "lib/proxy/limits.ts": "ids of accounts, for a second",
  "lib/proxy/records/refusals.ts": "kinds of refusals of known keys, until they are written",
  "middleware/files.ts": "names of files that exist",
  ...Object.fromEntries(
    [
      "components/shared/Spending.tsx",
      "lib/events/airtable/table.ts",
      "lib/events/countries.ts",
      "lib/events/description.ts",
      "lib/events/reading/loss.ts",
      "lib/events/places.ts",
      "lib/events/reading/slugs.ts",
      "lib/events/keeping/snapshot.ts",
      "lib/events/theme/theme.ts",
      "lib/operate/backup/restore.ts",
      "lib/operate/health/history.ts",
      "lib/operate/jobs.ts",
      "lib/operate/notices.ts",
      "lib/operate/desk_summary.ts",
      "lib/operate/status/report.ts",
      "lib/platform/fresh/render.ts",
      "lib/platform/http/negotiate.ts",
      "lib/accounts/import.ts",
      "lib/proxy/ledger/reconcile.ts",
      "lib/proxy/ledger/read.ts",
      "lib/proxy/internal/model_source.ts",
      "lib/proxy/records/tally.ts",
    ].map((file) => [file, "made for one call"]),
  ),
};

/** The files of the service with a pattern in their text. */
async function filesWith(pattern: RegExp): Promise<string[]> {
  const root = new URL("../", import.meta.url);
  const found: string[] = [];
  async function visit(folder: string) {
    for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
      const path = folder + name;
      if (isDirectory && path !== "lib/sandbox") await visit(`${path}/`);
      if (!/\.tsx?$/.test(name)) continue;
      if (pattern.test(await Deno.readTextFile(new URL(path, root)))) found.push(path);
    }
  }
  for (const folder of ["lib/", "routes/", "components/", "middleware/", "islands/"]) {
    await visit(folder);
  }
  return found.toSorted();
}

Deno.test("every cache has keys that this service makes", async () => {
  const caches = await filesWith(/new LRUCache\b|\bcreateCache[(<]/);
  assert.deepEqual(
    caches.filter((file) => file !== "lib/platform/cache.ts"),
    Object.keys(CACHES).toSorted(),
  );
  const maps = await filesWith(/new (?:Map(?:<[^(]*>)?|Set<string>)\(\)/);
  assert.deepEqual(
    maps.filter((file) => !(file in CACHES)),
    Object.keys(MAPS).toSorted(),
    "A new map or set is listed above: with its keys if it lasts longer than a call.",
  );
});
