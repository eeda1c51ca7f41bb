/** Which tests may find a fault in a file: those that reach it by imports, by name or by its folder. */

import { distancesFrom, type Source } from "../support/import_graph.ts";

/** The files that the runtime finds by their folder, and no module imports; whatever reaches `app.ts` reaches them. */
const FOUND_BY_FOLDER = /^(?:routes|islands)\/|^lib\/platform\/fresh\/client/;
/** Tests that start a process or a browser, which take long. */
const SLOW = /new Deno\.Command\(|"playwright-core"/;
const SLOW_DISTANCE = 10;

/**
 * Makes a function that lists the tests which reach a file, the likeliest to find a fault in it first: its namesake,
 * then the near and quick ones. A name in `aliases` stands for its file of the tree.
 */
export function createNearest(
  all: readonly Source[],
  aliases: Readonly<Record<string, string>>,
): (path: string) => string[] {
  const sources = new Map(all.map((source) => [source.path, source]));
  const byFolder = [...sources.keys()].filter((path) => FOUND_BY_FOLDER.test(path));
  const tests = [...sources.keys()].filter((path) => path.endsWith("_test.ts")).map((test) => {
    const distances = distancesFrom(test, sources, aliases);
    const isSlow = [...distances.keys()].some((path) =>
      path.startsWith("tests/") && SLOW.test(sources.get(path)?.text ?? "")
    );
    const app = distances.get("app.ts");
    for (const start of app === undefined ? [] : byFolder) {
      for (const [path, further] of distancesFrom(start, sources, aliases)) {
        const distance = (app ?? 0) + 1 + further;
        if (distance < (distances.get(path) ?? Infinity)) distances.set(path, distance);
      }
    }
    // A program that the test starts by its path.
    for (const [, path = ""] of (sources.get(test)?.text ?? "").matchAll(/"\/?([\w/]+\.tsx?)"/g)) {
      if (sources.has(path) && !distances.has(path)) distances.set(path, 0.5);
    }
    return { test, distances, isSlow };
  });
  return function nearest(path) {
    const rank = ({ test, distances, isSlow }: typeof tests[number]) =>
      nameOf(test) === nameOf(path)
        ? -1
        : (distances.get(path) ?? 0) + (isSlow ? SLOW_DISTANCE : 0);
    return tests.filter(({ distances }) => distances.has(path))
      .toSorted((one, other) => rank(one) - rank(other)).map(({ test }) => test);
  };
}

function nameOf(file: string): string | undefined {
  return file.split("/").at(-1)?.replace(/(?:_test)?\.tsx?$/, "");
}
