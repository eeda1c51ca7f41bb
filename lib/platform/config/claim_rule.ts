/**
 * Rules over the claims of a person who signs in: tests separated by commas, all of which must hold.
 *
 *     hd=example.org, groups=members|staff, email=*@example.org, email_verified
 *
 * A claim alone must be true, or the text "true", which some providers send. With `=`, it must be one of the values
 * between the bars, and a list must have one of them; a `*` stands for any text. Dots lead into objects. Double quotes
 * hold a value with a comma, a bar or an equals sign, in which `*` is an ordinary character, or a name with other
 * characters, which is not cut at its dots. A test of a missing claim does not hold. Addresses are compared without
 * case, and a test of `email` holds only where the provider states `email_verified` too: at many providers, a person
 * may claim any address.
 */

import { memberAt } from "../json.ts";

/** The claims about a person, as the identity provider stated them. */
export type Claims = Readonly<Record<string, unknown>>;

/** A rule that says whom a provider's claims admit. */
export interface ClaimRule {
  /** The names of the claims that it tests, as they stand in it. */
  readonly tested: readonly string[];
  /** The rule as it was written; "" for {@linkcode nobody}. */
  readonly text: string;
  /** Describes the first test that fails, without a value of the person; null if the rule admits the claims. */
  readonly fault: (claims: Claims) => string | null;
}

/** The rule that admits no person. */
export const nobody: ClaimRule = { tested: [], text: "", fault: () => "there is no rule" };

/** A test: the words of its fault; null if it holds. */
type Test = ClaimRule["fault"];

/** Whether a provider states that a claim is true. Some send the text (Amazon Cognito, Auth0's rules). */
function isTrue(claim: unknown): boolean {
  return claim === true || claim === "true";
}

/** Longer rules are mistakes. */
const MAX_LENGTH = 2_000;
const NAME = /"[^"]*"|[\w.-]+/.source;
const VALUE = /"[^"]*"|[^\s",|=](?:[^",|=]*[^\s",|=])?/.source;
const TEST = new RegExp(`^(${NAME})\\s*(?:=\\s*((?:${VALUE})(?:\\s*\\|\\s*(?:${VALUE}))*))?$`);
/** A word that another language of rules would have between two tests. */
const WORD = /\s(?:and|or|not)\s/;

/** Reads a rule; or says, in a sentence, which of its tests is malformed and what may stand there. */
export function parseClaimRule(text: string): ClaimRule | string {
  if (text.length > MAX_LENGTH) return `expected a rule of at most ${MAX_LENGTH} characters`;
  const tested: string[] = [];
  const tests: Test[] = [];
  // A comma within quotes has an odd number of them behind it.
  for (const [at, test] of text.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).entries()) {
    const place = `in test ${at + 1}, expected`;
    const [, name, values] = TEST.exec(test.trim()) ?? [];
    if (WORD.test(test.replaceAll(/"[^"]*"/g, '""'))) {
      return `${place} a comma between two tests, or double quotes around a value with this word`;
    }
    if (name === undefined) {
      return `${place} a claim alone, or with =, a value, and | before each further value; ` +
        "commas separate tests, and double quotes hold a value that has a comma, | or =";
    }
    tested.push(withoutQuotes(name));
    tests.push(testOf(name, values));
  }
  const fault = (claims: Claims) =>
    tests.values().map((test) => test(claims)).find((each) => each !== null) ?? null;
  return { tested, text, fault };
}

function testOf(name: string, values: string | undefined): Test {
  const path = name.startsWith('"') ? [withoutQuotes(name)] : name.split(".");
  const isAddress = path.join() === "email";
  if (values === undefined) {
    return (claims) => {
      const claim = memberAt(claims, ...path);
      if (isTrue(claim)) return null;
      return `${name} is ${claim === undefined ? "not stated" : "not true"}`;
    };
  }
  const comparable = (value: string) => isAddress ? value.toLowerCase() : value;
  const patterns = [...values.matchAll(new RegExp(VALUE, "g"))].map(([value]) => {
    const isLiteral = value.startsWith('"');
    const text = comparable(isLiteral ? withoutQuotes(value) : value);
    return isLiteral ? [text] : text.split("*");
  });
  return (claims) => {
    const claim = memberAt(claims, ...path);
    if (claim === undefined) return `${name} is not stated`;
    if (isAddress && !isTrue(claims["email_verified"])) {
      return claims["email_verified"] === undefined
        ? "email counts only with email_verified, which the provider does not state"
        : "email is not verified";
    }
    const isOneOf = [claim].flat().some((each) =>
      ["string", "number", "boolean"].includes(typeof each) &&
      patterns.some((pieces) => hasPieces(comparable(String(each)), pieces))
    );
    return isOneOf ? null : `${name} has another value`;
  };
}

/**
 * Whether a text consists of these pieces in their order, with any text between two of them. A regular expression would
 * take time by a power of the length, and people choose the texts.
 */
function hasPieces(text: string, [first = "", ...rest]: readonly string[]): boolean {
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function withoutQuotes(text: string): string {
  return text.replace(/^"(.*)"$/s, "$1");
}
