import type { Context } from "fresh";
import { PublicError } from "../lib/http/mod.ts";
import type { State } from "../lib/state.ts";

/** RFC 3986, section 3.2: a name or an address with an optional port, and no user. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/** The last valid host and origin: nearly all requests to a process name the same host. */
const known = { host: "", origin: "" };

/**
 * Refuses a malformed `Host` (RFC 9112, section 3.2) or a malformed host in the target (HTTP/2 has no `Host`,
 * but an authority) with 400. Deno puts the host into the request's URL unchecked, where a slash or a question
 * mark would change the path.
 */
export function checkHost(ctx: Context<State>): Promise<Response> {
  const { url } = ctx.req;
  const [origin = "", authority = ""] = /^[^:]*:\/\/([^/?#]*)/.exec(url) ?? [];
  // If `Host` changes the path, at least two of these characters follow the origin: its own, and the slash of the
  // target. If only one follows, `Host` is not read, because reading it makes Deno copy all headers. (If the target
  // names a host, the origin is that host, and `Host` is ignored: RFC 9112, section 3.2.2.)
  const isPlain = !/[/?#]/.test(url.slice(origin.length + 1));
  if (isPlain && origin === known.origin) return ctx.next();
  const host = ctx.req.headers.get("host") ?? "";
  if (host === known.host && origin === known.origin) return ctx.next();
  if (!HOST.test(host) || !HOST.test(authority) || !URL.canParse(origin)) {
    throw new PublicError("bad_request", "The Host header is malformed.", {
      hint: "Send the host's name or address, with a port if it needs one.",
    });
  }
  Object.assign(known, { host, origin });
  return ctx.next();
}
