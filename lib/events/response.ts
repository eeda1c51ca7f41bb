/** Sends the responses of a catalog, for the events API, its feeds and the calendar. */

import {
  chooseMediaType,
  type ErrorCode,
  NOT_FOUND_MAX_AGE_SECONDS,
  notAcceptable,
  PublicError,
  sendRepresentation,
} from "../http/mod.ts";
import type { Catalog, CatalogResponse } from "./catalog.ts";
import type { EventsSource } from "./source.ts";

/** Media types that mean JSON. */
export const JSON_TYPES = ["application/json"] as const;

/** The codes of the errors that the functions below, queries and the source throw. */
export const CATALOG_ERRORS = [
  "bad_request",
  "not_acceptable",
  "server_misconfigured",
  "upstream_error",
] as const satisfies readonly ErrorCode[];

/** @throws {PublicError} `not_acceptable` if the Accept header excludes all of the media types. */
export function requireAcceptable(request: Request, types: readonly [string, ...string[]]): void {
  if (chooseMediaType(request.headers.get("accept"), types) !== null) return;
  throw notAcceptable(types.slice(0, 1));
}

/**
 * Sends the response that `choose` finds in the catalog. It returns no promise if nothing has to be awaited, because
 * each promise costs time.
 *
 * @throws the errors of `choose` and of the source.
 */
export function sendFromCatalog(
  request: Request,
  source: Pick<EventsSource, "catalog">,
  choose: (catalog: Catalog) => CatalogResponse,
): Response | Promise<Response> {
  const send = (catalog: Catalog) => {
    const { representation, endsAt } = choose(catalog);
    return sendRepresentation(request, representation, { maxAgeSeconds: catalog.maxAge(endsAt) });
  };
  const catalog = source.catalog();
  return catalog instanceof Promise ? catalog.then(send) : send(catalog);
}

/** The error for an event that a catalog does not have. Clients cache it no longer than the catalog. */
export function noSuchEvent(catalog: Catalog, message: string, hint: string): PublicError {
  const seconds = Math.min(NOT_FOUND_MAX_AGE_SECONDS, catalog.maxAge(Infinity));
  const headers = { "cache-control": `max-age=${seconds}` };
  return new PublicError("not_found", message, { hint, headers });
}
