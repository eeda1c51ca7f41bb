import type { Context } from "fresh";
import { COMMON_HEADERS, setHeaders } from "../lib/http/mod.ts";
import type { State } from "../lib/state.ts";
import { securePage } from "../routes/(_components)/policy.ts";

/** Sets the headers of every response, and those of every page. */
export async function setCommonHeaders(ctx: Context<State>): Promise<Response> {
  const { requestId, services: { config } } = ctx.state;
  const response = await securePage(await ctx.next(), config.BASE_URL);
  response.headers.set("x-request-id", requestId);
  // Prepared responses have the common headers already.
  if (!response.headers.has("access-control-allow-origin")) setHeaders(response, COMMON_HEADERS);
  return response;
}
