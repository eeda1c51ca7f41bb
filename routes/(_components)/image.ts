/** Responses with an event's image, or with the picture that it is shared with. */

import type { Context } from "fresh";
import { noSuchEvent } from "../../lib/events/mod.ts";
import {
  heldImage,
  type ImageRole,
  imageVersion,
  parseWidth,
  sharingVersion,
  type StoredImage,
} from "../../lib/pictures/mod.ts";
import { createAnswer, isNotModified, PublicError, searchOf } from "../../lib/http/mod.ts";
import type { State } from "../../lib/state.ts";

/** An address with a version always names the same image; one without may change at any time. */
const VERSIONED_MAX_AGE = "max-age=31536000, immutable";
const FAILED_MAX_AGE_SECONDS = 60;
/** A GIF of one transparent pixel. */
const NOTHING = Uint8Array.fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");

/**
 * Responds with an image of the current snapshot.
 *
 * @throws {PublicError} `not_found` if the event has none, `upstream_error` if it is not available; a page's
 *   own request gets these statuses with a transparent image.
 */
export async function answerImage(ctx: Context<State>, role: ImageRole): Promise<Response> {
  const { events, images, imageVariants } = ctx.state.services;
  const catalog = await events.catalog();
  const id = catalog.event(ctx.params["slug"] ?? "")?.id ?? "";
  const held = heldImage(catalog, id, role);
  const maxAgeSeconds = catalog.maxAge(Infinity);
  const failedMaxAge = `max-age=${Math.min(FAILED_MAX_AGE_SECONDS, maxAgeSeconds)}`;
  if (held === null) {
    const headers = { "cache-control": failedMaxAge };
    return missing(ctx, new PublicError("not_found", `There is no ${role} here.`, { headers }));
  }
  const headers = imageHeaders(ctx, imageVersion(held), maxAgeSeconds);
  if (isNotModified(ctx.req.headers, headers)) return new Response(null, { status: 304, headers });
  const width = parseWidth(new URLSearchParams(searchOf(ctx.req.url)).get("w"));
  const { outcome: image, isFinal } = width === null
    ? { outcome: await images.get(catalog, id, role), isFinal: true }
    : await imageVariants.get(catalog, id, role, width);
  if (image === "absent" || image === "failed") {
    const headers = { "cache-control": failedMaxAge, "retry-after": "60" };
    const sentence = `The ${role} is not available right now.`;
    return missing(ctx, new PublicError("upstream_error", sentence, { headers }));
  }
  return sendImage(image, isFinal ? headers : forNow(headers, maxAgeSeconds));
}

/**
 * Responds with the picture that an event is shared with.
 *
 * @throws {PublicError} `not_found` if there is no such event.
 */
export async function answerSharingPicture(ctx: Context<State>): Promise<Response> {
  const { events, sharing } = ctx.state.services;
  const catalog = await events.catalog();
  const event = catalog.event(ctx.params["slug"] ?? "");
  if (event === null) {
    throw noSuchEvent(catalog, "There is no such event.", "Its page has the picture's address.");
  }
  const maxAgeSeconds = catalog.maxAge(Infinity);
  const headers = imageHeaders(ctx, sharingVersion(catalog, event), maxAgeSeconds);
  if (isNotModified(ctx.req.headers, headers)) return new Response(null, { status: 304, headers });
  const { bytes, isWhole } = await sharing.get(catalog, event);
  const picture = { bytes, type: "image/png" };
  return sendImage(picture, isWhole ? headers : forNow(headers, maxAgeSeconds));
}

/** The headers of a substitute, which must not be cached as the image that the address names. */
function forNow(
  { etag: _etag, ...headers }: Readonly<Record<string, string>>,
  maxAgeSeconds: number,
): Record<string, string> {
  const maxAge = `max-age=${Math.min(FAILED_MAX_AGE_SECONDS, maxAgeSeconds)}`;
  return { ...headers, "cache-control": maxAge };
}

/** The headers of an image, immutable if the address names its version. */
function imageHeaders({ req }: Context<State>, version: string, maxAgeSeconds: number) {
  const isCurrent = new URLSearchParams(searchOf(req.url)).get("v") === version;
  return {
    "etag": `W/"${version}"`,
    "cache-control": isCurrent ? VERSIONED_MAX_AGE : `max-age=${maxAgeSeconds}`,
    // An image opened on its own is a document of this origin, so the policy lets nothing run in it.
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "cross-origin",
  };
}

function sendImage(
  { bytes, type }: Pick<StoredImage, "bytes" | "type">,
  headers: Readonly<Record<string, string>>,
): Response {
  const length = String(bytes.length);
  return createAnswer(bytes, { ...headers, "content-type": type, "content-length": length });
}

/**
 * The error as a transparent image for a page's request, so that no browser draws a broken-image sign over the card.
 *
 * @throws {PublicError} the error itself, for any other request.
 */
function missing({ req }: Context<State>, reason: PublicError): Response {
  const error = reason.withHeaders({ vary: "accept, sec-fetch-dest" });
  const wanted = req.headers.get("sec-fetch-dest") ?? req.headers.get("accept") ?? "";
  if (!wanted.startsWith("image")) throw error;
  const headers = { ...error.headers, "content-type": "image/gif" };
  return new Response(NOTHING, { status: error.status, headers });
}
