/** `/embed/{idOrSlug}`: the card of an event for the frame of another site. */

import { cardEmbedHref, parseEmbed } from "../../lib/embeds/browser.ts";
import { accentRules } from "../../lib/site/mod.ts";
import { lookStyles } from "../../lib/theme/mod.ts";
import { searchOf } from "../../lib/http/mod.ts";
import { createCard, eventInFrame } from "../(_shared)/card.ts";
import { answerEmbed, EmbeddedCard } from "../(_components)/Embed.tsx";
import { catalogBasis } from "../(_components)/prepared.tsx";
import { methods } from "../(_shared)/methods.ts";

export const handler = methods({
  async GET(ctx) {
    const basis = await catalogBasis(ctx.state);
    const event = eventInFrame(basis.catalog, ctx.params["idOrSlug"] ?? "");
    const { theme } = parseEmbed(searchOf(ctx.req.url));
    return await answerEmbed(ctx, basis, cardEmbedHref(event.slug, theme), () => {
      const card = createCard(event, basis);
      const looks = accentRules(ctx.state.site) + lookStyles([card.look]);
      return { element: <EmbeddedCard card={card} looks={looks} theme={theme} />, looks };
    });
  },
});
