/**
 * Rules over the claims of a person who signs in: tests separated by commas, all of which must hold.
 *
 *     hd=example.org, groups=members|staff, email=*@example.org, email_verified
 *
 * A claim alone must be true. With `=`, it must be one of the values between the bars, and a list must have one of
 * them; a `*` stands for any text. Dots lead into objects. Double quotes hold a value with a comma, a bar or an equals
 * sign, in which `*` is an ordinary character, or a name with other characters, which is not cut at its dots. A test of a missing claim
 * does not hold, and a test of `email` only where the provider states `email_verified` too: at many providers, a person
 * may claim any address.
 */

import { isObject, memberOf } from "../json.ts";

/** The claims about a person, as the identity provider stated them. */
export type Claims = Readonly<Record<string, unknown>>;

/** Whether a rule admits the claims. */
export interface ClaimRule {
  (claims: Claims): boolean;
  /** The names of the claims that it tests, as they stand in it. */
  readonly tested: readonly string[];
  /** The rule as it was written; "" for {@linkcode nobody}. */
  readonly text: string;
}

/** An invalid rule. The message states what may stand at which place. */
export class ClaimRuleError extends Error {
  override name = "ClaimRuleError";
}

/** The rule that admits no person. */
export const nobody: ClaimRule = Object.assign(() => false, { tested: [], text: "" });

/** Longer rules are mistakes. */
const MAX_LENGTH = 2_000;
/** A text in quotes, or a name or a value without them. */
const QUOTED = /"([^"]*)"/y;
const NAME = /[\w.-]+/y;
const VALUE = /[^\s",|=](?:[^",|=]*[^\s",|=])?/y;

/**
 * Reads a rule.
 *
 * @throws {ClaimRuleError} naming what was expected, and where.
 */
export function parseClaimRule(text: string): ClaimRule {
  if (text.length > MAX_LENGTH) {
    throw new ClaimRuleError(`expected a rule of at most ${MAX_LENGTH} characters`);
  }
  let at = 0;

  /** The text that a pattern finds here, without the spaces around it; null if it finds none. */
  function take(pattern: RegExp): string | null {
    pattern.lastIndex = at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    const [whole, inner = whole] = pattern.exec(text) ?? [];
    if (whole === undefined || inner === undefined) return null;
    at += whole.length;
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    return inner;
  }

  function expected(what: string): ClaimRuleError {
    const place = at >= text.length ? "at the end" : `at character ${at + 1}`;
    return new ClaimRuleError(`${place}, expected ${what}`);
  }

  const tested: string[] = [];

  function readTest(): (claims: Claims) => boolean {
    const quoted = take(QUOTED);
    const name = quoted ?? take(NAME);
    if (name === null) throw expected("the name of a claim");
    tested.push(name);
    const path = quoted === null ? name.split(".") : [name];
    if (take(/=/y) === null) {
      if (at < text.length && text[at] !== ",") throw expected("a comma, or = with a value");
      return (claims) => claimAt(claims, path) === true;
    }
    const values = [readValue()];
    while (take(/\|/y) !== null) values.push(readValue());
    if (at < text.length && text[at] !== ",") throw expected("a comma, or | with another value");
    return (claims) => {
      if (name === "email" && claimAt(claims, ["email_verified"]) !== true) return false;
      const claim = claimAt(claims, path);
      const found = Array.isArray(claim) ? claim : [claim];
      return found.some((each) => values.some((isLike) => isLike(each)));
    };
  }

  function readValue(): (claim: unknown) => boolean {
    const quoted = take(QUOTED);
    if (quoted !== null) return (claim) => textOf(claim) === quoted;
    const start = at;
    const value = take(VALUE);
    if (value === null) throw expected("a value, in double quotes if it has a comma, | or =");
    const word = /\s(?:and|or|not)\s/.exec(value);
    if (word !== null) {
      at = start + word.index + 1;
      throw expected("a comma between two tests, or double quotes around a value with this word");
    }
    const pieces = value.split("*");
    return (claim) => {
      const found = textOf(claim);
      return found !== null && hasPieces(found, pieces);
    };
  }

  const tests = [readTest()];
  while (take(/,/y) !== null) tests.push(readTest());
  return Object.assign((claims: Claims) => tests.every((holds) => holds(claims)), { tested, text });
}

/** A text, a number or a truth value as a rule writes it. */
function textOf(claim: unknown): string | null {
  if (typeof claim === "string") return claim;
  return typeof claim === "number" || typeof claim === "boolean" ? String(claim) : null;
}

/** Whether a text consists of these pieces in their order, with any text between two of them. */
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

function claimAt(claims: Claims, path: readonly string[]): unknown {
  let value: unknown = claims;
  for (const name of path) value = isObject(value) ? memberOf(value, name) : undefined;
  return value;
}
