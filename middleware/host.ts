import type { Context } from "fresh";
import { cutAddress } from "../lib/platform/address.ts";
import { PublicError } from "../lib/platform/http/errors.ts";
import type { State } from "../lib/operate/mod.ts";

/** RFC 3986, section 3.2: a name or an address with an optional port, and no user. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/** The last valid host and the beginning of its URLs: nearly all requests to a process name the same host. */
const known = { host: "", root: "\n" };

/**
 * Refuses a malformed `Host` (RFC 9112, section 3.2) or a malformed host in the target (HTTP/2 has no `Host`,
 * but an authority) with 400. Deno puts the host into the request's URL unchecked, where a slash or a question
 * mark would change the path.
 */
export function checkHost(ctx: Context<State>): Promise<Response> {
  const { url, headers } = ctx.req;
  // If `Host` changes the path, one of these characters follows the slash of the target. If none follows, `Host` is
  // not read, because reading it makes Deno copy all headers. (If the target names a host, the origin is that host,
  // and `Host` is ignored: RFC 9112, section 3.2.2.)
  const isKnown = url.startsWith(known.root) &&
    (!hasDelimiter(url, known.root.length) || headers.get("host") === known.host);
  if (!isKnown) learnHost(url, headers.get("host") ?? "");
  return ctx.next();
}

function hasDelimiter(url: string, from: number): boolean {
  return url.includes("/", from) || url.includes("?", from) || url.includes("#", from);
}

/** @throws {PublicError} `bad_request` for a malformed host. */
function learnHost(url: string, host: string): void {
  const { origin, host: authority } = cutAddress(url);
  if (!HOST.test(host) || !HOST.test(authority) || !URL.canParse(origin)) {
    throw new PublicError("bad_request", "The Host header is malformed.", {
      hint: "Send the host's name or address, with a port if it needs one.",
    });
  }
  Object.assign(known, { host, root: `${origin}/` });
}
