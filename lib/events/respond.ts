/** Responses from the catalog: what they accept, how they are sent, and how many bytes of lists are on the wire. */

import { chooseMediaType, notAcceptable } from "../platform/http/negotiate.ts";
import { type ErrorCode, NOT_FOUND_MAX_AGE_SECONDS, PublicError } from "../platform/http/errors.ts";
import { type Representation, sendRepresentation } from "../platform/http/representation.ts";
import { type Catalog, type CatalogResponse, isWhole } from "./catalog.ts";
import type { ParsedQuery } from "./query.ts";
import { MAX_NAME_LENGTH, oneLine } from "./site/short_text.ts";
import type { EventsSource } from "./keeping/source.ts";

/** Media types that mean JSON. */
export const JSON_TYPES = ["application/json"] as const;

/** The codes of the errors of a calendar or a feed, which answers every `Accept`: there is one thing to send. */
export const FEED_ERRORS = [
  "bad_request",
  "server_misconfigured",
  "upstream_error",
] as const satisfies readonly ErrorCode[];

/** The codes of the errors that the functions below, queries and the source throw. */
export const CATALOG_ERRORS = [...FEED_ERRORS, "not_acceptable"] as const;

/** @throws {PublicError} `not_acceptable` if the Accept header excludes all of the media types. */
export function requireAcceptable(request: Request, types: readonly [string, ...string[]]): void {
  if (chooseMediaType(request.headers.get("accept"), types) !== null) return;
  throw notAcceptable(types.slice(0, 1));
}

type Source = Pick<EventsSource, "catalog">;

/**
 * Sends the response that `choose` finds in the catalog. It returns no promise if nothing has to be awaited, because
 * each promise costs time.
 *
 * @throws the errors of `choose` and of the source.
 */
export function sendFromCatalog(
  request: Request,
  source: Source,
  choose: (catalog: Catalog) => CatalogResponse | Promise<CatalogResponse>,
): Response | Promise<Response> {
  const send = (catalog: Catalog) => {
    const sendChosen = ({ representation, endsAt }: CatalogResponse) =>
      sendRepresentation(request, representation, { maxAgeSeconds: catalog.maxAge(endsAt) });
    const chosen = choose(catalog);
    return chosen instanceof Promise ? chosen.then(sendChosen) : sendChosen(chosen);
  };
  const catalog = source.catalog();
  return catalog instanceof Promise ? catalog.then(send) : send(catalog);
}

/** Bytes of lists that callers have not read yet, above which no further list is made. */
const MAX_WIRE_BYTES = 64 * 1024 * 1024;
/** A smaller list is not counted: the connections themselves take as much. */
const MIN_COUNTED_BYTES = 64 * 1024;
const WIRE_RETRY_SECONDS = 5;

/** The representations on the wire, each with the number of its responses. */
const onWire = new Map<Representation, { responses: number; readonly bytes: number }>();
let wireBytes = 0;

function requireRoom(): void {
  if (wireBytes < MAX_WIRE_BYTES) return;
  throw new PublicError("service_unavailable", "Too many lists are being sent that differ.", {
    hint: "Try again after the time in the Retry-After header, or ask for the whole list.",
    headers: { "retry-after": String(WIRE_RETRY_SECONDS) },
  });
}

/** Counts a representation until a response with it is over. */
function countOnWire(representation: Representation, over: Promise<void>): void {
  const entry = onWire.get(representation) ?? { responses: 0, bytes: representation.size() };
  if (entry.responses++ === 0) {
    onWire.set(representation, entry);
    wireBytes += entry.bytes;
  }
  const end = () => {
    if (--entry.responses > 0) return;
    onWire.delete(representation);
    wireBytes -= entry.bytes;
  };
  // It rejects if the caller goes away.
  over.then(end, end);
}

/**
 * Sends a list. Its bytes stay in memory until its caller has read them, so lists that no other request shares are
 * refused while too many of them are on the wire.
 *
 * @param info how the server tells the end of the response.
 * @throws {PublicError} `service_unavailable`, and the errors of the source.
 */
export function sendList(
  request: Request,
  info: Pick<Deno.ServeHandlerInfo, "completed">,
  source: Source,
  query: ParsedQuery,
): Response | Promise<Response> {
  const count = (response: CatalogResponse) => {
    const { representation } = response;
    const isCounted = !isWhole(query) && representation.size() >= MIN_COUNTED_BYTES;
    if (isCounted) countOnWire(representation, info.completed);
    return response;
  };
  return sendFromCatalog(request, source, (catalog) => {
    const response = catalog.list(query, requireRoom);
    return response instanceof Promise ? response.then(count) : count(response);
  });
}

/** The error for an event that a catalog does not have. Clients cache it no longer than the catalog. */
export function noSuchEvent(catalog: Catalog, message: string, hint: string): PublicError {
  return new PublicError("not_found", message, { hint, headers: briefly(catalog) });
}

/**
 * Lets a page of an event say what became of it, as long as the history has it. The API has no such status.
 *
 * @throws {PublicError} `gone` if the event with an id or slug was withdrawn.
 */
export function requireNotWithdrawn(catalog: Catalog, idOrSlug: string): void {
  const name = catalog.withdrawnName(idOrSlug);
  if (name === null) return;
  const hint = "It does not take place. What is on is on the home page.";
  const message = `${oneLine(name, MAX_NAME_LENGTH)} was withdrawn.`;
  throw new PublicError("gone", message, { hint, headers: briefly(catalog) });
}

/** An event may be announced, or come back, at any time. */
function briefly(catalog: Catalog) {
  const seconds = Math.min(NOT_FOUND_MAX_AGE_SECONDS, catalog.maxAge(Infinity));
  return { "cache-control": `max-age=${seconds}` };
}
