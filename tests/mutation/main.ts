/**
 * `deno task mutate [--count 200] [--seed 1] [--under lib/proxy]`: breaks the code in so many places, one
 * after the other, and says which faults no test has seen. Each is tried in a copy of the tree, on the
 * tests of its room first and then on those of the doors.
 */
// deno-lint-ignore-file no-console -- what this command prints is what it is for

import { parseArgs } from "node:util";
import { createRandom } from "../../lib/sandbox/random.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** What is broken, and the tests of the doors behind which it lies. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  "lib/events": ["tests/api", "tests/site"],
  "lib/accounts": ["tests/proxy", "tests/commands"],
  "lib/proxy": ["tests/clients", "tests/accounts", "tests/telemetry"],
  "lib/http": ["tests/api", "tests/proxy", "tests/site"],
};
const COPIES = 2;
/** A fault may make a loop endless: then the tests have seen it. */
const PATIENCE_MILLISECONDS = 120_000;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    under: { type: "string", default: "" },
  },
});
for (const name of ["count", "seed"] as const) {
  if (/^[1-9]\d{0,8}$/.test(values[name])) continue;
  console.error(`--${name} ${values[name]}: expected a whole number from 1`);
  Deno.exit(2);
}
const random = createRandom(Number(values.seed));
const all = await listMutants(values.under);
const chosen = Array.from({ length: Math.min(Number(values.count), all.length) }, () => {
  return all.splice(random.int(0, all.length - 1), 1)[0] as Mutant;
});
console.log(`${chosen.length} faults of ${all.length + chosen.length}`);

const survivors: Mutant[] = [];
let tried = 0;
await Promise.all(Array.from({ length: COPIES }, async () => {
  const copy = await copyTree();
  for (let mutant = chosen.pop(); mutant !== undefined; mutant = chosen.pop()) {
    const isSeen = await isKilled(mutant, copy);
    tried++;
    if (tried % 20 === 0) console.error(`${tried} tried`);
    if (isSeen) continue;
    survivors.push(mutant);
    console.log(`SURVIVED ${describe(mutant)}`);
  }
  await Deno.remove(copy, { recursive: true });
}));
const share = (100 * (1 - survivors.length / tried)).toFixed(1);
console.log(`${tried - survivors.length} of ${tried} seen (${share} %)`);

async function listMutants(under: string): Promise<Mutant[]> {
  const mutants: Mutant[] = [];
  for (const room of Object.keys(ROOMS)) {
    for (const { name, isFile } of [...Deno.readDirSync(ROOT + room)].toSorted(byName)) {
      const path = `${room}/${name}`;
      if (!isFile || !/\.tsx?$/.test(name) || !path.startsWith(under)) continue;
      mutants.push(...mutantsOf(path, await Deno.readTextFile(ROOT + path)));
    }
  }
  return mutants;
}

function byName(one: Deno.DirEntry, other: Deno.DirEntry): number {
  return one.name < other.name ? -1 : 1;
}

/** What git knows of the tree, with the packages and a build beside it. */
async function copyTree(): Promise<string> {
  const copy = await Deno.makeTempDir();
  const run = async (command: string, ...args: string[]) => {
    const { success, stderr } = await new Deno.Command(command, { args, cwd: ROOT }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  };
  await run("git", "clone", "--quiet", ".", `${copy}/foyer`);
  await run("cp", "-r", "node_modules", `${copy}/foyer/`);
  return copy;
}

async function isKilled(mutant: Mutant, copy: string): Promise<boolean> {
  const path = `${copy}/foyer/${mutant.path}`;
  const original = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, mutant.text);
  try {
    for (const tests of stagesOf(mutant.path)) {
      if (tests.length > 0 && !await passes(tests, `${copy}/foyer`)) return true;
    }
    return false;
  } finally {
    await Deno.writeTextFile(path, original);
  }
}

/** The tests that name the file, those of its room, those of the doors, and those in a browser if it runs there. */
function stagesOf(path: string): string[][] {
  const [, room = "", name = ""] = path.split("/");
  const folder = `tests/${room}`;
  const ofRoom = [...Deno.readDirSync(ROOT + folder)]
    .filter((entry) => entry.name.endsWith("_test.ts")).map((entry) => `${folder}/${entry.name}`);
  const nearest = ofRoom.filter((test) =>
    Deno.readTextFileSync(ROOT + test).includes(`${room}/${name}`)
  );
  const others = ofRoom.filter((test) => !nearest.includes(test));
  const isForBrowsers = Deno.readTextFileSync(ROOT + path).includes("Runs in browsers.");
  const inBrowsers = isForBrowsers ? ["tests/browser/islands_test.ts"] : [];
  return [nearest, others, [...ROOMS[`lib/${room}`] ?? []], inBrowsers];
}

async function passes(tests: readonly string[], cwd: string): Promise<boolean> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--quiet", "--fail-fast", ...tests],
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
