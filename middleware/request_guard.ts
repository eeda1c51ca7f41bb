/**
 * The guard around a runtime of Fresh. A runtime routes a request before any middleware sees it, fails on addresses
 * that it cannot parse, and obeys parameters that are not the app's. What upstream alone needs is at the end.
 */

import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import type { App, Context } from "fresh";
import { cutAddress, pathOf } from "../lib/platform/address.ts";
import { PublicError } from "../lib/platform/http/errors.ts";
import { isTwin, withoutTwin } from "../lib/platform/http/negotiate.ts";
import type { RenderPage } from "../lib/operate/state.ts";

type Handler = ReturnType<App<unknown>["handler"]>;

/** The facts of the connection where the handler is called without a server. */
const NO_INFO: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
  completed: Promise.resolve(),
};
/** The addresses of the pages' markdown, which their routes answer too. */
const TWINS =
  /^\/(?:index|follow|status|usage|keys\/leaked|docs|(?:docs|events)\/[^/.]+|api\/versioning|api\/v1\/docs)\.md$/;
/** RFC 3986, section 3.2: a name or an address with an optional port, and no user. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Makes the guard of an app, by which every request enters, and which alone renders pages.
 *
 * A request that the runtime would misread has a stand-in, which has only the page's path; `enter` gives the middleware
 * the original one. A page is rendered for an internal request, which consists of the page's address: nothing from a
 * visitor's request reaches it, so its bytes can be kept for other visitors.
 */
export function createRequestGuard<State extends object>() {
  /** The visitors' requests, by their stand-ins. */
  const originalRequests = new WeakMap<Request, Request>();
  /** The functions that render pages, by their internal requests. */
  const renderings = new WeakMap<Request, (ctx: Context<State>) => Promise<Response>>();
  const malformed = new WeakSet<Request>();
  let handle: Handler;
  /** The last valid host and the beginning of its URLs: nearly all requests to a process name the same host. */
  let known = { host: null as string | null, root: "\n" };

  /**
   * Whether a request's `Host` (RFC 9112, section 3.2) and the host in its target (HTTP/2 has no `Host`, but an
   * authority) are well-formed. Deno puts the host into the URL unchecked, where a slash would change the path.
   */
  function hasValidHost({ url, headers }: Request): boolean {
    const host = headers.get("host");
    if (host === known.host && url.startsWith(known.root)) return true;
    const { origin, host: authority } = cutAddress(url);
    if (!HOST.test(host ?? "") || !HOST.test(authority) || !URL.canParse(origin)) return false;
    known = { host, root: `${origin}/` };
    return true;
  }

  return {
    /** Puts the guard around a function that makes the runtime's handler. */
    around: (makeHandler: () => Handler) => (): Handler => {
      handle = makeHandler();
      return function answer(request, info = NO_INFO) {
        const isValid = hasValidHost(request);
        if (isValid && isRoutable(request)) return handle(request, info);
        const method = METHODS.has(request.method) ? request.method : "GET";
        const standIn = new Request(`http://localhost${routablePath(request.url)}`, { method });
        originalRequests.set(standIn, request);
        if (!isValid) malformed.add(request);
        return handle(standIn, info);
      };
    },
    /** The first middleware. */
    enter(ctx: Context<State>): Response | Promise<Response> {
      const original = originalRequests.get(ctx.req);
      if (original !== undefined) ctx.req = original;
      return renderings.get(ctx.req)?.(ctx) ?? ctx.next();
    },
    /**
     * The middleware that refuses a request with a malformed host.
     *
     * @throws {PublicError} `bad_request`.
     */
    checkHost(ctx: Context<State>): Response | Promise<Response> {
      if (!malformed.has(ctx.req)) return ctx.next();
      throw new PublicError("bad_request", "The Host header is malformed.", {
        hint: "Send the host's name or address, with a port if it needs one.",
      });
    },
    /**
     * Makes the function that renders pages; the document around a page is made from `state`. It renders for a clean
     * request of the page's address alone, and is the only place that makes one: nothing of a visitor's request can
     * reach a page that is kept.
     */
    renderPageFor: (state: Partial<State>): RenderPage => async (address, element, options) => {
      const request = new Request(`http://localhost${address}`);
      const rendered: Promise<Response>[] = [];
      renderings.set(request, async (ctx) => {
        const { memberName, ...runtime } = options ?? {};
        Object.assign(ctx.state, state, memberName !== undefined && { memberName });
        const page = ctx.render(element, undefined, runtime);
        rendered.push(page);
        // For upstream alone: it would answer an error by itself; this function throws it.
        return await page.catch(() => new Response());
      });
      const response = await context.with(ROOT_CONTEXT, () => handle(request));
      const [page] = rendered;
      if (page === undefined) {
        throw new Error(`No page is rendered at ${address}: ${response.status}`);
      }
      return withoutMarks(await (await page).text());
    },
  };
}

/** Whether a runtime routes the request correctly, and interprets nothing else in it. */
function isRoutable({ method, url }: Request): boolean {
  if (url.includes(".md") && isTwin(url)) return false;
  const { path, search } = cutAddress(url);
  if (url.includes("%") && !isDecodable(path)) return false;
  return isReadByUpstream(method, path, search);
}

function routablePath(url: string): string {
  const path = pathOf(url);
  return (TWINS.test(path) ? withoutTwin(path) : path).replaceAll(
    /[^/]+/g,
    (segment) => isDecodable(segment) ? segment : segment.replaceAll("%", "%25"),
  );
}

function isDecodable(path: string): boolean {
  try {
    decodeURI(path);
    return true;
  } catch {
    return false;
  }
}

// For upstream alone: with `lib/platform/fresh` as the only runtime, all that follows could go, and a page would be
// rendered without `ROOT_CONTEXT`, which keeps upstream's rendering from renaming the span of the visitor's request.

/** The methods that upstream routes; to all others it answers 500. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** The query parameters that upstream interprets itself, for parts of pages and for static files. */
const PARAMETERS = ["fresh-partial", "__frsh_c"];
/** The text that upstream adds to each rendering: nonces and the trace. */
const NEW_EACH_TIME = / nonce="[0-9a-f]{32}"|<meta name="traceparent" content="[^"]*"\/>/g;
/** A link that upstream marks as current by its path alone, as it does with every filter of a page. */
const CURRENT_BY_PATH = /<a [^>]*? data-(?:current|ancestor)="true"[^>]*>/g;
const CURRENT = / (?:data-current|data-ancestor|aria-current)="\w+"/g;

/** Whether upstream knows the method, none of the parameters is its own, and no slash at the end hides the route. */
function isReadByUpstream(method: string, path: string, search: string): boolean {
  if (!METHODS.has(method) || path.length > 1 && path.endsWith("/")) return false;
  if (!search.includes("%")) return !PARAMETERS.some((name) => search.includes(name));
  const query = new URLSearchParams(search);
  return !PARAMETERS.some((name) => query.has(name));
}

/** A rendered page without what upstream adds to it. */
function withoutMarks(html: string): string {
  return html.replaceAll(NEW_EACH_TIME, "")
    .replaceAll(CURRENT_BY_PATH, (link) => link.replaceAll(CURRENT, ""));
}
