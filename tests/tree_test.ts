/** The structure of the tree: which place may import which, and that nothing is unused. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fresh from "fresh";
import * as freshRuntime from "fresh/runtime";
import { distancesFrom, importedPath, readSources } from "./support/import_graph.ts";
import { IS_OWN_RUNTIME } from "./support/runtime.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The rank of each place, from left to right as ARCHITECTURE.md lists them: a place imports only places further right. */
const RANKS = new Map<string, number>();
/** The domains, which stand on the platform. */
const DOMAINS = ["operate", "members", "events", "proxy", "accounts"];
const architecture = await Deno.readTextFile(join(root, "ARCHITECTURE.md"));
const [pictured = ""] = /(?:^ {4}.*→.*\n)+/m.exec(architecture) ?? [];
for (const [rank, group] of pictured.split("→").entries()) {
  for (const name of group.split(",").map((each) => each.trim())) {
    const isRoot = /^(?:main|app|dev|serve)$/.test(name);
    const isInLib = [...DOMAINS, "platform"].includes(name);
    RANKS.set(isRoot ? "(root)" : isInLib ? `lib/${name}` : name, rank);
  }
}
// The commands need no pages: they begin where the operation of the service does.
RANKS.set("commands", (RANKS.get("lib/operate") ?? 0) - 0.5);

const all = await readSources();
const own = all.filter(({ path }) => !path.startsWith("tests/"));

/** A file of JSON. */
const read = async (name: string) => JSON.parse(await Deno.readTextFile(join(root, name)));

