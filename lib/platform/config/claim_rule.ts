/**
 * Rules over the claims of a person who signs in, such as `hd = "example.org" and email_verified`:
 *
 *     rule  = all { "or" all }
 *     all   = part { "and" part }
 *     part  = "not" part | "(" rule ")" | test
 *     test  = claim [ ( "=" | "has" | "ends" ) value ]
 *     claim = a name; dots lead into objects; in quotes it is one name, whatever it contains
 *     value = text in quotes, a number, true or false
 * A claim alone must be true. `has` looks for an element of a list; a claim that is not a list is compared itself.
 * `ends` looks at the end of a text. A test of a missing claim does not hold.
 */

import { isObject, memberOf } from "../json.ts";

/** The claims about a person, as the identity provider stated them. */
export type Claims = Readonly<Record<string, unknown>>;

/** Whether a rule admits the claims. */
export type ClaimRule = (claims: Claims) => boolean;

/** An invalid rule. The message states the expected token and the place. */
export class ClaimRuleError extends Error {
  override name = "ClaimRuleError";
}

type Value = string | number | boolean;
/** The test of each operator. */
const OPERATORS = new Map<string, (claim: unknown, value: Value) => boolean>([
  ["=", (claim, value) => claim === value],
  ["has", (claim, value) => Array.isArray(claim) ? claim.includes(value) : claim === value],
  [
    "ends",
    (claim, value) =>
      typeof claim === "string" && typeof value === "string" && claim.endsWith(value),
  ],
]);
const WORDS = new Set(["and", "or", "not", "has", "ends"]);
/** Text in either kind of quotes, a number, a name, a sign, or a character that begins none of them. */
const TOKEN =
  /(["'])(?<text>.*?)\1|(?<number>-?\d+(?:\.\d+)?)(?![\w.-])|(?<word>[A-Za-z_][\w.-]*)|(?<sign>[=()])|\S/gs;
const KINDS = ["text", "number", "word", "sign"] as const;
/** Longer rules are mistakes, and might nest too deeply. */
const MAX_LENGTH = 2_000;

interface Token {
  readonly kind: typeof KINDS[number] | "end";
  readonly text: string;
  readonly at: number;
}

/**
 * Reads a rule.
 *
 * @throws {ClaimRuleError} naming the expected token and the place.
 */
export function parseClaimRule(text: string): ClaimRule {
  if (text.length > MAX_LENGTH) {
    throw new ClaimRuleError(`expected a rule of at most ${MAX_LENGTH} characters`);
  }
  const tokens = readTokens(text);
  let next = 0;
  // The last token is the end, beyond which nothing is read.
  const peek = () => tokens[next] as Token;
  const take = () => tokens[next < tokens.length - 1 ? next++ : next] as Token;
  const takeIf = (kind: Token["kind"], text: string) => {
    const isNext = peek().kind === kind && peek().text === text;
    if (isNext) take();
    return isNext;
  };

  function readSeveral(word: "and" | "or", readOne: () => ClaimRule): ClaimRule {
    const rules = [readOne()];
    while (takeIf("word", word)) rules.push(readOne());
    return word === "and"
      ? (claims) => rules.every((holds) => holds(claims))
      : (claims) => rules.some((holds) => holds(claims));
  }

  function readRule(): ClaimRule {
    return readSeveral("or", () => readSeveral("and", readPart));
  }

  function readPart(): ClaimRule {
    if (takeIf("word", "not")) {
      const rule = readPart();
      return (claims) => !rule(claims);
    }
    if (!takeIf("sign", "(")) return readTest();
    const rule = readRule();
    if (!takeIf("sign", ")")) throw expected("“)”", peek());
    return rule;
  }

  function readTest(): ClaimRule {
    const claim = take();
    const isName = claim.kind === "text" || claim.kind === "word" && !WORDS.has(claim.text);
    if (!isName) throw expected("the name of a claim", claim);
    const path = claim.kind === "text" ? [claim.text] : claim.text.split(".");
    const { kind, text } = peek();
    const test = kind === "sign" || kind === "word" ? OPERATORS.get(text) : undefined;
    if (test === undefined) return (claims) => claimAt(claims, path) === true;
    take();
    const value = readValue();
    return (claims) => test(claimAt(claims, path), value);
  }

  function readValue(): Value {
    const token = take();
    if (token.kind === "text") return token.text;
    if (token.kind === "number") return Number(token.text);
    if (token.kind === "word" && (token.text === "true" || token.text === "false")) {
      return token.text === "true";
    }
    throw expected("a value: text in quotes, a number, true or false", token);
  }

  const rule = readRule();
  if (peek().kind !== "end") throw expected("“and”, “or” or the end", peek());
  return rule;
}

function readTokens(text: string): Token[] {
  const tokens = Array.from(text.matchAll(TOKEN), ({ groups = {}, index: at }): Token => {
    const kind = KINDS.find((each) => groups[each] !== undefined);
    if (kind !== undefined) return { kind, text: groups[kind] ?? "", at };
    throw expected("a claim, a value or a word of a rule", { kind: "sign", at });
  });
  return [...tokens, { kind: "end", text: "", at: text.length }];
}

function expected(what: string, { kind, at }: Pick<Token, "kind" | "at">): ClaimRuleError {
  const place = kind === "end" ? "at the end" : `at character ${at + 1}`;
  return new ClaimRuleError(`expected ${what} ${place}`);
}

function claimAt(claims: Claims, path: readonly string[]): unknown {
  let value: unknown = claims;
  for (const name of path) value = isObject(value) ? memberOf(value, name) : undefined;
  return value;
}
