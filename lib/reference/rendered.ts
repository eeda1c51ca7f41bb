/** The operations of the reference as its page tells them: reads in a browser what `markdown.ts` wrote. */

import { parseCurlCommand } from "./curl.ts";

/** Where a parameter stands in a path. */
const PLACE = /\{(\w+)\}/g;

/** A row of an operation's table of parameters. */
export interface RenderedParameter {
  readonly name: string;
  readonly isQuery: boolean;
  readonly isRequired: boolean;
  /** What it may be, in words. */
  readonly values: string;
  /** All that it may be, if that is a choice. */
  readonly choices: readonly string[];
  /** Whether it may be several of the choices. */
  readonly isList: boolean;
  /** The least and the greatest, if it is a number. */
  readonly range: readonly [least: string, greatest: string] | null;
  readonly byDefault: string | null;
  readonly notes: string;
}

/** An operation, with the request of its sample. */
export interface RenderedOperation {
  /** The anchor of its section. */
  readonly id: string;
  readonly method: string;
  /** With the names of parameters in braces. */
  readonly path: string;
  readonly parameters: readonly RenderedParameter[];
  readonly needsKey: boolean;
  /** The parameters that the sample gives; several values of one as several entries. */
  readonly given: URLSearchParams;
  /** What the sample posts; null for a GET. */
  readonly body: string | null;
  /** The box of the sample. */
  readonly sample: Element;
}

/** Reads every operation of the page; parameters that are headers are left out. */
export function readOperations(): RenderedOperation[] {
  return [...document.querySelectorAll("h3")].flatMap((heading) => {
    const sample = firstBelow(heading, ".sample");
    return sample === null ? [] : [readOperation(heading, sample)];
  });
}

/** The address of an operation with these parameters; a part of the path that is empty keeps its name. */
export function addressOf(
  { path, parameters }: RenderedOperation,
  given: URLSearchParams,
): string {
  const valueOf = (name: string) =>
    encodeURIComponent(given.getAll(name).join()).replaceAll("%2C", ",");
  const filled = path.replace(PLACE, (whole, name) => valueOf(name) || whole);
  const query = parameters.filter(({ name, isQuery }) => isQuery && valueOf(name) !== "")
    .map(({ name }) => `${name}=${valueOf(name)}`).join("&");
  return query === "" ? filled : `${filled}?${query}`;
}

function readOperation(heading: Element, sample: Element): RenderedOperation {
  const [method = "", path = ""] = heading.textContent.split(" ");
  const command = sample.querySelector("code")?.textContent ?? "";
  const { url, needsKey, body } = parseCurlCommand(command.trim());
  const table = firstBelow(heading, "table");
  // An operation without parameters begins with the table of its answers.
  const rows = table?.querySelector("th")?.textContent === "parameter"
    ? [...table.querySelectorAll("tbody tr")]
    : [];
  const parameters = rows.flatMap(readParameter);
  const given = readGiven(new URL(url), path, parameters);
  return { id: heading.id, method, path, parameters, needsKey, given, body, sample };
}

function readParameter(row: Element): RenderedParameter[] {
  const [name = "", place, values = "", notes = ""] = [...row.children]
    .map(({ textContent }) => textContent);
  if (place === "header") return [];
  const [, least, greatest] = /^integer, (\d+) to (\d+)$/.exec(values) ?? [];
  return [{
    name,
    isQuery: place === "query",
    isRequired: / Required\.$/.test(notes),
    values,
    choices: [...row.querySelectorAll("td:nth-child(3) code")]
      .map(({ textContent }) => textContent),
    isList: values.startsWith("array of "),
    range: least === undefined || greatest === undefined ? null : [least, greatest],
    byDefault: / Default: (\S+)\.(?: |$)/.exec(notes)?.[1] ?? null,
    notes,
  }];
}

/** What the sample's address says of each parameter. */
function readGiven(
  { pathname, searchParams }: URL,
  path: string,
  parameters: readonly RenderedParameter[],
): URLSearchParams {
  const parts = new RegExp(`^${path.replace(PLACE, "(?<$1>.+)")}$`).exec(pathname)?.groups ?? {};
  return new URLSearchParams(parameters.flatMap(({ name, isQuery, isList }) => {
    const value = isQuery ? searchParams.get(name) ?? "" : decodeURIComponent(parts[name] ?? "");
    return (isList ? value.split(",") : [value]).map((each) => [name, each]);
  }));
}

/** The first that fits in the section of a heading. */
function firstBelow(heading: Element, selector: string): Element | null {
  let next = heading.nextElementSibling;
  while (next !== null && !next.matches("h2, h3")) {
    const found = next.matches(selector) ? next : next.querySelector(selector);
    if (found !== null) return found;
    next = next.nextElementSibling;
  }
  return null;
}
