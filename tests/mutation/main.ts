/**
 * `deno task mutate [--count 200] [--seed 1] [--skip 0] [--under lib/proxy] [--seconds 60] [--jobs 2]`: puts faults
 * into the code, one after the other, and lists those that no test finds. Each is tried in a copy of the tree, on the
 * tests that reach its file, near and quick ones first, until one fails or `--seconds` of tests have passed. `--skip`
 * resumes a run of the same seed; `--under` is the beginning of a path, or a line such as `lib/platform/text.ts:12`,
 * and may be repeated.
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { parseArgs } from "node:util";
import configuration from "../../deno.json" with { type: "json" };
import { createRandom } from "../../lib/sandbox/random.ts";
import { readSources } from "../support/import_graph.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { createNearest } from "./nearest.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** All modules except those for tests only. */
const NOT_MUTATED = /^(?:tests|bench|lib\/sandbox)\//;
/** A fault may make a loop endless, which counts as found. The machine may be busy. */
const PATIENCE_MILLISECONDS = 120_000;

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
const [count, seed, skip, mostSeconds, jobs] =
  (["count", "seed", "skip", "seconds", "jobs"] as const).map((name) => {
    if (/^\d{1,9}$/.test(values[name])) return Number(values[name]);
    console.error(`--${name} ${values[name]}: expected a whole number`);
    Deno.exit(2);
  }) as [number, number, number, number, number];

const sources = await readSources();
const aliases = Object.fromEntries(
  Object.entries(configuration.imports).filter(([, target]) => target.startsWith("./"))
    .map(([name, target]) => [name, target.slice(2)]),
);
const nearest = createNearest(sources, aliases);
const all = await listMutants(values.under);
const whole = all.length;
const random = createRandom(seed);
const chosen = Array.from({ length: Math.min(skip + count, whole) }, () => {
  return all.splice(random.int(0, all.length - 1), 1)[0] as Mutant;
}).slice(skip);
console.log(`${chosen.length} faults of ${whole}`);

/** Whether each test passes without a fault; one that fails then proves nothing. */
const passing = new Map<string, Promise<boolean>>();
let [tried, found] = [0, 0];
const left = chosen.values();
await Promise.all(Array.from({ length: jobs }, async () => {
  const copy = await copyTree();
  // An iterator shared by several loops gives each item to one of them.
  for (const mutant of left) {
    if (await isFound(mutant, copy)) found++;
    else console.log(`SURVIVED ${describe(mutant)}`);
    if (++tried % 10 === 0) console.error(`${tried} tried`);
  }
  await Deno.remove(copy, { recursive: true });
}));
console.log(`${found} of ${tried} found`);

async function listMutants(under: readonly string[]): Promise<Mutant[]> {
  const mutants: Mutant[] = [];
  const paths = sources.map(({ path }) => path).filter((path) => !NOT_MUTATED.test(path));
  for (const path of paths.toSorted()) {
    mutants.push(
      ...mutantsOf(path, await Deno.readTextFile(ROOT + path)).filter(({ line }) =>
        under.some((start) => path.startsWith(start) || start === `${path}:${line}`)
      ),
    );
  }
  return mutants;
}

/** A copy of the tree as git knows it, with uncommitted changes and the packages. */
async function copyTree(): Promise<string> {
  const copy = await Deno.makeTempDir();
  const script = "git ls-files -z --cached --others --exclude-standard | " +
    'xargs -0 sh -c \'for each; do if [ -e "$each" ]; then cp -a --parents -t "$0" "$each"; fi; done\' "$COPY" && ' +
    'cp -a node_modules "$COPY"';
  const { success, stderr } = await new Deno.Command("sh", {
    args: ["-c", script],
    cwd: ROOT,
    env: { COPY: copy },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return copy;
}

async function isFound(mutant: Mutant, copy: string): Promise<boolean> {
  const path = `${copy}/${mutant.path}`;
  const original = await Deno.readTextFile(path);
  const end = performance.now() + 1000 * mostSeconds;
  for (const test of nearest(mutant.path)) {
    if (performance.now() > end) break;
    const passes = passing.get(test) ?? runTest(test, copy);
    passing.set(test, passes);
    if (!await passes) continue;
    await Deno.writeTextFile(path, mutant.text);
    const isMissed = await runTest(test, copy);
    await Deno.writeTextFile(path, original);
    if (!isMissed) return true;
  }
  return false;
}

/** Whether a file of tests passes. */
async function runTest(test: string, cwd: string): Promise<boolean> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "--no-check", "--quiet", "--fail-fast", "--lock=tests/deno.lock"],
      test,
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
