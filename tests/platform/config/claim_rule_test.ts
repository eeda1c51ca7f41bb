/** The rules over claims: their meaning, and the errors about malformed ones. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { type Claims, parseClaimRule } from "../../../lib/platform/config/claim_rule.ts";

/** The rule of a text. */
function ruleOf(text: string) {
  const rule = parseClaimRule(text);
  return typeof rule === "string" ? assert.fail(`${text}: ${rule}`) : rule;
}

const admits = (text: string, claims: Claims) => ruleOf(text).fault(claims) === null;

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
    ["says_true", true],
    ["age", false],
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
    ["email=*@EXAMPLE.org", true],
    ['email="Ada@Example.Org"', true],
    ["hd=EXAMPLE.org", false],
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
  for (const [rule, holds] of table) assert.equal(admits(rule, CLAIMS), holds, rule);
});

Deno.test("a test of the address holds only for one that the provider has verified", () => {
  for (const rule of ["email=*@example.org", 'email="ada@example.org"', '"email"=ada*']) {
    for (const email_verified of [true, "true"]) {
      assert.ok(admits(rule, { ...CLAIMS, email: "Ada@example.ORG", email_verified }), rule);
    }
    for (const email_verified of [false, undefined, null, "false", "TRUE ", 1]) {
      assert.ok(!admits(rule, { ...CLAIMS, email_verified }), `${rule} ${email_verified}`);
    }
  }
});

Deno.test("a rule names the first test that does not hold, and no value of the person", () => {
  const unverified = { ...CLAIMS, email_verified: false };
  const table: [rule: string, claims: Record<string, unknown>, fault: string | null][] = [
    ["hd=example.org, email_verified", CLAIMS, null],
    ["hd=example.org, groups=staff", CLAIMS, "groups has another value"],
    ["absent=x", CLAIMS, "absent is not stated"],
    ["absent", CLAIMS, "absent is not stated"],
    ["role", CLAIMS, "role is not true"],
    ["email=ada*", unverified, "email is not verified"],
    [
      "email=ada*",
      { email: "ada@example.org" },
      "email counts only with email_verified, which the provider does not state",
    ],
  ];
  for (const [rule, claims, fault] of table) assert.equal(ruleOf(rule).fault(claims), fault, rule);
});

Deno.test("an invalid rule is reported with what may stand in which of its tests", () => {
  const table: [expected: RegExp, ...rules: string[]][] = [
    [
      /^in test 1, expected a claim alone, or with =, a value, .* double quotes hold a value that has a comma, \| or =$/,
      ...["", ",", "=x", "hd=", "hd==x", "hd=x|", "hd=|x", 'hd="x', "hd=x=y", 'hd="x"y'],
      ...["groups:members", "hd!=x", 'groups has "members"'],
    ],
    [/^in test 2, expected a claim alone/, "hd=x,", 'hd="a,b", a b', "email_verified, , hd=x"],
    [
      /^in test 1, expected a comma between two tests/,
      ...["email_verified and hd=x", "hd=x and email_verified", 'hd = "x" and email_verified'],
    ],
    [/^expected a rule of at most 2000 characters$/, "a,".repeat(1_001)],
  ];
  for (const [expected, ...rules] of table) {
    for (const rule of rules) assert.match(String(parseClaimRule(rule)), expected, rule);
  }
  assert.ok(admits('hd="a and b"', { hd: "a and b" }));
});

Deno.test("any text is a rule or is reported as a mistake", () => {
  const words = fc.constantFrom("a", "and", " ", ",", "|", "=", "*", '"', '"x"', "3", "a.b");
  const text = fc.oneof(fc.string(), fc.array(words).map((parts) => parts.join("")));
  fc.assert(fc.property(text, fc.dictionary(fc.string(), fc.jsonValue()), (text, claims) => {
    const rule = parseClaimRule(text);
    assert.ok(typeof rule === "string" || rule.fault(claims) !== "");
  }));
});
