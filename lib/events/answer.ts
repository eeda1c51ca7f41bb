/** From the catalog to a response: what the events API, its feeds and the calendar share. */

import {
  chooseMediaType,
  type ErrorCode,
  NOT_FOUND_MAX_AGE_SECONDS,
  PublicError,
  sendRepresentation,
} from "../http/mod.ts";
import type { Catalog, CatalogAnswer } from "./catalog.ts";
import type { EventsSource } from "./source.ts";
import { MAX_AGE_MILLISECONDS } from "./values.ts";

/** A request for something of the catalog. */
interface CatalogRequest {
  readonly request: Request;
  readonly source: EventsSource;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Media types by which a caller may ask for the answer. */
  readonly types: readonly [string, ...string[]];
  /** Throws what `pick` would throw whatever the catalog is; called if there is none. */
  readonly check?: () => unknown;
}

/** Media types that mean JSON. */
export const JSON_TYPES = ["application/json"] as const;

/** What {@linkcode answerFromCatalog} and queries may refuse. */
export const CATALOG_ERRORS = [
  "bad_request",
  "not_acceptable",
  "server_misconfigured",
  "upstream_error",
] as const satisfies readonly ErrorCode[];

/**
 * Answers with what `pick` takes out of the catalog.
 *
 * @throws {PublicError} `not_acceptable`, or what the source and `pick` throw.
 */
export async function answerFromCatalog(
  { request, source, now, types, check }: CatalogRequest,
  pick: (catalog: Catalog, now: number) => CatalogAnswer,
): Promise<Response> {
  if (chooseMediaType(request.headers.get("accept"), types) === null) {
    throw new PublicError("not_acceptable", "The Accept header rules out what is here.", {
      hint: `Accept ${types[0]}, or send no Accept header.`,
    });
  }
  const catalog = await catalogOrRefusal(source, check);
  const at = now();
  const { representation, endsAt } = pick(catalog, at);
  const maxAgeSeconds = maxAgeOf(catalog, endsAt, at);
  return sendRepresentation(request, representation, { maxAgeSeconds });
}

/** The catalog. If there is none, a request that is wrong anyway gets its own error instead. */
async function catalogOrRefusal(
  source: EventsSource,
  check: CatalogRequest["check"],
): Promise<Catalog> {
  try {
    return await source.catalog();
  } catch (error) {
    check?.();
    throw error;
  }
}

/** The error for an event that a catalog does not have, which nobody may keep for longer than the catalog. */
export function noSuchEvent(
  catalog: Catalog,
  now: number,
  message: string,
  hint: string,
): PublicError {
  const seconds = Math.min(NOT_FOUND_MAX_AGE_SECONDS, maxAgeOf(catalog, Infinity, now));
  const headers = { "cache-control": `max-age=${seconds}` };
  return new PublicError("not_found", message, { hint, headers });
}

/**
 * For how many seconds what is made of a catalog may be kept: data may lag by five minutes in all (295 s by
 * the clock of this isolate), and a state changes at midnight (contract, section 1).
 *
 * @param endsAt until when it is right (epoch milliseconds); Infinity if no midnight changes it.
 */
export function maxAgeOf({ snapshot }: Catalog, endsAt: number, now: number): number {
  const readAt = Math.min(snapshot.meta.readAt, now);
  const freshUntil = Math.min(readAt + MAX_AGE_MILLISECONDS, endsAt);
  return Math.max(0, Math.floor((freshUntil - now) / 1_000));
}
