/** Sends what a catalog answers, for the events API, its feeds and the calendar. */

import {
  chooseMediaType,
  type ErrorCode,
  NOT_FOUND_MAX_AGE_SECONDS,
  PublicError,
  sendRepresentation,
} from "../http/mod.ts";
import type { Catalog, CatalogAnswer } from "./catalog.ts";

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
  throw new PublicError(
    "not_acceptable",
    "No format allowed by the Accept header is available here.",
    { hint: `Accept ${types[0]}, or send no Accept header.` },
  );
}

/** Sends an answer of a catalog. */
export function sendFromCatalog(
  request: Request,
  catalog: Catalog,
  { representation, endsAt }: CatalogAnswer,
): Response | Promise<Response> {
  return sendRepresentation(request, representation, { maxAgeSeconds: catalog.maxAge(endsAt) });
}

/** The error for an event that a catalog does not have. Clients cache it no longer than the catalog. */
export function noSuchEvent(catalog: Catalog, message: string, hint: string): PublicError {
  const seconds = Math.min(NOT_FOUND_MAX_AGE_SECONDS, catalog.maxAge(Infinity));
  const headers = { "cache-control": `max-age=${seconds}` };
  return new PublicError("not_found", message, { hint, headers });
}
