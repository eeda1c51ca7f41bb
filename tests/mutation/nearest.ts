/** Which tests may see a fault in a file: those that reach it, the nearest first. */

import { distancesFrom, type Source } from "../support/import_graph.ts";

/** What the runtime finds by its folder, and no module imports; every module that reaches this has it. */
const APP = "app.tsx";
const FOUND_BY_FOLDER = /^(?:routes|islands)\//;
/** How far a test lies from a file whose path it names, to start it or to read it. */
const NAMED_DISTANCE = 0.5;
const BROWSER = '"playwright-core"';

/** For each file with code of the service: the tests to run against a fault in it, in their order. */
export function nearestTests(
  all: readonly Source[],
  isMutated: (path: string) => boolean,
): Map<string, string[]> {
  const sources = new Map(all.map((source) => [source.path, source]));
  const found = new Map<string, { readonly test: string; readonly rank: readonly number[] }[]>();
  for (const [test, { text }] of sources) {
    if (!test.endsWith("_test.ts")) continue;
    const distances = distancesWithFolders(test, sources);
    const isInBrowser = [...distances.keys()].some((path) =>
      sources.get(path)?.text.includes(BROWSER)
    );
    for (const path of sources.keys()) {
      if (!isMutated(path)) continue;
      const isNamed = text.includes(`"${path}"`) || text.includes(`/${path}"`);
      const distance = isNamed ? NAMED_DISTANCE : distances.get(path);
      if (distance === undefined) continue;
      // A browser costs most. Of two tests as near, the one of the same room comes first, then the one that
      // says more of the words of the file's path.
      const rank = [
        Number(isInBrowser && !path.startsWith("islands/")),
        distance,
        Number(roomOf(test) !== roomOf(path)),
        -wordsOf(path).filter((word) => text.includes(word)).length,
      ];
      const others = found.get(path);
      if (others === undefined) found.set(path, [{ test, rank }]);
      else others.push({ test, rank });
    }
  }
  return new Map([...found].map(([path, tests]) => [
    path,
    tests.toSorted((one, other) =>
      compare(one.rank, other.rank) || (one.test < other.test ? -1 : 1)
    )
      .map(({ test }) => test),
  ]));
}

function distancesWithFolders(test: string, sources: ReadonlyMap<string, Source>) {
  const distances = distancesFrom(test, sources);
  const app = distances.get(APP);
  if (app === undefined) return distances;
  for (const path of sources.keys()) {
    if (!FOUND_BY_FOLDER.test(path)) continue;
    for (const [reached, further] of distancesFrom(path, sources)) {
      const distance = app + 1 + further;
      if (distance < (distances.get(reached) ?? Infinity)) distances.set(reached, distance);
    }
  }
  return distances;
}

/** `lib/kv/lease.ts` and `tests/kv/lease_test.ts` are of one room; so are a file and a test of the root. */
export function roomOf(path: string): string {
  const parts = path.replace(/^(?:lib|tests)\//, "").split("/");
  return parts.length > 1 ? parts[0] ?? "" : "";
}

function wordsOf(path: string): string[] {
  return path.split(/\W|_/).filter((word) =>
    word.length > 2 && !/^(?:lib|routes|tsx|index)$/.test(word)
  );
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, at) => value !== other[at]);
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}
