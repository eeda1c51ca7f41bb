/**
 * What stands in a cell of a table, whatever kind of field people chose for it. Airtable's API has a form of its own for
 * each kind (its documentation: "Field types and cell values"): lookups and rollups are lists, and buttons, barcodes,
 * generated texts, collaborators, files and the errors of formulas are objects.
 */

import { isObject } from "../platform/json.ts";

/** A cell that is not understood. The message says what stands there, and what would be right. */
export class CellError extends Error {}

/** A file of an attachment field, or a link with a label: a button. */
type CellObject = Readonly<Record<string, unknown>>;

/** One value of a cell: plain, or an object that only some readers know ({@linkcode isFile}, {@linkcode isButton}). */
export type CellValue = string | number | boolean | CellObject;

/** Airtable's ids of records, as a field of links has them. */
const RECORD_ID = /^rec[A-Za-z0-9]{14}$/;

/**
 * The values of a cell; none for an empty one. Lists are flattened, since a lookup of a list is a list of lists.
 *
 * @throws {CellError} for the error of a formula, a failed text, links to records, and objects of no known kind.
 */
export function unwrapCell(cell: unknown): CellValue[] {
  if (cell === undefined || cell === null) return [];
  if (typeof cell === "string") return cell.trim() === "" ? [] : [cell];
  if (typeof cell === "number" || typeof cell === "boolean") return [cell];
  if (Array.isArray(cell)) {
    const values = cell.flatMap(unwrapCell);
    const areLinks = values.length > 0 &&
      values.every((value) => typeof value === "string" && RECORD_ID.test(value));
    if (areLinks) throw new CellError("links to records: use a lookup of their name");
    return values;
  }
  return isObject(cell) ? unwrapObject(cell) : [];
}

/** Whether nothing stands in a cell. */
export function isEmptyCell(cell: unknown): boolean {
  return cell === undefined || cell === null || cell === false ||
    typeof cell === "string" && cell.trim() === "" ||
    Array.isArray(cell) && cell.every(isEmptyCell);
}

function unwrapObject(cell: CellObject): CellValue[] {
  const { error, specialValue, state, value, text, name, id, email } = cell;
  if (isFile(cell) || isButton(cell)) return [cell];
  if (typeof error === "string") throw new CellError(`an error of the formula: ${clip(error)}`);
  if (typeof specialValue === "string") {
    throw new CellError(`no number, but ${clip(specialValue)}, from a formula`);
  }
  if (typeof state === "string" && "value" in cell) {
    if (state === "error") throw new CellError("the text could not be generated");
    return unwrapCell(value);
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

/** What stands in a cell, short enough for a report. */
export function inReport(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(clip(value));
  if (Array.isArray(value)) return value.length === 1 ? inReport(value[0]) : "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

function clip(text: string): string {
  return text.slice(0, 60);
}
