/**
 * The host that a request names. No answer depends on it, but one that HTTP does not allow is refused: Deno
 * makes the URL of it as it stands, so that a slash or a question mark in it would move the path.
 */

import { PublicError } from "./errors.ts";

/** RFC 3986, section 3.2: a name or an address with an optional port, and no user. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/** The last one that was found good: nearly every request of a process names the same. */
const known = { host: "", origin: "" };

/**
 * @throws {PublicError} `bad_request` for a `Host` that is none (RFC 9112, section 3.2), or a target whose
 *   host no URL can have.
 */
export function requireHost(request: Pick<Request, "url" | "headers">): void {
  const { url } = request;
  const [origin = ""] = /^[^:]*:\/\/[^/?#]*/.exec(url) ?? [];
  // A host that moves the path leaves two of these signs, its own and the first of the target; nothing else of
  // it can be outside of the origin. To look at a request's headers makes Deno copy all of them.
  const isPlain = !/[/?#]/.test(url.slice(origin.length + 1));
  if (isPlain && origin === known.origin) return;
  const host = request.headers.get("host") ?? "";
  if (host === known.host && origin === known.origin) return;
  if (!HOST.test(host) || !URL.canParse(origin)) {
    throw new PublicError("bad_request", "The request's Host is not one.", {
      hint: "Send the host's name or address, with a port if it needs one.",
    });
  }
  known.host = host;
  known.origin = origin;
}
