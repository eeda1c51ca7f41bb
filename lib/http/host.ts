/**
 * The check of a request's `Host`. No answer depends on it, but Deno puts it into the request's URL as it is:
 * a slash or a question mark in it would change the path. So a host that HTTP does not allow is refused.
 */

import { PublicError } from "./errors.ts";

/** RFC 3986, section 3.2: a name or an address with an optional port, and no user. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/** The last one that passed: nearly every request of a process names the same host. */
const known = { host: "", origin: "" };

/**
 * @throws {PublicError} `bad_request` for a `Host` that is none (RFC 9112, section 3.2), or a target whose
 *   host is none (HTTP/2 has no `Host`, but an authority in the target).
 */
export function requireHost(request: Pick<Request, "url" | "headers">): void {
  const { url } = request;
  const [origin = "", authority = ""] = /^[^:]*:\/\/([^/?#]*)/.exec(url) ?? [];
  // A host that changes the path leaves two of these signs after the origin: its own, and the slash of the
  // target. Where there is one, no header has to be read, for which Deno would copy all of them. (A target
  // that names a host itself has that as its origin, and `Host` is to be ignored: RFC 9112, section 3.2.2.)
  const isPlain = !/[/?#]/.test(url.slice(origin.length + 1));
  if (isPlain && origin === known.origin) return;
  const host = request.headers.get("host") ?? "";
  if (host === known.host && origin === known.origin) return;
  if (!HOST.test(host) || !HOST.test(authority) || !URL.canParse(origin)) {
    throw new PublicError("bad_request", "The request's Host is not one.", {
      hint: "Send the host's name or address, with a port if it needs one.",
    });
  }
  known.host = host;
  known.origin = origin;
}
