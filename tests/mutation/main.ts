/**
 * `deno task mutate [--count 200] [--seed 1] [--skip 0] [--under lib/proxy] [--seconds 60] [--jobs 2]`: puts faults
 * into the code, one after the other, and lists those that no test finds. Each is tried in a copy of the tree, on the
 * tests that run its line, near and quick ones first, until one fails or `--seconds` of tests have passed. `--skip`
 * resumes a run of the same seed; `--under` is the beginning of a path, or a line such as `lib/platform/text.ts:12`, and may
 * be repeated.
 *
 * Each file of tests runs once without a fault, to measure its time and its lines. `.data/` keeps the measurements
 * until the test or a module that it reaches changes.
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { createHash, type Hash } from "node:crypto";
import { parseArgs } from "node:util";
import configuration from "../../deno.json" with { type: "json" };
import { createRandom } from "../../lib/sandbox/random.ts";
import { readSources } from "../support/import_graph.ts";
import { measureBaseline, passesWithFault } from "./baseline.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { type Baseline, orderTests, reachingTests } from "./nearest.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** All modules except those for tests only. */
const NOT_MUTATED = /^(?:tests|bench|lib\/sandbox)\//;
const KEPT_BASELINES = `${ROOT}.data/mutation.json`;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    skip: { type: "string", default: "0" },
    under: { type: "string", multiple: true, default: [""] },
    seconds: { type: "string", default: "60" },
    jobs: { type: "string", default: "2" },
  },
});
for (const name of ["count", "seed", "skip", "seconds", "jobs"] as const) {
  if (/^\d{1,9}$/.test(values[name])) continue;
  console.error(`--${name} ${values[name]}: expected a whole number`);
  Deno.exit(2);
}
const random = createRandom(Number(values.seed));
const sources = await readSources();
const aliases = Object.fromEntries(
  Object.entries(configuration.imports).filter(([, target]) => target.startsWith("./"))
    .map(([name, target]) => [name, target.slice(2)]),
);
const candidates = reachingTests(sources, (path) => !NOT_MUTATED.test(path), aliases);
const all = await listMutants(values.under);
const whole = all.length;
const [skip, count] = [Number(values.skip), Number(values.count)];
const chosen = Array.from({ length: Math.min(skip + count, whole) }, () => {
  return all.splice(random.int(0, all.length - 1), 1)[0] as Mutant;
}).slice(skip);
console.log(`${chosen.length} faults of ${whole}`);

const copies = await Promise.all(Array.from({ length: Number(values.jobs) }, copyTree));
const digests = digestTests();
const baselines = await readBaselines();
await keepBaselines();
const tally = new Map<string, { tried: number; seen: number }>();
const startedAt = performance.now();
let tried = 0;
await inCopies(chosen, async (mutant, copy) => {
  const isSeen = await isKilled(mutant, copy);
  const folder = folderOf(mutant.path);
  const counts = tally.get(folder) ?? { tried: 0, seen: 0 };
  tally.set(folder, { tried: counts.tried + 1, seen: counts.seen + Number(isSeen) });
  if (!isSeen) console.log(`SURVIVED ${describe(mutant)}`);
  if (++tried % 10 === 0) console.error(`${tried} tried`);
});
const seconds = (performance.now() - startedAt) / 1000;
await Promise.all(copies.map((copy) => Deno.remove(copy, { recursive: true })));
for (const [folder, { tried, seen }] of [...tally].toSorted()) {
  console.log(`${folder}: ${seen} of ${tried} seen (${percent(seen, tried)} %)`);
}
const seen = [...tally.values()].reduce((sum, counts) => sum + counts.seen, 0);
console.log(
  `${seen} of ${chosen.length} seen (${percent(seen, chosen.length)} %), ` +
    `${(seconds / chosen.length).toFixed(1)} s each`,
);

/** Processes items, as many at once as there are copies of the tree. */
async function inCopies<T>(
  things: readonly T[],
  act: (thing: T, copy: string) => Promise<void>,
): Promise<void> {
  const left = things.values();
  await Promise.all(copies.map(async (copy) => {
    // An iterator shared by several loops gives each item to one of them.
    for (const thing of left) await act(thing, copy);
  }));
}

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
  for (const path of paths) {
    const those = mutantsOf(path, await Deno.readTextFile(ROOT + path));
    mutants.push(
      ...those.filter(({ line }) =>
        under.some((start) => path.startsWith(start) || start === `${path}:${line}`)
      ),
    );
  }
  return mutants;
}

/** A copy of the tree as git knows it, with uncommitted changes and the packages. */
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
  await run("cp", "-a", "--parents", "-t", copy, ...files);
  await run("cp", "-a", "node_modules", copy);
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

/** A digest of each file of tests with every module that it reaches. */
function digestTests(): Map<string, string> {
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  const hashes = new Map<string, Hash>();
  for (const [path, those] of candidates) {
    for (const { test } of those) {
      const hash = hashes.get(test) ?? createHash("sha256").update(texts.get(test) ?? "");
      hashes.set(test, hash.update(`\0${texts.get(path)}`));
    }
  }
  return new Map([...hashes].map(([test, hash]) => [test, hash.digest("base64")]));
}

/** The baseline of every test that may run: kept ones of this state of the tree, and measured ones. */
async function readBaselines(): Promise<Map<string, Baseline>> {
  const kept: Record<string, Baseline> = JSON.parse(
    await Deno.readTextFile(KEPT_BASELINES).catch(() => "{}"),
  );
  const baselines = new Map(
    Object.entries(kept).filter(([test, { digest }]) => digest === digests.get(test)),
  );
  const needed = new Set(
    chosen.flatMap(({ path }) => (candidates.get(path) ?? []).map(({ test }) => test)),
  );
  const missing = [...needed].filter((test) => !baselines.has(test));
  if (missing.length > 0) console.error(`${missing.length} files of tests run without a fault`);
  await inCopies(missing, async (test, copy) => {
    const baseline = await measureBaseline(test, copy, digests.get(test) ?? "");
    if (!baseline.passes) console.log(`LEFT OUT ${test}: it fails without a fault`);
    baselines.set(test, baseline);
  });
  return baselines;
}

async function keepBaselines(): Promise<void> {
  const passing = [...baselines].filter(([, { passes }]) => passes);
  await Deno.mkdir(`${ROOT}.data`, { recursive: true });
  await Deno.writeTextFile(KEPT_BASELINES, JSON.stringify(Object.fromEntries(passing)));
}

async function isKilled(mutant: Mutant, copy: string): Promise<boolean> {
  const path = `${copy}/${mutant.path}`;
  const original = await Deno.readTextFile(path);
  const reaching = candidates.get(mutant.path) ?? [];
  let milliseconds = 0;
  for (const test of orderTests(reaching, baselines, mutant.path, mutant.line)) {
    const baseline = baselines.get(test) as Baseline;
    if (milliseconds > 1000 * Number(values.seconds)) break;
    milliseconds += baseline.milliseconds;
    await Deno.writeTextFile(path, mutant.text);
    const passes = await passesWithFault(test, copy, baseline);
    await Deno.writeTextFile(path, original);
    if (!passes) return true;
  }
  return false;
}

function describe({ path, line, before, after }: Mutant): string {
  return `${path}:${line}\n  - ${before}\n  + ${after}`;
}
