/** Which tests may find a fault in a file: those that reach it by imports, by name or by its folder. */

import { distancesFrom, type Source } from "../support/import_graph.ts";

/**
 * The files that the runtime finds by their folder, and no module imports. They belong to every module that reaches
 * this one.
 */
const APP = "app.ts";
const FOUND_BY_FOLDER = /^(?:routes|islands)\/|^lib\/platform\/fresh\/client/;
/** The distance from a test to a program that it starts by its path. */
const NAMED_DISTANCE = 0.5;
/** The parts of the service that run outside a test's isolate, where their coverage is not measured. */
const APART = /new Deno\.Command\(|"playwright-core"/;

/** A file of tests, as seen from a file with a fault. */
interface Candidate {
  readonly test: string;
  /** How unlikely the test is to find a fault in the file, from 0. */
  readonly distance: number;
  /** Whether it starts a process or a browser, whose lines its coverage lacks. */
  readonly isApart: boolean;
}

/** For each file with code of the service: the tests that reach it, in no order. */
export function reachingTests(
  all: readonly Source[],
  isMutated: (path: string) => boolean,
  aliases: Readonly<Record<string, string>> = {},
): Map<string, Candidate[]> {
  const sources = new Map(all.map((source) => [source.path, source]));
  const mutated = [...sources.keys()].filter(isMutated);
  const reaching = new Map<string, Candidate[]>();
  const reachedFrom = memoize((path) => distancesFrom(path, sources, aliases));
  for (const [test, { text }] of sources) {
    if (!test.endsWith("_test.ts") || test.startsWith("tests/mutation/")) continue;
    const distances = new Map(reachedFrom(test));
    const isApart = [...distances.keys()].some((path) =>
      path.startsWith("tests/") && APART.test(sources.get(path)?.text ?? "")
    );
    const follow = (path: string, distance: number) => {
      for (const [reached, further] of reachedFrom(path)) {
        const whole = distance + further;
        if (whole < (distances.get(reached) ?? Infinity)) distances.set(reached, whole);
      }
    };
    for (const path of mutated) {
      if (text.includes(`"${path}"`) || text.includes(`/${path}"`)) follow(path, NAMED_DISTANCE);
    }
    const app = distances.get(APP);
    for (const path of app === undefined ? [] : sources.keys()) {
      if (FOUND_BY_FOLDER.test(path)) follow(path, (app ?? 0) + 1);
    }
    for (const path of mutated) {
      const imports = distances.get(path);
      if (imports === undefined) continue;
      const distance = isNamesake(test, path)
        ? 0
        : imports * (roomOf(test) === roomOf(path) ? 1 : 2);
      reaching.set(path, [...reaching.get(path) ?? [], { test, distance, isApart }]);
    }
  }
  return reaching;
}

/** The result of one run of a test file without a fault. */
export interface Baseline {
  /** The lines of the test and of everything that it reached. */
  readonly digest: string;
  readonly passes: boolean;
  readonly milliseconds: number;
  /** The lines of each file that ran in the test's own isolate. */
  readonly lines: Readonly<Record<string, readonly number[]>>;
}

/**
 * The tests to run against a fault in a line, the best first: those that run the line or are named after the
 * file, near and quick ones before others, then those that start a process or a browser. The others follow if
 * no test is known to run the line. A test that fails without a fault proves nothing.
 */
export function orderTests(
  candidates: readonly Candidate[],
  baselines: ReadonlyMap<string, Baseline>,
  path: string,
  line: number,
): string[] {
  const price = ({ test, distance }: Candidate) =>
    (distance + 1) ** 3 * (baselines.get(test)?.milliseconds ?? 0);
  const covers = ({ test }: Candidate) => baselines.get(test)?.lines[path]?.includes(line) === true;
  const classOf = (each: Candidate) =>
    covers(each) || each.isApart && each.distance === 0 ? 0 : each.isApart ? 1 : 2;
  const useful = candidates.filter(({ test }) => baselines.get(test)?.passes)
    .toSorted((one, other) => classOf(one) - classOf(other) || price(one) - price(other));
  const isRun = useful.some(covers);
  return useful.filter((each) => !isRun || classOf(each) < 2).map(({ test }) => test);
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

/** `lib/platform/kv/lease.ts` and `tests/platform/kv/lease_test.ts` are of one folder; so are a file and a test of the root. */
function roomOf(path: string): string {
  const parts = path.replace(/^(?:lib|tests)\//, "").split("/");
  return parts.length > 1 ? parts[0] ?? "" : "";
}
