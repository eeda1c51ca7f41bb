/**
 * `deno task test` runs every test, `deno task test:quick` (`--quick`) those that need no browser, no process of
 * their own and no long wait. Files share isolates: each isolate loads the modules of the service and builds the
 * islands once. A file's imports show whether it drives a browser or starts processes. Otherwise, a line of the file
 * says it: `// Not quick: ` or `// Alone: ` (in an isolate of its own), and the reason; `// Own runtime: ` keeps one
 * from the run on upstream Fresh. Properties try the same inputs in each run; `deno task test:random` (`--random`)
 * tries new ones.
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { distancesFrom, readSources, type Source } from "./support/import_graph.ts";
import { IS_OWN_RUNTIME } from "./support/runtime.ts";

/** Files that may share isolates. */
type Group = "alone" | "browser" | "processes" | "others";

/** Several times the duration of the tests on a slow machine. */
const LIMIT_MILLISECONDS = 30 * 60_000;

const root = new URL("..", import.meta.url).pathname;
const isQuickRun = Deno.args.includes("--quick");
/**
 * The number of isolates of each group, in the order of their start: few, since each loads the modules again, but
 * enough to keep two cores busy until the end.
 */
const ISOLATES: readonly (readonly [Group, number])[] = isQuickRun
  ? [["alone", Infinity], ["others", 2]]
  : [["alone", Infinity], ["browser", 2], ["processes", 3], ["others", 6]];

const sources = new Map((await readSources()).map((source) => [source.path, source]));
const all = [...sources.keys()].filter((path) => path.endsWith("_test.ts")).toSorted();
const files = (await Promise.all(all.map(describe))).filter(({ isQuick, isOfOwnRuntime }) =>
  (isQuick || !isQuickRun) && (IS_OWN_RUNTIME || !isOfOwnRuntime)
);

async function describe(path: string) {
  const text = await Deno.readTextFile(root + path);
  const isBrowser = reaches(path, ({ imports }) => imports.includes("playwright-core"));
  const hasProcess = reaches(path, ({ text }) => text.includes("new Deno.Command("));
  const group: Group = /^\/\/ Alone: /m.test(text)
    ? "alone"
    : isBrowser
    ? "browser"
    : hasProcess
    ? "processes"
    : "others";
  const isSlow = /^\/\/ Not quick: /m.test(text);
  const isOfOwnRuntime = /^\/\/ Own runtime: /m.test(text);
  return { path, group, isQuick: !isBrowser && !hasProcess && !isSlow, isOfOwnRuntime };
}

/** Whether a file, or a module of the tests that it imports, meets a condition. */
function reaches(path: string, condition: (source: Source) => boolean): boolean {
  return [...distancesFrom(path, sources).keys()].some((each) => {
    const source = each.startsWith("tests/") ? sources.get(each) : undefined;
    return source !== undefined && condition(source);
  });
}

/** Distributes the files of a group to isolates; neighbours, which often take equally long, to different ones. */
function deal(group: Group, count: number): string[][] {
  const paths = files.filter((file) => file.group === group).map(({ path }) => path);
  const hands = Array.from({ length: Math.min(count, paths.length) }, (): string[] => []);
  for (const [at, path] of paths.entries()) hands[at % hands.length]?.push(path);
  return hands;
}

console.log(
  isQuickRun
    ? `${files.length} of ${all.length} files of tests: none that needs a browser, a process or a long wait`
    : `All ${all.length} files of tests`,
);
const folder = await Deno.makeTempDir();
const hands = ISOLATES.flatMap(([group, count]) => deal(group, count));
const entries = await Promise.all(hands.map(async (paths, at) => {
  const entry = `${folder}/isolate_${String(at + 1).padStart(2, "0")}_test.ts`;
  // One after the other: a build of the islands ends the builds beside it.
  const imports = ["tests/support/fixed_seed.ts", ...paths]
    .map((path) => `await import("file://${root}${path}");\n`);
  await Deno.writeTextFile(entry, imports.join(""));
  return entry;
}));
// A hanging test must not keep a machine busy for hours.
const limit = AbortSignal.timeout(LIMIT_MILLISECONDS);
limit.addEventListener("abort", () => {
  console.error(`The tests were ended after ${LIMIT_MILLISECONDS / 60_000} minutes: one hangs.`);
});
const { code } = await new Deno.Command(Deno.execPath(), {
  args: [
    ...["test", "-A", "--no-check", "--quiet", "--parallel", "--lock=tests/deno.lock"],
    ...Deno.args.filter((each) => !["--quick", "--random"].includes(each)),
    ...entries,
  ],
  cwd: root,
  // One more than the number of cores, because some tests wait.
  env: {
    DENO_JOBS: Deno.env.get("DENO_JOBS") || String(navigator.hardwareConcurrency + 1),
    FOYER_RANDOM_INPUTS: Deno.args.includes("--random") ? "on" : "off",
  },
  stdout: "inherit",
  stderr: "inherit",
  signal: limit,
}).output();
await Deno.remove(folder, { recursive: true });
Deno.exit(code);
