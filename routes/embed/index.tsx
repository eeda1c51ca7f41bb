/** `/embed`: a list of events for the frame of another site, filtered as the page is. */

import {
  accentRules,
  allEvents,
  buildListing,
  embedHref,
  EVERYTHING,
  filterInWords,
  lookStyles,
  parseEmbed,
  selectionHref,
} from "../../lib/events/mod.ts";
import { searchOf } from "../../lib/platform/address.ts";
import { createCard } from "../../components/shared/card.ts";
import { answerEmbed, EmbeddedList } from "../../components/embed/Embed.tsx";
import { catalogBasis } from "../../components/shared/prepared.tsx";
import { methods } from "../../lib/operate/mod.ts";

export const handler = methods({
  async GET(ctx) {
    const basis = await catalogBasis(ctx.state);
    const { catalog, today } = basis;
    const embed = parseEmbed(searchOf(ctx.req.url));
    return await answerEmbed(ctx, basis, embedHref(embed), () => {
      const selection = { ...EVERYTHING, ...embed.filter };
      const { groups } = buildListing(allEvents(catalog, today), selection, today);
      const events = groups.flatMap(({ events }) => events).slice(0, embed.limit);
      const cards = events.map((event) => createCard(event, basis, true));
      const looks = accentRules(ctx.state.site) + lookStyles(cards.map(({ look }) => look));
      const title = filterInWords(embed.filter) ?? "Events";
      const href = selectionHref(selection);
      const shown = { title, cards, looks, theme: embed.theme, href };
      return { element: <EmbeddedList {...shown} />, looks };
    });
  },
});
