/** The rules over claims: their meaning, and the errors about malformed ones. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { ClaimRuleError, parseClaimRule } from "../../../lib/platform/config/claim_rule.ts";

const CLAIMS = {
  sub: "u1",
  hd: "example.org",
  email: "ada@example.org",
  email_verified: true,
  age: 17,
  groups: ["members", "a b", 3],
  role: "lead",
  realm_access: { roles: ["staff"] },
  "https://slack.com/team_id": "T0123",
  "dotted.name": "x",
  says_true: "true",
};

Deno.test("a rule holds or not for the claims of a person", () => {
  const table: [rule: string, holds: boolean][] = [
    ['hd = "example.org"', true],
    ["hd='example.org'", true],
    ['hd = "example.com"', false],
    ["email_verified", true],
    ["says_true", false],
    ["email_verified = true", true],
    ['email_verified = "true"', false],
    ["age = 17", true],
    ["age = -17.5", false],
    ['age = "17"', false],
    ['groups has "members"', true],
    ['groups has "a b"', true],
    ["groups has 3", true],
    ['groups has "member"', false],
    ['groups = "members"', false],
    ['role has "lead"', true],
    ['realm_access.roles has "staff"', true],
    ["realm_access.roles.length = 1", false],
    ['"https://slack.com/team_id" = "T0123"', true],
    ['"dotted.name" = "x"', true],
    ['dotted.name = "x"', false],
    ['email ends "@example.org"', true],
    ['email ends "@example.com"', false],
    ["age ends 7", false],
    ["absent", false],
    ['absent = "x"', false],
    ["not absent", true],
    ["not not email_verified", true],
    ["constructor", false],
    ["__proto__.x", false],
    ['hd = "x" or email_verified and age = 17', true],
    ['(email_verified or absent) and hd = "x"', false],
    ['email_verified or absent and hd = "x"', true],
    ["not (absent or hd = 'x')", true],
    ["  email_verified\n  and\tnot absent ", true],
  ];
  for (const [rule, holds] of table) assert.equal(parseClaimRule(rule)(CLAIMS), holds, rule);
});

Deno.test("an invalid rule is reported with the expected token and its place", () => {
  const table: [rule: string, message: RegExp][] = [
    ["", /the name of a claim at the end/],
    ["and", /the name of a claim at character 1/],
    ["hd =", /a value.* at the end/],
    ["hd = example.org", /a value.* at character 6/],
    ['hd == "x"', /a value.* at character 5/],
    ['hd != "x"', /character 4/],
    ['hd = "x', /character 6/],
    ['(hd = "x"', /“\)” at the end/],
    ['hd = "x")', /“and”, “or” or the end at character 9/],
    ['hd = "x" email_verified', /“and”, “or” or the end at character 10/],
    ['hd constructor "x"', /“and”, “or” or the end at character 4/],
    ["a && b", /character 3/],
    ["3 = 3", /the name of a claim at character 1/],
    ["(".repeat(3_000), /at most 2000 characters/],
  ];
  for (const [rule, message] of table) {
    assert.throws(() => parseClaimRule(rule), (error) => {
      assert.ok(error instanceof ClaimRuleError, `${rule}: ${error}`);
      assert.match(error.message, message, rule);
      return true;
    });
  }
});

/** A rule as a tree, which is evaluated without parsing. */
type Tree =
  | { readonly claim: string; readonly value: boolean | null }
  | { readonly not: Tree }
  | { readonly word: "and" | "or"; readonly parts: readonly Tree[] };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({
      claim: fc.constantFrom("a", "b", "c.d", "e f"),
      value: fc.option(fc.boolean(), { nil: null }),
    }),
    fc.record({ not: tie("tree") }),
    fc.record({
      word: fc.constantFrom("and" as const, "or" as const),
      parts: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
    }),
  ),
}));

function print(tree: Tree): string {
  if ("claim" in tree) {
    const name = tree.claim.includes(" ") ? `"${tree.claim}"` : tree.claim;
    return tree.value === null ? name : `${name} = ${tree.value}`;
  }
  if ("not" in tree) return `not (${print(tree.not)})`;
  return tree.parts.map((part) => "word" in part ? `(${print(part)})` : print(part))
    .join(` ${tree.word} `);
}

function means(tree: Tree, claims: Readonly<Record<string, boolean>>): boolean {
  if ("claim" in tree) return claims[tree.claim] === (tree.value ?? true);
  if ("not" in tree) return !means(tree.not, claims);
  const parts = tree.parts.map((part) => means(part, claims));
  return tree.word === "and" ? parts.every(Boolean) : parts.some(Boolean);
}

Deno.test("a rule means what its tree means, for any tree and claims", () => {
  const claims = fc.dictionary(fc.constantFrom("a", "b", "c.d", "e f"), fc.boolean());
  fc.assert(fc.property(tree, claims, (tree, claims) => {
    const text = print(tree);
    if (text.length > 2_000) return;
    const { "c.d": nested, ...others } = claims;
    const stated = nested === undefined ? others : { ...others, c: { d: nested } };
    assert.equal(parseClaimRule(text)(stated), means(tree, claims), text);
  }));
});

Deno.test("any text is a rule or is reported as a mistake", () => {
  const words = fc.constantFrom("a", "and", "or", "not", "(", ")", "=", "has", "ends", '"x"', "3");
  const text = fc.oneof(
    fc.string(),
    fc.array(words, { maxLength: 30 }).map((all) => all.join(" ")),
  );
  fc.assert(fc.property(text, (text) => {
    try {
      assert.equal(typeof parseClaimRule(text)(CLAIMS), "boolean");
    } catch (error) {
      assert.ok(error instanceof ClaimRuleError, String(error));
    }
  }));
});
