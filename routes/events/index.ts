/** `/events`: the home page lists the events, with the same filters. */

import { asciiSearchOf } from "../../lib/platform/address.ts";
import { methods } from "../../lib/operate/routes/methods.ts";

export const handler = methods({
  GET: (ctx) => Promise.resolve(ctx.redirect(`/${asciiSearchOf(ctx.req.url)}`)),
});
