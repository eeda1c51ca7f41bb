/** What holds for every route: pages are sent with the headers that keep them to themselves. */

import type { Middleware } from "fresh";
import type { State } from "../lib/state.ts";
import { securePage } from "./(_components)/policy.ts";

const securePages: Middleware<State> = async function securePages(ctx) {
  return await securePage(await ctx.next(), ctx.state.services.config.BASE_URL);
};

export default securePages;
