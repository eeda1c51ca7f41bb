/** `/embed/{idOrSlug}`: the card of an event for the frame of another site. */

import { cardEmbedHref, parseEmbed } from "../../lib/events/site/embed.ts";
import { accentRules } from "../../lib/events/site/site_style.ts";
import { themeRules } from "../../lib/events/theme/theme.ts";
import { searchOf } from "../../lib/platform/address.ts";
import { createCard, eventInFrame } from "../../components/shared/card.ts";
import { answerEmbed, EmbeddedCard } from "../../components/embed/Embed.tsx";
import { catalogScope, showing } from "../../components/shared/kept_pages.tsx";
import { methods } from "../../lib/operate/routes/methods.ts";

export const handler = methods({
  async GET(ctx) {
    const scope = await catalogScope(ctx.state);
    const event = eventInFrame(scope.catalog, ctx.params["idOrSlug"] ?? "");
    const { theme } = parseEmbed(searchOf(ctx.req.url));
    const shown = showing(scope, () => [event]);
    return await answerEmbed(ctx, shown, cardEmbedHref(event.slug, theme), () => {
      const card = createCard(event, scope);
      const rules = accentRules(ctx.state.site) + themeRules([card.theme]);
      return { element: <EmbeddedCard card={card} rules={rules} theme={theme} />, rules };
    });
  },
});
