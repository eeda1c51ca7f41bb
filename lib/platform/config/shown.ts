/** Values of variables that operators may see. */

import { quoted } from "../text.ts";

/** A variable's value for operators; null if it is secret or may be. Only the origin of an address is shown. */
export function showIfHarmless(name: string, value: string): string | null {
  if (/(?:KEY|TOKEN|SECRET)$/.test(name)) return null;
  const isAddress = /^https?:/.test(value) && URL.canParse(value);
  return isAddress ? new URL(value).origin : showValue(value.trim());
}

/**
 * A value in quotes for a message: on one line, without the accounts and queries of addresses. Null for a value that
 * looks like a key, which may have been pasted into the wrong line.
 */
export function showValue(value: string): string | null {
  if (/^(?=.*\d)(?=.*[a-z])[\w.-]{20,}$/i.test(value)) return null;
  const harmless = /:.*@/s.test(value) ? value.replace(/^(\w+:\/\/)?.*@/s, "$1…@") : value;
  return quoted(harmless.replace(/(?<=.)([?#]).+$/s, "$1…"));
}
