/** The kinds of variables' values. Each converts a text, or states the expected form. */

import { z } from "zod";
import { COLUMN_NAMES, EVENT_FIELDS, type EventField } from "../event_columns.ts";
import { isObject, parseJson } from "../json.ts";
import { parseUsd } from "../money.ts";
import { type ClaimRule, parseClaimRule } from "./claim_rule.ts";

/** A text that is not empty, without the spaces around it. */
export const text = z.string().trim().min(1);

/** A text that `read` converts. If that returns null, the fault says what was `expected`. */
const readBy = <T>(read: (value: string) => T | null, expected: string) =>
  text.transform((value, context) => {
    const data = read(value);
    if (data !== null) return data;
    context.addIssue(`expected ${expected}`);
    return z.NEVER;
  });

function webAddress(value: string): string | null {
  const url = URL.parse(value);
  // `search` and `hash` are "" for a bare `?` or `#` too, so the whole address is compared.
  const isPlain = url !== null && /^https?:$/.test(url.protocol) &&
    url.href === url.origin + url.pathname;
  return isPlain ? url.href.replace(/\/+$/, "") : null;
}

/** An absolute http(s) address without a trailing slash, query or fragment. */
export const address = readBy(
  webAddress,
  "an http:// or https:// address without credentials or a query",
);

/** The address of a database server, and the user and the password that it may contain. */
export const database = readBy((value) => {
  const url = URL.parse(value);
  if (url === null) return null;
  const [user, password] = [decoded(url.username), decoded(url.password)];
  url.username = url.password = "";
  const address = webAddress(url.href);
  if (address === null || user === null || password === null) return null;
  return { address, user: user === "" ? "default" : user, password };
}, "an http:// or https:// address without a query");

