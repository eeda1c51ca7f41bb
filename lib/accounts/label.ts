/** The names that people give to accounts and keys. */

import { isPrintable } from "../text.ts";

const MAX_LENGTH = 100;

/** What is wrong with a name, as the rest of a sentence about it; null for a good one. */
export function findLabelFault(label: string): string | null {
  if (label.trim() === "") return "is empty";
  if (label !== label.trim()) return "begins or ends with a space";
  if ([...label].length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (!isPrintable(label)) return "has a character that cannot be printed";
  return null;
}
