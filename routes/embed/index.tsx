/** `/embed`: a list of events for the frame of another site, filtered as the page is. */

import { embedHref, parseEmbed } from "../../lib/events/site/embed.ts";
import { filterInWords } from "../../lib/events/site/filter_words.ts";
import { allEvents, buildListing } from "../../lib/events/site/listing.ts";
import { EVERYTHING, selectionHref } from "../../lib/events/site/selection.ts";
import { accentRules } from "../../lib/events/site/site_style.ts";
import { themeRules } from "../../lib/events/theme/theme.ts";
import { searchOf } from "../../lib/platform/address.ts";
import { createCard } from "../../components/shared/card.ts";
import { answerEmbed, EmbeddedList } from "../../components/embed/Embed.tsx";
import { catalogScope } from "../../components/shared/kept_pages.tsx";
import { methods } from "../../lib/operate/routes/methods.ts";

export const handler = methods({
  async GET(ctx) {
    const scope = await catalogScope(ctx.state);
    const { catalog, today } = scope;
    const embed = parseEmbed(searchOf(ctx.req.url));
    return await answerEmbed(ctx, scope, embedHref(embed), () => {
      const selection = { ...EVERYTHING, ...embed.filter };
      const { groups } = buildListing(allEvents(catalog, today), selection, today);
      const events = groups.flatMap(({ events }) => events).slice(0, embed.limit);
      const cards = events.map((event) => createCard(event, scope, true));
      const rules = accentRules(ctx.state.site) + themeRules(cards.map(({ theme }) => theme));
      const title = filterInWords(embed.filter) ?? "Events";
      const href = selectionHref(selection);
      const shown = { title, cards, rules, theme: embed.theme, href };
      return { element: <EmbeddedList {...shown} />, rules };
    });
  },
});
