/** Values of variables that operators may see. */

import { makePrintable } from "../text.ts";

/** A variable's value for operators; null if it is secret or may be. Of an address, only the origin is shown. */
export function showIfHarmless(name: string, value: string): string | null {
  if (isSecret(name)) return null;
  const isAddress = /^https?:/.test(value) && URL.canParse(value);
  return isAddress ? new URL(value).origin : showValue(value.trim());
}

function isSecret(name: string): boolean {
  return /(?:KEY|TOKEN|PASSWORD|PASSWD|SECRET|CREDENTIALS?|_PAT|PASS)$/i.test(name);
}

/**
 * A value in quotes for a message: on one line, without the accounts and queries of addresses. Null for a value that
 * looks like a key, which may have been pasted into the wrong line.
 */
export function showValue(value: string): string | null {
  if (/^(?=.*\d)(?=.*[a-z])[\w.-]{20,}$/i.test(value)) return null;
  const harmless = (/:.*@/s.test(value) ? value.replace(/^(\w+:\/\/)?.*@/s, "$1…@") : value)
    .replace(/([?#]).+$/s, "$1…");
  const short = harmless.length > MAX_SHOWN ? `${harmless.slice(0, MAX_SHOWN)}…` : harmless;
  return makePrintable(JSON.stringify(short));
}

/** Longer values are shortened. */
const MAX_SHOWN = 60;
