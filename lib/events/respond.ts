/** Responses from the catalog: what they accept, and how they are sent. */

import { chooseMediaType, notAcceptable } from "../platform/http/negotiate.ts";
import { type ErrorCode, NOT_FOUND_MAX_AGE_SECONDS, PublicError } from "../platform/http/errors.ts";
import { sendRepresentation } from "../platform/http/representation.ts";
import type { Asked } from "../platform/http/wire.ts";
import type { Catalog, CatalogResponse } from "./catalog.ts";
import { MAX_NAME_LENGTH, oneLine } from "./site/short_text.ts";
import type { EventsSource } from "./keeping/source.ts";

/** The codes of the errors of a calendar or a feed, which answers every `Accept`: there is one thing to send. */
export const FEED_ERRORS = [
  "bad_request",
  "server_misconfigured",
  "upstream_error",
] as const satisfies readonly ErrorCode[];

/** The codes of the errors that the functions below, queries and the source throw. */
export const CATALOG_ERRORS = [...FEED_ERRORS, "not_acceptable"] as const;

/** @throws {PublicError} `not_acceptable` if the Accept header excludes JSON. */
export function requireJsonAccepted({ headers }: Request): void {
  const types = ["application/json"] as const;
  if (chooseMediaType(headers.get("accept"), types) === null) throw notAcceptable(types);
}

type Source = Pick<EventsSource, "catalog">;

/**
 * Sends the response that `choose` finds in the catalog.
 *
 * @throws the errors of `choose` and of the source.
 */
export async function sendFromCatalog(
  asked: Asked,
  source: Source,
  choose: (catalog: Catalog) => Promise<CatalogResponse>,
): Promise<Response> {
  const catalog = await source.catalog();
  const { representation, endsAt } = await choose(catalog);
  return await sendRepresentation(asked, representation, { maxAgeSeconds: catalog.maxAge(endsAt) });
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