/** The text behind percent encoding; null if it is malformed. */
function decoded(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

/** The id of a base of Airtable, also from an address of the base, as people copy it from the browser. */
export const baseId = readBy(
  (value) =>
    /^(?:https:\/\/(?:www\.)?airtable\.com\/)?(app\w+)(?:[/?#].*)?$/.exec(value)?.[1] ?? null,
  'the part of the base\'s address that begins with "app"',
);

/** A text of a form, which the message states. */
export const pattern = (form: RegExp, what: string) => text.regex(form, `expected ${what}`);

/** Whether something is switched on. */
export const onOrOff = z.enum(["on", "off"], "expected on or off");

/** The identifier of an identity provider, unchanged: a trailing slash makes it another one. */
export const issuer = text.refine((value) => {
  const url = URL.parse(value);
  return url !== null && [url.origin, url.href, url.href.slice(0, -1)].includes(value) &&
    url.href === url.origin + url.pathname && isProtected(url);
}, "expected the issuer that the identity provider states, an https:// address");

/** The scopes that sign-in asks for. */
export const scopes = text.refine(
  (value) => value.split(/\s+/).includes("openid"),
  "expected scopes with spaces between them, openid among them",
);

/** A rule over the claims of a person who signs in, see `claim_rule.ts`. */
export const claimRule = text.transform((value, context): ClaimRule => {
  const rule = parseClaimRule(value);
  if (typeof rule !== "string") return rule;
  context.addIssue(rule);
  return z.NEVER;
});

/** A header's value. The platform's error about any other value would reveal it. */
export const token = text.regex(
  /^(?!["'])[\x21-\x7e]+$/,
  "expected a token of ASCII characters without spaces, and without quotes around it",
);

/** A whole number between two bounds. */
export const wholeNumber = (min: number, max: number) => {
  const expected = `expected a whole number from ${min} to ${max}`;
  return text.regex(/^\d{1,12}$/, expected).transform(Number)
    .refine((value) => value >= min && value <= max, expected);
};

/** An amount of dollars as {@linkcode parseUsd} reads it, in nano-dollars. */
export const usd = readBy(
  parseUsd,
  "an amount of US dollars in digits, with a point before the cents",
);

/** The name of a time zone. */
export const timeZone = text.refine((zone) => {
  try {
    Temporal.Now.plainDateISO(zone);
    return true;
  } catch {
    return false;
  }
}, "expected an IANA time zone");

const MAIL_OR_TELEPHONE = /^(?:mailto:[^\s@]+@[^\s@]+|tel:\+?[\d().-]+)$/;

/** A contact as RFC 9116, section 2.5.3, requires it; a bare address is an e-mail address. */
export const contact = readBy((value) => {
  const uri = /^[^\s:@]+@[^\s:@]+$/.test(value) ? `mailto:${value}` : value;
  return MAIL_OR_TELEPHONE.test(uri) || /^https:\/\/[^\s/]\S*$/.test(uri) ? uri : null;
}, "an e-mail address, or an https:, mailto: or tel: address");

/** The path or the address of a file with one of these endings. */
export const file = (ending: RegExp, what: string) => {
  const expected = `expected the path of ${what}, or its https:// address`;
  // One letter with a colon is a drive, not a scheme.
  const isAddress = (value: string) => /^[a-z][a-z\d+.-]+:/i.test(value);
  return text.refine(
    (value) =>
      isAddress(value)
        ? /^https:\/\/[^\s/@]+\/\S*$/i.test(value) && URL.canParse(value)
        : ending.test(value) && !value.includes("\0"),
    expected,
  );
};

/** A text on one line of a page or a picture. */
export const line = (maxLength: number) => {
  const expected = `expected one line of at most ${maxLength} characters`;
  return text.refine(
    (value) => value.length <= maxLength && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value),
    expected,
  );
};

const LINK_LABEL = line(30);
const MAX_LINKS = 8;

/** The entries of a JSON object; `expected` says what it leads from and to. */
const entries = (expected: string) =>
  readBy((value) => {
    const given = parseJson(value);
    return isObject(given) ? Object.entries(given) : null;
  }, `a JSON object from ${expected}`);

/** Links by their labels, in the order given. */
export const links = entries("label to address").transform((given, context) => {
  const found: { label: string; href: string }[] = [];
  for (const [index, [typed, href]] of given.entries()) {
    const label = LINK_LABEL.safeParse(typed);
    if (label.success && typeof href === "string" && isLinkAddress(href)) {
      found.push({ label: label.data, href });
    } else {
      context.addIssue(
        `link ${
          index + 1
        }: expected a label of at most 30 characters, and an address with https:, ` +
          "mailto: or tel:, or a path of this site",
      );
    }
  }
  if (found.length > MAX_LINKS) context.addIssue(`expected at most ${MAX_LINKS} links`);
  return found;
});

function isLinkAddress(href: string): boolean {
  return MAIL_OR_TELEPHONE.test(href) || /^\/(?![/\\])[^\s\\]*$/.test(href) ||
    /^https?:\/\/[^\s/@]+(?:\/|$)\S*$/.test(href) && URL.canParse(href);
}

/** The column of each field of an event; the default where none is given. */
export const columns = entries("field to column name").transform((given, context) => {
  const found: Record<EventField, string> = { ...COLUMN_NAMES };
  for (const [index, [name, column]] of given.entries()) {
    const field = EVENT_FIELDS.find((each) => each === name);
    const { data } = text.safeParse(column);
    if (field !== undefined && data !== undefined) found[field] = data;
    else {
      context.addIssue(
        `entry ${index + 1}: expected the name of a column for one of ${EVENT_FIELDS.join(", ")}`,
      );
    }
  }
  return found;
});

const LOCAL = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether an address leads to this machine. */
export function isLocal(address: string): boolean {
  return LOCAL.test(new URL(address).hostname);
}

/** Whether the network cannot read requests to an address: it is reached over TLS, or is on this machine. */
export function isProtected({ protocol, hostname }: URL): boolean {
  return protocol === "https:" ||
    protocol === "http:" && LOCAL.test(hostname);
}
