/**
 * Reads a cell of a table, whatever kind of field people chose for it. Airtable's API has a form of its own for
 * each kind (its documentation: "Field types and cell values"): lookups and rollups are lists, and buttons, barcodes,
 * generated texts, collaborators, files and the errors of formulas are objects.
 */

import { isObject } from "../../../platform/json.ts";
import { makePrintable } from "../../../platform/text.ts";

/** A cell that is not understood. The message says what stands there, and what would be right. */
export class CellError extends Error {}

/** A file of an attachment field, or a link with a label: a button. */
type CellObject = Readonly<Record<string, unknown>>;

/** One value of a cell: plain, or an object that only some readers know ({@linkcode isFile}, {@linkcode isButton}). */
export type CellValue = string | number | boolean | CellObject;

/** Airtable's ids of records, as a field of links has them. */
const RECORD_ID = /^rec[A-Za-z0-9]{14}$/;

/** A lookup of a lookup is a list of lists. What lies deeper than this comes from no table. */
const MAX_DEPTH = 10;

/**
 * The values of a cell; none for an empty one. Lists are flattened, since a lookup of a list is a list of lists.
 *
 * @param note reports a part of a list that is not understood, while others are.
 * @throws {CellError} for the error of a formula, a failed text, links to records, and objects of no known kind.
 */
export function unwrapCell(
  cell: unknown,
  note: (reason: string) => void = () => {},
  depth = 0,
): CellValue[] {
  if (cell === undefined || cell === null) return [];
  if (typeof cell === "string") return cell.trim() === "" ? [] : [cell];
  if (typeof cell === "number" || typeof cell === "boolean") return [cell];
  if (depth > MAX_DEPTH) throw new CellError(`lists more than ${MAX_DEPTH} deep`);
  if (Array.isArray(cell)) return unwrapList(cell, note, depth);
  return isObject(cell) ? unwrapObject(cell, note, depth) : [];
}

function unwrapList(
  cell: readonly unknown[],
  note: (reason: string) => void,
  depth: number,
): CellValue[] {
  const faults: CellError[] = [];
  const values = cell.flatMap((each) => {
    try {
      return unwrapCell(each, note, depth + 1);
    } catch (error) {
      if (!(error instanceof CellError)) throw error;
      faults.push(error);
      return [];
    }
  });
  const [fault] = faults;
  if (fault !== undefined && values.length === 0) throw fault;
  if (fault !== undefined) note(`${fault.message}: it is left out of the list`);
  const areLinks = values.length > 0 &&
    values.every((value) => typeof value === "string" && RECORD_ID.test(value));
  if (areLinks) throw new CellError("links to records: use a lookup of their name");
  return values;
}

/** Whether nothing stands in a cell. */
export function isEmptyCell(cell: unknown, depth = 0): boolean {
  return cell === undefined || cell === null || cell === false ||
    typeof cell === "string" && cell.trim() === "" ||
    Array.isArray(cell) && depth <= MAX_DEPTH &&
      cell.every((each) => isEmptyCell(each, depth + 1));
}

function unwrapObject(
  cell: CellObject,
  note: (reason: string) => void,
  depth: number,
): CellValue[] {
  const { error, specialValue, state, value, text, name, id, email } = cell;
  if (isFile(cell) || isButton(cell)) return [cell];
  if (typeof error === "string") throw new CellError(`an error of the formula: ${clip(error)}`);
  if (typeof specialValue === "string") {
    throw new CellError(`no number, but ${clip(specialValue)}, from a formula`);
  }
  if (typeof state === "string" && "value" in cell) {
    if (state === "error") throw new CellError("the text could not be generated");
    return unwrapCell(value, note, depth + 1);
  }
  if (typeof text === "string") return unwrapCell(text);
  // A collaborator or a choice, of which only the name may be shown.
  if (typeof name === "string") return unwrapCell(name);
  if (typeof id === "string" && typeof email === "string") {
    throw new CellError("a collaborator without a name");
  }
  throw new CellError("an object of no known kind");
}

/** Whether a value is a file of an attachment field. */
export function isFile(value: unknown): value is CellObject & { id: string; url: string } {
  return isObject(value) && typeof value["id"] === "string" && typeof value["url"] === "string" &&
    !("email" in value);
}

/** Whether a value is a button: a label, and an address or null. */
export function isButton(value: unknown): value is CellObject & { label: string } {
  return isObject(value) && typeof value["label"] === "string" && "url" in value;
}

/** The value of a cell, short enough for a report. */
export function inReport(value: unknown): string {
  if (typeof value === "string") return makePrintable(JSON.stringify(value.slice(0, 60)));
  if (Array.isArray(value)) {
    return value.slice(0, 3).map((each) => inReport(each)).join(", ") +
      (value.length > 3 ? " and more" : "");
  }
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

function clip(text: string): string {
  return makePrintable(text.slice(0, 60));
}
