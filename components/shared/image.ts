/** The routes of an event's images, and how versions of images are sent. */

import type { Context } from "fresh";
import type { Catalog } from "../../lib/events/catalog.ts";
import { partHref } from "../../lib/events/model.ts";
import {
  heldImage,
  type ImageRole,
  imageVersion,
  parseWidth,
} from "../../lib/events/pictures/images.ts";
import { noSuchEvent } from "../../lib/events/respond.ts";
import { oneLine } from "../../lib/events/site/short_text.ts";
import { createResponse, isNotModified } from "../../lib/platform/http/representation.ts";
import type { Handler } from "../../lib/platform/http/methods.ts";
import { PublicError } from "../../lib/platform/http/errors.ts";
import { searchOf } from "../../lib/platform/address.ts";
import { wholeNumber } from "../../lib/platform/parameters.ts";
import { type Operation, queryParameters } from "../../lib/operate/reference/operation.ts";
import { EVENT_PARAMETER } from "../../lib/operate/reference/parameters.ts";
import { methods } from "../../lib/operate/routes/methods.ts";
import type { State } from "../../lib/operate/state.ts";
import { pageHeaders } from "./policy.ts";

/** An address with a version always names the same image; one without may change at any time. */
const VERSIONED_MAX_AGE = "max-age=31536000, immutable";
const FAILED_MAX_AGE_SECONDS = 60;
/** A GIF of one transparent pixel. */
const NOTHING = Uint8Array.fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");

/** The handler and the operation of an event's own image. */
export function imageRoute(
  role: ImageRole,
  about: Pick<Operation, "operationId" | "summary">,
): { readonly handler: Handler<State>; readonly operation: Operation } {
  const operation: Operation = {
    ...about,
    group: "Pictures",
    description:
      `The ${role} of an event, at an address that does not expire. The response is the ` +
      `file as the organisation uploaded it, or a smaller WebP file. An event without a ${role} is ` +
      "a 404 that says so.",
    parameters: [
      EVENT_PARAMETER,
      ...queryParameters({ w: wholeNumber(1, 999_999) }, {
        w: {
          description:
            "The width in pixels that is enough: the image has 800 or 1,600, whichever " +
            "is nearer. Without it, and until the smaller file has been made, the image has its " +
            "own size.",
        },
      }),
    ],
    errors: ["not_found", "server_misconfigured", "upstream_error"],
    answer: {
      description: "The image.",
      content: Object.fromEntries(
        ["image/png", "image/jpeg", "image/webp", "image/gif", "image/avif"]
          .map((type) => [type, { schema: {} }]),
      ),
    },
  };
  return { handler: methods({ GET: (ctx) => answerImage(ctx, role) }), operation };
}

/**
 * Responds with an image of the current snapshot.
 *
 * @throws {PublicError} `not_found` if the event has none, `upstream_error` if it is not available; a page's
 *   own request gets these statuses with a transparent image.
 */
async function answerImage(ctx: Context<State>, role: ImageRole): Promise<Response> {
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

/** An image to send, or the response in its place. */
type Loaded = Response | {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** False for a substitute, which must not be cached as the image that the address names. */
  readonly isFinal: boolean;
};

/** Responds with a version of an image, which is loaded unless the client has it. */
export async function sendVersion(
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

/** The error for an address that names no event. */
export function noEvent(catalog: Catalog): PublicError {
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
