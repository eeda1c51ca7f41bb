/** Which tests run against a fault, and in which order. */

import assert from "node:assert/strict";
import type { Source } from "../support/import_graph.ts";
import { type Baseline, orderTests, reachingTests } from "./nearest.ts";

function source(path: string, imports: readonly string[], text = ""): Source {
  return { path, text, imports };
}

const TREE = [
  source("app.ts", ["./lib/http/door.ts"]),
  source("lib/http/door.ts", ["../kv/lease.ts"]),
  source("lib/kv/lease.ts", []),
  source("lib/kv/alone.ts", []),
  source("routes/api/[id].ts", ["../../lib/kv/lease.ts"]),
  source("serve.ts", ["fresh"]),
  source("lib/fresh/mod.ts", []),
  source("tests/kv/lease_test.ts", ["../../lib/kv/lease.ts"]),
  source("tests/http/door_test.ts", ["../../lib/http/door.ts"]),
  source("tests/api/ids_test.ts", ["../../app.ts"], "/api/one"),
  source("tests/browser/page_test.ts", ["../../app.ts"], '"playwright-core"'),
  source("tests/serve_test.ts", [], '"serve.ts"'),
];
const reaching = reachingTests(TREE, (path) => !path.startsWith("tests/"), {
  "fresh": "lib/fresh/mod.ts",
});

/** The tests of a line, each baseline given as milliseconds and the lines of the lease that it runs. */
function ordered(path: string, line: number, told: Readonly<Record<string, Baseline>>): string[] {
  return orderTests(reaching.get(path) ?? [], new Map(Object.entries(told)), path, line);
}

function baseline(milliseconds: number, ...lines: number[]): Baseline {
  return { digest: "", passes: true, milliseconds, lines: { "lib/kv/lease.ts": lines } };
}

const [LEASE, DOOR, IDS] = [
  "tests/kv/lease_test.ts",
  "tests/http/door_test.ts",
  "tests/api/ids_test.ts",
];
const [PAGE, SERVE] = ["tests/browser/page_test.ts", "tests/serve_test.ts"];
const TOLD = {
  [LEASE]: baseline(10, 1, 2),
  [DOOR]: baseline(10, 1, 2),
  [IDS]: baseline(1_000, 1, 3),
  [PAGE]: baseline(60_000, 1),
};

Deno.test("tests that run a line are its tests, the nearest and quickest first", () => {
  assert.deepEqual(ordered("lib/kv/lease.ts", 1, TOLD), [LEASE, DOOR, IDS, PAGE]);
  assert.deepEqual(ordered("lib/kv/lease.ts", 1, { ...TOLD, [LEASE]: baseline(600_000, 1) }), [
    DOOR,
    IDS,
    LEASE,
    PAGE,
  ]);
});

Deno.test("a test that does not run the line is left out, unless its programs might", () => {
  assert.deepEqual(ordered("lib/kv/lease.ts", 3, TOLD), [IDS, PAGE]);
});

Deno.test("a test whose lines have moved may run any line of a file that it ran", () => {
  const told = { ...TOLD, [DOOR]: { ...baseline(10), lines: { "lib/kv/lease.ts": null } } };
  assert.deepEqual(ordered("lib/kv/lease.ts", 3, told), [DOOR, IDS, PAGE]);
});

Deno.test("if no test runs the line, all that reach the file may see the fault, those last", () => {
  assert.deepEqual(ordered("lib/kv/lease.ts", 9, TOLD), [PAGE, LEASE, DOOR, IDS]);
});

Deno.test("a test that fails without a fault tells nothing", () => {
  const told = { ...TOLD, [IDS]: { ...baseline(1_000, 3), passes: false } };
  assert.deepEqual(ordered("lib/kv/lease.ts", 1, told), [LEASE, DOOR, PAGE]);
});

function reachedBy(path: string): string[] | undefined {
  return reaching.get(path)?.map(({ test }) => test);
}

Deno.test("a route, which no module imports, is reached by every module that reaches the app", () => {
  assert.deepEqual(reachedBy("routes/api/[id].ts"), [IDS, PAGE]);
});

Deno.test("a program that a test starts is reached by its name, and what it imports through it", () => {
  assert.deepEqual(reachedBy("lib/fresh/mod.ts"), [SERVE]);
  assert.deepEqual(reachedBy("serve.ts"), [SERVE]);
});

Deno.test("a file that no test reaches has none", () => {
  assert.equal(reachedBy("lib/kv/alone.ts"), undefined);
});
