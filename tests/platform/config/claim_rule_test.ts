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
  tricky: "a,b|c=d",
};

Deno.test("a rule holds or not for the claims of a person", () => {
  const table: [rule: string, holds: boolean][] = [
    ["hd=example.org", true],
    ["hd = example.org", true],
    ['hd="example.org"', true],
    ["hd=example.com", false],
    ["hd=example.com|example.org", true],
    ["hd=*", true],
    ["absent=*", false],
    ["email_verified", true],
    ["says_true", false],
    ["email_verified=true", true],
    ["age=17", true],
    ["age=1*", true],
    ["age=-17.5", false],
    ["groups=members", true],
    ["groups=a b", true],
    ["groups=guests | a b", true],
    ["groups=3", true],
    ["groups=member", false],
    ["groups=guests|staff", false],
    ["role=lead", true],
    ["realm_access.roles=staff", true],
    ["realm_access=staff", false],
    ["realm_access.roles.length=1", false],
    ['"https://slack.com/team_id"=T0123', true],
    ['"dotted.name"=x', true],
    ["dotted.name=x", false],
    ["email=*@example.org", true],
    ["email=*@example.com", false],
    ["email=ada*", true],
    ["email=a*@*.org", true],
    ["email=ada@example.org*ada@example.org", false],
    ['email="*@example.org"', false],
    ['tricky="a,b|c=d"', true],
    ['tricky="a,b|c=d"|x', true],
    ["absent", false],
    ["absent=x", false],
    ["constructor", false],
    ["__proto__.x", false],
    ["hd=example.org, groups=members|staff, email=*@example.org, email_verified", true],
    ["hd=example.org,absent", false],
    ["absent,hd=example.org", false],
    ["  email_verified\n,\thd=example.org ", true],
  ];
  for (const [rule, holds] of table) assert.equal(parseClaimRule(rule)(CLAIMS), holds, rule);
});

Deno.test("a test of the address holds only for one that the provider has verified", () => {
  for (const rule of ["email=*@example.org", 'email="ada@example.org"', '"email"=ada*']) {
    const admits = parseClaimRule(rule);
    assert.ok(admits(CLAIMS), rule);
    for (const email_verified of [false, undefined, "true", 1]) {
      assert.ok(!admits({ ...CLAIMS, email_verified }), `${rule} ${email_verified}`);
    }
  }
});

Deno.test("an invalid rule is reported with what may stand at which place", () => {
  const value = /, expected a value, in double quotes if it has a comma, \| or =/;
  const table: [rule: string, message: RegExp, place: string][] = [
    ["", /the name of a claim/, "at the end"],
    [",", /the name of a claim/, "at character 1"],
    ["hd=x,", /the name of a claim/, "at the end"],
    ["=x", /the name of a claim/, "at character 1"],
    ["hd=", value, "at the end"],
    ["hd==x", value, "at character 4"],
    ["hd=x|", value, "at the end"],
    ["hd=|x", value, "at character 4"],
    ['hd="x', value, "at character 4"],
    ["hd=x=y", /a comma, or \| with another value$/, "at character 5"],
    ['hd="x"y', /a comma, or \| with another value$/, "at character 7"],
    ["groups:members", /a comma, or = with a value$/, "at character 7"],
    ["hd!=x", /a comma, or = with a value$/, "at character 3"],
    ["email_verified and hd=x", /a comma, or = with a value$/, "at character 16"],
    ['groups has "members"', /a comma, or = with a value$/, "at character 8"],
    ["hd=example.org and email_verified", /a comma between two tests/, "at character 16"],
    ['hd = "x" and email_verified', /a comma, or \| with another value$/, "at character 10"],
  ];
  for (const [rule, message, place] of table) {
    assert.throws(() => parseClaimRule(rule), (error) => {
      assert.ok(error instanceof ClaimRuleError, `${rule}: ${error}`);
      assert.match(error.message, message, rule);
      assert.ok(error.message.startsWith(`${place}, expected `), `${rule}: ${error.message}`);
      return true;
    });
  }
  assert.throws(() => parseClaimRule("a,".repeat(1_001)), /at most 2000 characters/);
});

Deno.test("any text is a rule or is reported as a mistake", () => {
  const words = fc.constantFrom("a", "and", " ", ",", "|", "=", "*", '"', '"x"', "3", "a.b");
  const text = fc.oneof(fc.string(), fc.array(words).map((parts) => parts.join("")));
  fc.assert(fc.property(text, fc.dictionary(fc.string(), fc.jsonValue()), (text, claims) => {
    try {
      assert.equal(typeof parseClaimRule(text)(claims), "boolean");
    } catch (error) {
      assert.ok(error instanceof ClaimRuleError, String(error));
    }
  }));
});

Deno.test("a pattern with stars finds what the same regular expression finds", () => {
  const pieces = fc.array(fc.constantFrom("", "a", "ab", "b"), { minLength: 1, maxLength: 5 })
    .map((parts) => `x${parts.join("*")}x`);
  const claim = fc.array(fc.constantFrom("a", "b", "x")).map((letters) => letters.join(""));
  fc.assert(fc.property(pieces, claim, (pattern, hd) => {
    const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`, "s").test(hd);
    assert.equal(parseClaimRule(`hd=${pattern}`)({ hd }), expected);
  }));
});
