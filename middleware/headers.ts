import type { Context } from "fresh";
import { COMMON_HEADERS, setHeaders } from "../lib/platform/http/representation.ts";
import type { State } from "../lib/operate/mod.ts";
import { securePage } from "../components/shared/policy.ts";

/** Sets the headers of every response, and those of every page. */
export async function setCommonHeaders(ctx: Context<State>): Promise<Response> {
  const { requestId, services: { config } } = ctx.state;
  let response = await ctx.next();
  // A response of `createResponse` has the common headers already; if it is a page, it also has its policy.
  if (!response.headers.has("access-control-allow-origin")) {
    response = await securePage(response, config.BASE_URL, ctx.state.site);
    setHeaders(response, COMMON_HEADERS);
  }
  response.headers.set("x-request-id", requestId);
  return response;
}
