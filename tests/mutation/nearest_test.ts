/** Faults are shown to the tests that reach them: which, and in which order. */

import assert from "node:assert/strict";
import type { Source } from "../support/import_graph.ts";
import { nearestTests } from "./nearest.ts";

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
  source("tests/browser/page_test.ts", ["../../app.ts", "playwright-core"]),
  source("tests/serve_test.ts", [], '"serve.ts"'),
];
const nearest = nearestTests(TREE, (path) => !path.startsWith("tests/"), {
  "fresh": "lib/fresh/mod.ts",
});

Deno.test("tests that reach a file are its tests: the nearest first, those in a browser last", () => {
  assert.deepEqual(nearest.get("lib/kv/lease.ts"), [
    "tests/kv/lease_test.ts",
    "tests/http/door_test.ts",
    "tests/api/ids_test.ts",
    "tests/browser/page_test.ts",
  ]);
});

Deno.test("a route, which no module imports, is reached by whatever reaches the app", () => {
  assert.deepEqual(nearest.get("routes/api/[id].ts"), [
    "tests/api/ids_test.ts",
    "tests/browser/page_test.ts",
  ]);
});

Deno.test("a program that a test starts is reached by its name, and what it imports through it", () => {
  assert.deepEqual(nearest.get("lib/fresh/mod.ts"), ["tests/serve_test.ts"]);
  assert.deepEqual(nearest.get("serve.ts"), ["tests/serve_test.ts"]);
});

Deno.test("a file that no test reaches has none", () => {
  assert.equal(nearest.get("lib/kv/alone.ts"), undefined);
});