/** What a module imports for more than types. */
const VALUES = /^(?:import|export) (?!type )([^;"]*?) from "([^"]+)"/gm;

function namesIn(list: string): string[] {
  return list.split(",").map((name) => name.trim().replace(/^type /, "").split(" ")[0] ?? "")
    .filter((name) => name !== "");
}

/** The place of a file: a folder of `lib/`, `components/shared`, `components/<page>`, or a folder beside them. */
function placeOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  if (!path.includes("/")) return "(root)";
  if (first === "components") {
    return second === "shared" ? "components/shared" : "components/<page>";
  }
  return first === "lib" ? `lib/${second}` : first;
}

/** What stands alone: the web runtime, which upstream's can replace, and the stand-ins. */
const ALONE = /^lib\/(platform\/fresh|sandbox)\//;

Deno.test("places import to the right only, and a page's folder no other page's", () => {
  const known = own.filter(({ path }) => !path.startsWith("bench/") && !ALONE.test(path));
  for (const source of known) {
    const from = placeOf(source.path);
    assert.ok(RANKS.has(from), `${source.path} is in a place that ARCHITECTURE.md does not know`);
    for (const specifier of source.imports) {
      const path = importedPath(source, specifier);
      // A style sheet is a text.
      if (path === null || path.startsWith("_fresh") || path.endsWith(".css")) continue;
      const to = placeOf(path);
      if (to === "lib/sandbox" && source.path === "dev.ts") continue;
      const isNear = from === "components/<page>"
        ? path.split("/")[1] === source.path.split("/")[1]
        : from === to;
      const allowed = (from === to && isNear) || (RANKS.get(from) ?? 0) < (RANKS.get(to) ?? -1);
      assert.ok(allowed, `${source.path} imports ${path}: ${from} may not import ${to}`);
    }
  }
});

Deno.test("a folder internal/ is entered only from the folder that holds it", () => {
  for (const source of own.filter(({ path }) => !path.startsWith("bench/"))) {
    for (const specifier of source.imports) {
      const path = importedPath(source, specifier) ?? "";
      const [, holder] = /^(.*\/)internal\//.exec(path) ?? [];
      if (holder === undefined) continue;
      assert.ok(source.path.startsWith(holder), `${source.path} imports ${path}`);
    }
  }
});

/** The packages that a program loads, through all that it imports for more than types. */
function packagesOf(program: string): string[] {
  const packages = new Set<string>();
  const reached = new Set([program]);
  for (const path of reached) {
    const source = own.find((each) => each.path === path);
    assert.ok(source !== undefined, path);
    for (const [, names = "", specifier = ""] of source.text.matchAll(VALUES)) {
      if (/^\{(?:\s*type \w+,?)*\s*\}$/.test(names)) continue;
      const next = importedPath(source, specifier);
      if (next === null) packages.add(specifier);
      else reached.add(next);
    }
  }
  return [...packages];
}

Deno.test("an island's script loads Preact alone, and the process of pictures Skia alone", () => {
  for (const { path } of own.filter(({ path }) => path.startsWith("islands/"))) {
    assert.deepEqual(packagesOf(path), ["preact/hooks"], path);
  }
  assert.deepEqual(packagesOf("lib/events/pictures/internal/picture_program.ts"), [
    "canvaskit-wasm/full",
  ]);
});

Deno.test("the runtime and the stand-ins import nothing of the app, but how an address is cut", () => {
  for (const source of own.filter(({ path }) => ALONE.test(path))) {
    for (const specifier of source.imports) {
      const path = importedPath(source, specifier);
      if (path === null || path === "lib/platform/address.ts") continue;
      assert.equal(ALONE.exec(path)?.[0], ALONE.exec(source.path)?.[0], path);
    }
  }
});

Deno.test("no module imports itself, neither by others nor for types alone", () => {
  const importsOf = new Map(
    all.map((source) => [source.path, source.imports.map((each) => importedPath(source, each))]),
  );
  const done = new Set<string>();
  function visit(path: string, way: readonly string[]): void {
    const at = way.indexOf(path);
    assert.equal(at, -1, `a circle: ${[...way.slice(at), path].join(" → ")}`);
    if (done.has(path)) return;
    for (const next of importsOf.get(path) ?? []) if (next !== null) visit(next, [...way, path]);
    done.add(path);
  }
  for (const path of importsOf.keys()) visit(path, []);
});

Deno.test("every value is read and written through lib/platform/kv, which repeats what a locked file has refused", () => {
  // A backup copies all values.
  const others = own.filter(({ path }) =>
    !/^(lib\/(platform\/kv|sandbox)|bench)\/|backup\.ts$/.test(path)
  );
  for (const { path, text } of others) {
    const [direct] = /\b\w*kv\b\s*\.(get|getMany|list|set|atomic)\(/i.exec(text) ?? [];
    assert.equal(
      direct,
      undefined,
      `${path}: use getEntry, getEntries, listEntries, setEntry or beginAtomic, and see STORAGE.md`,
    );
  }
});

Deno.test("the app reaches the runtime by the names that upstream has, and uses only what it exports", () => {
  const allowed: Record<string, readonly string[]> = {
    "fresh": Object.keys(fresh),
    "fresh/runtime": Object.keys(freshRuntime),
    "fresh/dev": ["Builder"],
  };
  for (
    const { path, text } of all.filter(({ path }) => !/^(lib|tests)\/platform\/fresh\//.test(path))
  ) {
    assert.ok(
      !/from "[./]*lib\/platform\/fresh\//.test(text),
      `${path} reaches into lib/platform/fresh`,
    );
    for (
      const [, names = "", module = ""] of text.matchAll(/import \{([^}]*)\} from "(fresh[^"]*)"/g)
    ) {
      const values = names.split(",").map((name) => name.trim())
        .filter((name) => name !== "" && !name.startsWith("type "));
      for (const name of values) {
        assert.ok(allowed[module]?.includes(name), `${path} imports ${name} from ${module}`);
      }
    }
  }
});

Deno.test("every island keeps the browser's history from upstream Fresh", () => {
  for (const { path, text } of own.filter(({ path }) => path.startsWith("islands/"))) {
    assert.match(text, /^ +useOwnHistory\(\);$/m, path);
  }
});

Deno.test("every file is imported by another, and every export by some file", () => {
  const entries =
    /^(main|dev|serve)\.ts$|^routes\/(?!.*\(_)|^bench\/|\/main\.ts$|^lib\/platform\/fresh\/client|^commands\/(accounts|keys|usage|analytics)\.ts$/;
  const imported = new Set(
    all.flatMap((source) => source.imports.map((each) => importedPath(source, each))),
  );
  const used = importedNames();
  for (const { path, text } of own) {
    if (entries.test(path)) continue;
    const isMapped = /^lib\/platform\/fresh\/(mod|runtime|dev)\.ts$/.test(path);
    assert.ok(isMapped || imported.has(path), `nothing imports ${path}`);
    if (isMapped || used.has(`${path} *`)) continue;
    for (
      const [, name = ""] of text.matchAll(
        /^export (?:async )?(?:const|function|class|let|interface|type) (\w+)/gm,
      )
    ) {
      assert.ok(used.has(`${path} ${name}`), `no other file imports ${name} of ${path}`);
    }
  }
});

/** A test of `deno.json` and its lock files, which the run on upstream replaces. */
function configurationTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !IS_OWN_RUNTIME, fn });
}

/** Each file, with a name that another file imports from it; `*` for an import of the whole file. */
function importedNames(): Set<string> {
  const found = new Set<string>();
  const imports = /(?:import|export)\s+([^;"]*?)\s*from\s*"([^"]+)"|import\(\s*"([^"]+)"/g;
  for (const source of all) {
    for (const [, clause = "*", specifier, loaded = ""] of source.text.matchAll(imports)) {
      const path = importedPath(source, specifier ?? loaded);
      const [, names] = /\{([^}]*)\}/.exec(clause) ?? [];
      if (clause.includes("*")) found.add(`${path} *`);
      for (const name of namesIn(names ?? "")) found.add(`${path} ${name}`);
    }
  }
  return found;
}

configurationTest(
  "both configurations differ in where fresh comes from and what it needs, and in nothing else",
  async () => {
    const [ours, upstream] = [await read("deno.json"), await read("deno.jsr.json")];
    assert.equal(upstream.imports["fresh"], "jsr:@fresh/core@^2.3");
    // The server that upstream generates imports what nothing else does, and `start` fetches nothing.
    ours.tasks.build.command += " && deno cache _fresh/server.js";
    for (const name of ["fresh", "fresh/runtime", "fresh/dev"]) delete ours.imports[name];
    for (const name of ["fresh", "fresh/runtime", "fresh/dev", "@preact/signals"]) {
      delete upstream.imports[name];
    }
    assert.deepEqual(upstream, ours);
  },
);

Deno.test("no test ends a text with a character that may be the one it had, and no empty variable is taken as set", () => {
  const mistake =
    /\.slice\(0, -\d+\)\}\w|\.slice\(0, -\d+\) \+ "\w|Deno\.env\.(?:has\(|get\([^()]*\)\s*\?\?)/;
  for (const { path, text } of all) assert.doesNotMatch(text, mistake, path);
});

Deno.test("no file names a package registry's host", async () => {
  for (const { path, text } of all) {
    assert.ok(
      !/registry\.(npmjs|yarnpkg)|npm\.jsr/.test(text.replace(/\/registry\\\..*/, "")),
      path,
    );
  }
  for (const lock of ["deno.lock", "tests/deno.lock"]) {
    assert.ok(!/https?:\/\/registry/.test(await Deno.readTextFile(join(root, lock))), lock);
  }
});

Deno.test("Skia is loaded by the process that makes pictures, and by nothing of the service itself", () => {
  const loaders = own.filter(({ text }) =>
    /^import (?!type )[^;]* from "canvaskit-wasm|import\("canvaskit-wasm/m.test(text)
  );
  assert.deepEqual(loaders.map(({ path }) => path), [
    "lib/events/pictures/internal/picture_program.ts",
  ]);
  for (const { path, text } of own) {
    assert.ok(!/(?:from|import\()\s*"[^"]*picture_program/.test(text), path);
  }
});

/** The files of the image's programs, found from those that no file imports. */
const byPath = new Map(all.map((source) => [source.path, source]));
const ENTRIES = /^(serve|main|dev)\.ts$|^(routes|islands|lib\/platform\/fresh)\/|^commands\//;
const programs = new Set(
  [...byPath.keys()].filter((path) => ENTRIES.test(path))
    .flatMap((path) => [...distancesFrom(path, byPath).keys()]),
);

configurationTest(
  "packages that the programs import are dependencies, and all others belong to the tests",
  async () => {
    const { imports, scopes } = await read("deno.json");
    const imported = (isProgram: boolean) => (name: string) =>
      all.filter(({ path }) => programs.has(path) === isProgram)
        .some((source) =>
          source.imports.some((each) => each === name || each.startsWith(`${name}/`))
        );
    const packages = Object.keys(imports).filter((name) => imports[name].startsWith("npm:"));
    for (const name of packages) assert.ok(imported(true)(name), `${name}: no program imports it`);
    assert.deepEqual(Object.keys(scopes), ["./tests/"]);
    for (const name of Object.keys(scopes["./tests/"])) {
      assert.ok(!imported(true)(name), `${name}: a program imports what only tests have`);
      assert.ok(imported(false)(name), `${name}: no test imports it`);
    }
    for (const name of [...packages, ...Object.keys(scopes["./tests/"])]) {
      assert.ok(
        architecture.includes(`\`${name}\``),
        `${name}: ARCHITECTURE.md does not say what for`,
      );
    }
  },
);

configurationTest(
  "deno.lock holds no package that only tests need, and both lock files agree",
  async () => {
    const [{ imports }, ours, tests] = await Promise.all(
      ["deno.json", "deno.lock", "tests/deno.lock"].map(read),
    );
    // Every task of `deno task` fetches all packages in deno.lock.
    const repair = "`git checkout deno.lock`, and give `--lock=tests/deno.lock` to what runs tests";
    assert.deepEqual(
      Object.keys(ours.specifiers).sort(),
      Object.values<string>(imports).filter((specifier) => specifier.startsWith("npm:")).sort(),
      repair,
    );
    for (const [name, { integrity }] of Object.entries<{ integrity: string }>(ours.npm)) {
      assert.equal(tests.npm[name]?.integrity, integrity, `tests/deno.lock: ${name}`);
    }
  },
);

Deno.test("the image contains the programs and the files that they read, and no other file", async () => {
  const read = ["LICENSE", "deno.json", "deno.lock", "static", "styles"];
  const wanted = new Set([...read, ...[...programs].map((path) => path.split("/")[0] ?? "")]);
  const lines = (await Deno.readTextFile(join(root, ".dockerignore"))).split("\n");
  const allowed = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  assert.ok(lines.includes("*"));
  assert.deepEqual(allowed.sort(), [...wanted].sort());
});

Deno.test("the image has the Deno that the tests run on", async () => {
  const version = async (file: string, pattern: RegExp) =>
    pattern.exec(await Deno.readTextFile(join(root, file)))?.[1];
  const tested = await version(".ci/run", /deno@([\d.]+)"/);
  assert.ok(tested !== undefined);
  assert.equal(await version("Dockerfile", /deno:bin-([\d.]+) /), tested);
});

Deno.test("the programs that an operator runs need no package registry", async () => {
  const { tasks } = await read("deno.json");
  const commands = Object.entries<{ command: string }>(tasks)
    .filter(([, { command }]) => /\b(serve|commands\/\w+)\.ts\b/.test(command));
  assert.ok(commands.length > 5);
  for (const [name, { command }] of commands) assert.match(command, / --cached-only /, name);
});
