/**
 * `deno task test:quick`: the tests that need no browser, no process of their own and no long wait. What a
 * test imports tells of the first two. A file that takes long for another reason, or cannot share its
 * isolate with others, says so in a line of its own: `// Not quick: ` and the reason.
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { distancesFrom, readSources, type Source } from "./support/import_graph.ts";

const root = new URL("..", import.meta.url).pathname;
/** What starts a process or drives a browser. */
const isHeavySource = ({ text, imports }: Source) =>
  text.includes("new Deno.Command(") || imports.includes("playwright-core");
/** As many as the machine that this is measured for has cores. */
const ENTRIES = 2;
const MARK = /^\/\/ Not quick: /m;

const sources = new Map((await readSources()).map((source) => [source.path, source]));
const tests = [...sources.keys()].filter((path) => path.endsWith("_test.ts")).toSorted();
const needs = new Map<string, "a browser or a process" | "its mark" | null>();
for (const path of tests) {
  const reached = [...distancesFrom(path, sources).keys()];
  const isHeavy = reached.some((each) => {
    const source = each.startsWith("tests/") ? sources.get(each) : undefined;
    return source !== undefined && isHeavySource(source);
  });
  const isMarked = MARK.test(await Deno.readTextFile(root + path));
  needs.set(path, isHeavy ? "a browser or a process" : isMarked ? "its mark" : null);
}
const ofNeed = (need: string | null) => tests.filter((path) => needs.get(path) === need);
const quick = ofNeed(null);
console.log(
  `${quick.length} files of tests; left out: ${
    ofNeed("a browser or a process").length
  } that need ` +
    `a browser or a process, ${
      ofNeed("its mark").length
    } marked as not quick (deno task test runs all)`,
);
// Each entry is one isolate, in which the modules of the service are loaded once and not for every file:
// one after the other, since a build of the islands ends the builds beside it.
const folder = await Deno.makeTempDir();
const entries = await Promise.all(Array.from({ length: ENTRIES }, async (_, entry) => {
  const imports = quick.filter((_, at) => at % ENTRIES === entry)
    .map((path) => `await import("file://${root}${path}");\n`);
  await Deno.writeTextFile(`${folder}/quick_${entry + 1}_test.ts`, imports.join(""));
  return `${folder}/quick_${entry + 1}_test.ts`;
}));
const { code } = await new Deno.Command(Deno.execPath(), {
  args: [
    ...["test", "-A", "--no-check", "--quiet", "--parallel", "--lock=tests/deno.lock"],
    ...Deno.args,
    ...entries,
  ],
  cwd: root,
  stdout: "inherit",
  stderr: "inherit",
}).output();
await Deno.remove(folder, { recursive: true });
Deno.exit(code);
