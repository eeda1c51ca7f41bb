/**
 * The table of variables and what is made from it. After a change of the table, write the files again:
 * `FOYER_WRITE_VARIABLES=1 deno test -A --lock=tests/deno.lock tests/platform/config/variables_test.ts`, then `deno fmt`.
 */

import assert from "node:assert/strict";
import { parseEnv } from "node:util";
import { parseConfig } from "../../../lib/platform/config/config.ts";
import { SECTIONS, VARIABLES } from "../../../lib/platform/config/variables.ts";

/** The text of `.env.example`. */
function environmentExample(): string {
  const lines = SECTIONS.flatMap(([heading, variables]) => [
    `\n# ${heading}\n`,
    ...Object.entries(variables).flatMap(([name, { about, fallback, example }]) => [
      `# ${about}${fallback === null || fallback === example ? "" : ` Default: ${fallback}`}`,
      // Other readers of such files take what follows a number sign for a comment.
      `#${name}=${example.includes("#") ? `"${example}"` : example}`,
    ]),
  ]);
  return [
    "# Copy this file to .env and uncomment what you need. Each line shows the default or an example.",
    ...lines,
    "",
  ].join("\n");
}

/** The document for operators, with the list below the heading of each section made anew. */
function withLists(document: string): string {
  return SECTIONS.reduce((text, [heading, variables]) => {
    const [before, below] = text.split(`\n## ${heading}\n\n`);
    if (below === undefined) throw new Error(`The document has no section “${heading}”`);
    const lines = Object.entries(variables).map(([name, { about, fallback, example }]) => {
      const isExample = example !== "" && example !== fallback;
      return `- \`${name}\`: ${about}${fallback === null ? "" : ` Default: \`${fallback}\`.`}` +
        `${isExample ? ` Example: \`${example}\`.` : ""}\n`;
    });
    const after = below.replace(/^(?:- .*\n(?: {2}.*\n)*)+/, "");
    return `${before}\n## ${heading}\n\n${lines.join("")}${after}`;
  }, document);
}

Deno.test("there are at most 54 variables, and each has a sentence", () => {
  const variables = Object.entries(VARIABLES);
  assert.ok(variables.length <= 54, `${variables.length}`);
  for (const [name, { about }] of variables) assert.match(about, /^["A-Z].*[.)]$/, name);
});

Deno.test("every default and every example is a valid value", () => {
  const signIn = { SIGN_IN_ISSUER: "https://id.example", SIGN_IN_CLIENT_ID: "foyer" };
  const unset = parseConfig(signIn);
  for (const [name, { fallback, example }] of Object.entries(VARIABLES)) {
    parseConfig({ ...signIn, [name]: example === "" ? "x" : example });
    if (fallback !== null) {
      const { shown: _shown, ...set } = parseConfig({ ...signIn, [name]: fallback });
      assert.deepEqual({ ...set, shown: unset.shown }, unset, name);
    }
  }
});

Deno.test("each example of .env.example means the same in .env", () => {
  const parsed = parseEnv(environmentExample().replaceAll(/^#([A-Z_]+=)/gm, "$1"));
  for (const [name, { example }] of Object.entries(VARIABLES)) assert.equal(parsed[name], example);
});

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");

for (
  const [path, make] of [
    [".env.example", environmentExample],
    ["static/docs/configuration.md", withLists],
  ] as const
) {
  Deno.test(`${path} has the variables of the table`, async () => {
    const url = new URL(`../../../${path}`, import.meta.url);
    const made = make(await Deno.readTextFile(url));
    if (Deno.env.get("FOYER_WRITE_VARIABLES")) await Deno.writeTextFile(url, made);
    // `deno fmt` breaks the lines of the document.
    assert.equal(oneLine(await Deno.readTextFile(url)), oneLine(made));
  });
}
