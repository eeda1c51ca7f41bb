/** `/oembed`: how to embed a page of this site, for programs that turn links into frames (oembed.com, version 1.0). */

import {
  CARD_SIZE,
  cardEmbedHref,
  embedHref,
  frameHtml,
  LIST_SIZE,
  parseEmbed,
} from "../lib/events/site/embed.ts";
import { EVERYTHING, parseSelection } from "../lib/events/site/selection.ts";
import { nothingHere, PublicError } from "../lib/platform/http/errors.ts";
import { pathOf, searchOf } from "../lib/platform/address.ts";
import { oneOf, parseQuery, text, wholeNumber } from "../lib/platform/parameters.ts";
import { eventInFrame } from "../components/shared/card.ts";
import { catalogScope } from "../components/shared/kept_pages.tsx";
import { methods } from "../lib/operate/routes/methods.ts";

const OEMBED_PARAMETERS = {
  url: text(2_000),
  format: oneOf(["json", "xml"]),
  maxwidth: wholeNumber(1, 10_000),
  maxheight: wholeNumber(1, 10_000),
};

export const handler = methods({
  async GET(ctx) {
    const { BASE_URL: baseUrl, SITE_NAME: siteName } = ctx.state.services.config;
    const given = parseQuery(searchOf(ctx.req.url), OEMBED_PARAMETERS, "nothing");
    const { format = "json", maxwidth = Infinity, maxheight = Infinity } = given;
    const url = given.url !== undefined && URL.canParse(given.url) ? new URL(given.url) : null;
    if (url === null) {
      throw new PublicError("bad_request", "The parameter url is missing, or is not an address.", {
        hint: `Give the address of a page of this site, such as ${baseUrl}/.`,
      });
    }
    if (format === "xml") {
      return new Response("Only format=json is available.\n", { status: 501 });
    }
    const scope = await catalogScope(ctx.state);
    // People copy addresses with a slash at the end and in other case, and old ones with the other scheme.
    const path = pathOf(url.href).replace(/(?<=.)\/$/, "");
    const slug = /^\/(?:events|embed)\/([^/]+?)(?:\.md)?$/i.exec(path)?.[1];
    const isList = /^\/(?:events|embed|follow)?$/i.test(path);
    if (url.host !== new URL(baseUrl).host || (slug === undefined && !isList)) {
      throw nothingHere(
        "The page at this address cannot be embedded.",
        "Give the address of an event's page, or of the list of events.",
      );
    }
    const event = slug === undefined ? undefined : eventInFrame(scope.catalog, slug);
    const size = event === undefined ? LIST_SIZE : CARD_SIZE;
    const [width, height] = [Math.min(size.width, maxwidth), Math.min(size.height, maxheight)];
    const { theme, limit } = parseEmbed(url.search);
    const framed = event === undefined
      ? embedHref({ filter: { ...EVERYTHING, ...parseSelection(url.search) }, limit, theme })
      : cardEmbedHref(event.slug, theme);
    const title = event?.name ?? "Events";
    return Response.json({
      type: "rich",
      version: "1.0",
      title,
      provider_name: siteName,
      provider_url: baseUrl,
      cache_age: scope.maxAgeSeconds,
      html: frameHtml(`${baseUrl}${framed}`, title, { width, height }),
      width,
      height,
    }, { headers: { "cache-control": `max-age=${scope.maxAgeSeconds}` } });
  },
});
