/** `/events`: the home page lists the events, with the same filters. */

import { searchOf } from "../../lib/http/mod.ts";
import { methods } from "../(_shared)/methods.ts";

export const handler = methods({
  GET: (ctx) => Promise.resolve(ctx.redirect(`/${searchOf(ctx.req.url)}`)),
});
