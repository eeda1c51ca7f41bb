import type { Context } from "fresh";
import { COMMON_HEADERS, setHeaders } from "../lib/http/mod.ts";
import type { State } from "../lib/service/mod.ts";
import { securePage } from "../routes/(_components)/policy.ts";

/** Sets the headers of every response, and those of every page. */
export async function setCommonHeaders(ctx: Context<State>): Promise<Response> {
  const { requestId, services: { config } } = ctx.state;
  let response = await ctx.next();
  // `createResponse` has set the common headers already, and its responses are not pages, or have their policy already.
  if (!response.headers.has("access-control-allow-origin")) {
    response = await securePage(response, config.BASE_URL, ctx.state.site);
    setHeaders(response, COMMON_HEADERS);
  }
  response.headers.set("x-request-id", requestId);
  return response;
}
