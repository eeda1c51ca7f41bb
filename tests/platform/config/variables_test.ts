/**
 * The table of variables and what is made from it. After a change of the table, write the files again:
 * `FOYER_WRITE_VARIABLES=1 deno test -A --lock=tests/deno.lock tests/platform/config/variables_test.ts`.
 */

import assert from "node:assert/strict";
import { parseEnv } from "node:util";
import { parseConfig } from "../../../lib/platform/config/config.ts";
import { VARIABLES } from "../../../lib/platform/config/variables.ts";
import { environmentExample, variablesDocument } from "./variable_lists.ts";

Deno.test("there are at most fifty variables, and each has a sentence", () => {
  const variables = Object.entries(VARIABLES);
  assert.ok(variables.length <= 50, `${variables.length}`);
  for (const [name, { about }] of variables) assert.match(about, /^["A-Z].*[.)]$/, name);
});

Deno.test("every default and every example is a valid value", () => {
  const signIn = { SIGN_IN_ISSUER: "https://id.example", SIGN_IN_CLIENT_ID: "foyer" };
  const unset = parseConfig(signIn);
  for (const [name, { fallback, example }] of Object.entries(VARIABLES)) {
    parseConfig({ ...signIn, [name]: example === "" ? "x" : example });
    if (fallback !== null) {
      assert.deepEqual(parseConfig({ ...signIn, [name]: fallback }), unset, name);
    }
  }
});

Deno.test("each example of .env.example means the same in .env", () => {
  const parsed = parseEnv(environmentExample().replaceAll(/^#([A-Z_]+=)/gm, "$1"));
  for (const [name, { example }] of Object.entries(VARIABLES)) assert.equal(parsed[name], example);
});

for (
  const [path, make] of [
    [".env.example", environmentExample],
    ["static/docs/variables.md", variablesDocument],
  ] as const
) {
  Deno.test(`${path} is made from the table of variables`, async () => {
    const url = new URL(`../../../${path}`, import.meta.url);
    if (Deno.env.get("FOYER_WRITE_VARIABLES")) await Deno.writeTextFile(url, make());
    assert.equal(await Deno.readTextFile(url), make());
  });
}
