/** Which tests may see a fault in a file: those that reach it, the nearest first. */

import { distancesFrom, type Source } from "../support/import_graph.ts";

/** What the runtime finds by its folder, and no module imports; every module that reaches this has it. */
const APP = "app.ts";
const FOUND_BY_FOLDER = /^(?:routes|islands)\/|^lib\/fresh\/client/;
/** What runs in a browser, with all that it imports. */
const FOR_BROWSERS = /^islands\/|\/\(_islands\)\/|^lib\/fresh\/client/;
/** How far a test lies from a program whose path it names, to start it. */
const NAMED_DISTANCE = 0.5;
const BROWSER = "playwright-core";

/** For each file with code of the service: the tests to run against a fault in it, in their order. */
export function nearestTests(
  all: readonly Source[],
  isMutated: (path: string) => boolean,
  aliases: Readonly<Record<string, string>> = {},
): Map<string, string[]> {
  const sources = new Map(all.map((source) => [source.path, source]));
  const paths = [...sources.keys()];
  const inBrowsers = new Set(
    paths.filter((path) => FOR_BROWSERS.test(path))
      .flatMap((path) => [...distancesFrom(path, sources, aliases).keys()]),
  );
  const found = new Map<string, { readonly test: string; readonly rank: readonly number[] }[]>();
  const reachedFrom = memoize((path) => distancesFrom(path, sources, aliases));
  for (const [test, { text }] of sources) {
    if (!test.endsWith("_test.ts") || test.startsWith("tests/mutation/")) continue;
    const distances = new Map(reachedFrom(test));
    const follow = (path: string, distance: number) => {
      for (const [reached, further] of reachedFrom(path)) {
        const whole = distance + further;
        if (whole < (distances.get(reached) ?? Infinity)) distances.set(reached, whole);
      }
    };
    for (const path of paths) {
      if (isMutated(path) && (text.includes(`"${path}"`) || text.includes(`/${path}"`))) {
        follow(path, NAMED_DISTANCE);
      }
    }
    const app = distances.get(APP);
    for (const path of app === undefined ? [] : paths) {
      if (FOUND_BY_FOLDER.test(path)) follow(path, (app ?? 0) + 1);
    }
    const isInBrowser = [...distances.keys()].some((path) =>
      path.startsWith("tests/") && sources.get(path)?.imports.includes(BROWSER)
    );
    for (const path of paths) {
      if (!isMutated(path)) continue;
      const distance = distances.get(path);
      if (distance === undefined) continue;
      const words = wordsOf(path);
      // A test of this very file comes first. A browser costs most, so that its tests come last. Of two tests as near, the one of the same room comes first, then the one whose
      // name, and then whose text, has more of the words of the file's path.
      const rank = [
        -Number(isNamesake(test, path)),
        Number(isInBrowser && !inBrowsers.has(path)),
        distance,
        Number(roomOf(test) !== roomOf(path)),
        -words.filter((word) => test.includes(word)).length,
        -words.filter((word) => text.includes(word)).length,
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

function memoize<T>(make: (path: string) => T): (path: string) => T {
  const made = new Map<string, T>();
  return (path) => {
    const value = made.get(path) ?? make(path);
    made.set(path, value);
    return value;
  };
}

function isNamesake(test: string, path: string): boolean {
  const nameOf = (file: string) => file.split("/").at(-1)?.replace(/(?:_test)?\.tsx?$/, "");
  return nameOf(test) === nameOf(path);
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
