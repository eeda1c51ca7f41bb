/** Responses with an event's image, or with the picture that it is shared with. */

import type { Context } from "fresh";
import { type Catalog, noSuchEvent, partHref } from "../../lib/events/mod.ts";
import { heldImage, type ImageRole, imageVersion, parseWidth } from "../../lib/pictures/mod.ts";
import { createResponse, isNotModified, PublicError, searchOf } from "../../lib/http/mod.ts";
import { oneLine } from "../../lib/site/mod.ts";
import type { State } from "../../lib/service/mod.ts";
import { pageHeaders } from "../(_components)/policy.ts";

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
  const { events, images } = ctx.state.services;
  const catalog = await events.catalog();
  const event = catalog.event(ctx.params["idOrSlug"] ?? "");
  if (event === null) return missing(ctx, noEvent(catalog));
  const { id } = event;
  const held = heldImage(catalog, id, role);
  if (held === null) {
    const headers = { "cache-control": briefly(catalog) };
    const sentence = `The event ${JSON.stringify(oneLine(event.name, 100))} has no ${role}.`;
    const hint = `GET ${partHref(id, "/card")} is a picture of the whole event.`;
    return missing(ctx, new PublicError("not_found", sentence, { hint, headers }));
  }
  return await sendVersion(ctx, catalog, imageVersion(held), async () => {
    const width = parseWidth(new URLSearchParams(searchOf(ctx.req.url)).get("w"));
    const { outcome, isFinal } = await images.getSized(catalog, id, role, width);
    if (typeof outcome !== "string") return { ...outcome, isFinal };
    const headers = { "cache-control": briefly(catalog), "retry-after": "60" };
    const sentence = `The ${role} is not available right now.`;
    return missing(ctx, new PublicError("upstream_error", sentence, { headers }));
  });
}

/**
 * Responds with the picture that an event is shared with.
 *
 * @throws {PublicError} `not_found` if there is no such event.
 */
export async function answerSharingPicture(ctx: Context<State>): Promise<Response> {
  const { events, sharing } = ctx.state.services;
  const catalog = await events.catalog();
  const event = catalog.event(ctx.params["idOrSlug"] ?? "");
  if (event === null) throw noEvent(catalog);
  return await sendVersion(
    ctx,
    catalog,
    sharing.version(catalog, event),
    async () => {
      const { bytes, isWhole } = await sharing.get(catalog, event);
      return { bytes, type: "image/png", isFinal: isWhole };
    },
  );
}

/** An image to send, or the response in its place. */
type Loaded = Response | {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** False for a substitute, which must not be cached as the image that the address names. */
  readonly isFinal: boolean;
};

/** Responds with a version of an image, which is loaded unless the client has it. */
async function sendVersion(
  { req, state }: Context<State>,
  catalog: Catalog,
  version: string,
  load: () => Promise<Loaded>,
): Promise<Response> {
  const isCurrent = new URLSearchParams(searchOf(req.url)).get("v") === version;
  const headers = {
    "etag": `W/"${version}"`,
    "cache-control": isCurrent ? VERSIONED_MAX_AGE : `max-age=${catalog.maxAge(Infinity)}`,
    // An image opened on its own is a document of this origin, so the policy lets nothing run in it.
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "cross-origin",
    ...pageHeaders(state.services.config.BASE_URL),
  };
  if (isNotModified(req.headers, headers)) return new Response(null, { status: 304, headers });
  const loaded = await load();
  if (loaded instanceof Response) return loaded;
  const { bytes, type, isFinal } = loaded;
  const { etag: _etag, ...unnamed } = { ...headers, "cache-control": briefly(catalog) };
  return createResponse(bytes, {
    ...isFinal ? headers : unnamed,
    "content-type": type,
    "content-length": String(bytes.length),
  });
}

function noEvent(catalog: Catalog): PublicError {
  const hint = "GET /api/v1/events lists the ids of all events.";
  return noSuchEvent(catalog, "No event has this id or slug.", hint);
}

function briefly(catalog: Catalog): string {
  return `max-age=${Math.min(FAILED_MAX_AGE_SECONDS, catalog.maxAge(Infinity))}`;
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
