/** The route of a feed or of the calendar: the events that a query string chooses. */

import { type FeedKind, prepareFeed } from "../../events/feeds/feeds.ts";
import { type LIST_DEFAULTS, LIST_PARAMETERS } from "../../events/query.ts";
import { FEED_ERRORS, sendFromCatalog } from "../../events/respond.ts";
import { brandingVersion } from "../../events/site/site.ts";
import { searchOf } from "../../platform/address.ts";
import { type Operation, queryParameters } from "../reference/operation.ts";
import { FILTERS, orderBy, STATUS } from "../reference/parameters.ts";
import { methods } from "./methods.ts";

/** The handler of a kind of feed. */
export function feedHandler(kind: FeedKind) {
  return methods({
    GET(ctx) {
      const { req, state: { site, services: { config, events, sharing } } } = ctx;
      const query = kind.parse(searchOf(req.url));
      return sendFromCatalog(ctx, events, (catalog) =>
        prepareFeed(catalog, kind, query, {
          siteName: config.SITE_NAME,
          branding: brandingVersion(site),
          pictureOf(id) {
            const event = catalog.event(id);
            return event && sharing.picture(catalog, event);
          },
        }));
    },
  });
}

/** The handler and the operation of a kind of feed that has the parameters of the list. */
export function feedRoute(
  kind: FeedKind,
  { defaults, ...about }:
    & Pick<Operation, "operationId" | "summary" | "description">
    & { readonly defaults: typeof LIST_DEFAULTS },
) {
  const type = kind.contentType.replace(/;.*/, "");
  const { limit } = defaults;
  const operation: Operation = {
    ...about,
    group: "Calendars and feeds",
    parameters: queryParameters(LIST_PARAMETERS, {
      status: STATUS,
      ...orderBy(defaults),
      limit: {
        description: limit === null
          ? "Maximum number of events. Without it, every event is included."
          : "Maximum number of events.",
        ...limit !== null && { default: limit },
        example: 1,
      },
      ...FILTERS,
    }),
    errors: FEED_ERRORS,
    answer: {
      description: `The ${type === "text/calendar" ? "calendar" : "feed"}.`,
      headers: ["Link"],
      content: { [type]: { schema: { type: type.endsWith("json") ? "object" : "string" } } },
    },
  };
  return { handler: feedHandler(kind), operation };
}
