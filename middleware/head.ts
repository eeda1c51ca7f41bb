import type { Context } from "fresh";
import type { State } from "../lib/operate/mod.ts";

/** Responds to HEAD with the headers of GET, including `Content-Length`: Deno would send 0 (RFC 9110, section 8.6). */
export function answerHead(ctx: Context<State>): Promise<Response> {
  return ctx.req.method === "HEAD" ? withoutBody(ctx.next()) : ctx.next();
}

async function withoutBody(answered: Promise<Response>): Promise<Response> {
  const response = await answered;
  const { status, headers, body } = response;
  if (body === null) return response;
  if (headers.has("content-length")) await body.cancel();
  else headers.set("content-length", String((await response.bytes()).length));
  return new Response(null, { status, headers });
}
