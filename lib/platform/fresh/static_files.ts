/** The static files of the build: their bytes and their types. */

import { lookup } from "mrmime";
import { pathOf } from "../address.ts";
import type { Middleware } from "./context.ts";

/** Media types, as upstream has them, of files that `mrmime` does not know or names otherwise. */
const OTHERS: Readonly<Record<string, string>> = {
  ico: "image/vnd.microsoft.icon",
  xml: "application/xml",
};
/** The types whose texts are UTF-8 by their header too. */
const TEXTS = /^(?:text\/|application\/(?:manifest\+)?json$)/;

/** Middleware that responds with the static file at the request's path, if there is one. */
export function staticFiles<State>(): Middleware<State> {
  return async function serveStaticFile(ctx) {
    const path = pathOf(ctx.req.url);
    const read = ctx.config.staticFiles.get(path);
    if (read === undefined) return await ctx.next();
    return new Response(await read(), { headers: { "content-type": typeOf(path) } });
  };
}

/** The content type of a file by its ending, as upstream has it. */
function typeOf(path: string): string {
  const [, ending = ""] = /\.(\w+)$/.exec(path) ?? [];
  const type = OTHERS[ending.toLowerCase()] ?? lookup(path);
  if (type === undefined) return "text/plain";
  return TEXTS.test(type) ? `${type}; charset=UTF-8` : type;
}
