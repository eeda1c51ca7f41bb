/**
 * `deno task mutate [--count 200] [--seed 1] [--under lib/proxy] [--tests 24]`: breaks the code in so many
 * places, one after the other, and says which faults no test has seen. Each is tried in a copy of the tree,
 * on the tests that reach the file, the nearest first, until one is red or so many have passed. `--under`
 * may be given several times.
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { parseArgs } from "node:util";
import configuration from "../../deno.json" with { type: "json" };
import { createRandom } from "../../lib/sandbox/random.ts";
import { readSources } from "../support/import_graph.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { nearestTests } from "./nearest.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** Everything but what serves tests alone. */
const NOT_MUTATED = /^(?:tests|bench|lib\/sandbox)\//;
const COPIES = 2;
/** Of files with tests, how many run in one process: few at first, since most faults are seen at once. */
const BATCHES = [2, 6];
/** A fault may make a loop endless: then the tests have seen it. */
const PATIENCE_MILLISECONDS = 180_000;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    under: { type: "string", multiple: true, default: [""] },
    tests: { type: "string", default: "24" },
  },
});
for (const name of ["count", "seed", "tests"] as const) {
  if (/^[1-9]\d{0,8}$/.test(values[name])) continue;
  console.error(`--${name} ${values[name]}: expected a whole number from 1`);
  Deno.exit(2);
}
const random = createRandom(Number(values.seed));
const sources = await readSources();
const aliases = Object.fromEntries(
  Object.entries(configuration.imports).filter(([, target]) => target.startsWith("./"))
    .map(([name, target]) => [name, target.slice(2)]),
);
const testsOf = nearestTests(sources, (path) => !NOT_MUTATED.test(path), aliases);
const all = await listMutants(values.under);
const chosen = Array.from({ length: Math.min(Number(values.count), all.length) }, () => {
  return all.splice(random.int(0, all.length - 1), 1)[0] as Mutant;
});
console.log(`${chosen.length} faults of ${all.length + chosen.length}`);

const tally = new Map<string, { tried: number; seen: number }>();
let tried = 0;
await Promise.all(Array.from({ length: COPIES }, async () => {
  const copy = await copyTree();
  for (let mutant = chosen.pop(); mutant !== undefined; mutant = chosen.pop()) {
    const isSeen = await isKilled(mutant, copy);
    const room = folderOf(mutant.path);
    const counts = tally.get(room) ?? { tried: 0, seen: 0 };
    tally.set(room, { tried: counts.tried + 1, seen: counts.seen + Number(isSeen) });
    if (++tried % 20 === 0) console.error(`${tried} tried`);
    if (!isSeen) console.log(`SURVIVED ${describe(mutant)}`);
  }
  await Deno.remove(copy, { recursive: true });
}));
for (const [room, { tried, seen }] of [...tally].toSorted()) {
  console.log(`${room}: ${seen} of ${tried} seen (${percent(seen, tried)} %)`);
}
const seen = [...tally.values()].reduce((sum, counts) => sum + counts.seen, 0);
console.log(`${seen} of ${tried} seen (${percent(seen, tried)} %)`);

function percent(part: number, whole: number): string {
  return (100 * part / whole).toFixed(1);
}

function folderOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first === "lib" && path.split("/").length > 2
    ? `lib/${second}`
    : path.includes("/")
    ? first
    : "(root)";
}

async function listMutants(under: readonly string[]): Promise<Mutant[]> {
  const mutants: Mutant[] = [];
  const paths = sources.map(({ path }) => path).filter((path) => !NOT_MUTATED.test(path))
    .toSorted();
  for (const path of paths.filter((path) => under.some((start) => path.startsWith(start)))) {
    mutants.push(...mutantsOf(path, await Deno.readTextFile(ROOT + path)));
  }
  return mutants;
}

/** What git knows of the tree, changes that are not committed included, with the packages beside it. */
async function copyTree(): Promise<string> {
  const copy = await Deno.makeTempDir();
  const run = async (command: string, ...args: string[]) => {
    const { success, stdout, stderr } = await new Deno.Command(command, { args, cwd: ROOT })
      .output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  };
  const known = await run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard");
  const files = known.split("\0").filter((path) => path !== "" && isThere(path));
  await Deno.mkdir(`${copy}/foyer`);
  await run("cp", "-a", "--parents", "-t", `${copy}/foyer`, ...files);
  await run("cp", "-a", "node_modules", `${copy}/foyer/`);
  return copy;
}

function isThere(path: string): boolean {
  try {
    return !Deno.lstatSync(ROOT + path).isDirectory;
  } catch (error) {
    // Deleted, and not yet committed.
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function isKilled(mutant: Mutant, copy: string): Promise<boolean> {
  const path = `${copy}/foyer/${mutant.path}`;
  const original = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, mutant.text);
  try {
    for (const tests of batchesOf(mutant.path)) {
      if (!await passes(tests, `${copy}/foyer`)) return true;
    }
    return false;
  } finally {
    await Deno.writeTextFile(path, original);
  }
}

function batchesOf(path: string): string[][] {
  const tests = (testsOf.get(path) ?? []).slice(0, Number(values.tests));
  const bounds = [0, ...BATCHES, tests.length];
  return bounds.slice(1).map((end, at) => tests.slice(bounds[at], end)).filter(({ length }) =>
    length > 0
  );
}

async function passes(tests: readonly string[], cwd: string): Promise<boolean> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "-A",
      "--no-check",
      "--quiet",
      "--fail-fast",
      "--lock=tests/deno.lock",
      ...tests,
    ],
    cwd,
    stdout: "null",
    stderr: "null",
    signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
  }).output();
  return success;
}

function describe({ path, line, before, after }: Mutant): string {
  return `${path}:${line}\n  - ${before}\n  + ${after}`;
}
