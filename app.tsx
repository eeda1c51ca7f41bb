/** The app: its middleware, in the order in which it acts, and the routes. */

import { App, type Context, type Middleware, staticFiles } from "fresh";
import { ErrorPage } from "./routes/(_components)/ErrorPage.tsx";
import { Page } from "./routes/(_components)/Page.tsx";
import { securePage } from "./routes/(_components)/policy.ts";
import {
  errorBody,
  isBusy,
  nothingHere,
  proxyErrorBody,
  PublicError,
  toPublicError,
} from "./lib/http/errors.ts";
import { errorMarkdown } from "./lib/documents/errors.ts";
import { createFileCompressor } from "./lib/http/compress_files.ts";
import { requireHost } from "./lib/http/host.ts";
import { chooseMediaType } from "./lib/http/negotiate.ts";
import { choosePageType } from "./lib/http/page_type.ts";
import { pathOf } from "./lib/http/path.ts";
import { COMMON_HEADERS, setHeaders } from "./lib/http/representation.ts";
import type { Services } from "./lib/services.ts";
import type { State } from "./lib/state.ts";
import { countRefused } from "./lib/telemetry/metrics.ts";
import { observeRequest, type RequestNotes } from "./lib/telemetry/request.ts";

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** An unknown event may be announced at any time; other errors are nobody's to keep. */
const NOT_FOUND_MAX_AGE_SECONDS = 60;

/** Makes the app around its services. */
export function createApp(services: Services): App<State> {
  const app = new App<State>();
  return app
    .use(answerEverything(services, app))
    .use(staticFilesWithoutRoute())
    .fsRoutes();
}

/**
 * What has a route is no file: those under `static/docs` are the source of pages. To a method that files do
 * not know, upstream's middleware says 405 and no more.
 */
function staticFilesWithoutRoute(): Middleware<State> {
  const serveFile = staticFiles<State>();
  const compressFile = createFileCompressor();
  return async function serveStaticFile(ctx) {
    if (ctx.route !== null) return await ctx.next();
    const response = await serveFile(ctx);
    if (response.status === 405 && !response.headers.has("allow")) {
      await response.body?.cancel();
      throw methodNotAllowed("GET, HEAD");
    }
    return await compressFile(ctx.req, response);
  };
}

function methodNotAllowed(allow: string): PublicError {
  return new PublicError("method_not_allowed", "The request's method is not understood.", {
    hint: `The methods of this address are ${allow}.`,
    headers: { allow },
  });
}

/**
 * The root middleware. It gives each request its state, and answers everything that was thrown below
 * it (upstream's own error pages are built outside of all middleware, so without our headers).
 */
function answerEverything(services: Services, app: App<State>): Middleware<State> {
  let probe: ReturnType<App<State>["handler"]> | null = null;
  /** Requests of our own, which are nobody's to log. */
  const probes = new WeakSet<Request>();

  /** Refuses a method that HTTP knows nothing of: 404 where nothing is, else 405 with `Allow`. */
  async function refuseMethod({ req, info }: Context<State>): Promise<never> {
    probe ??= app.handler();
    const question = new Request(req.url, { method: "OPTIONS" });
    probes.add(question);
    const options = await probe(question, info);
    const allow = options.headers.get("allow");
    if (allow === null) throw nothingHere();
    throw methodNotAllowed(allow);
  }

  async function answer(ctx: Context<State>): Promise<Response> {
    try {
      requireHost(ctx.req);
      return METHODS.has(ctx.req.method) ? await ctx.next() : await refuseMethod(ctx);
    } catch (thrown) {
      const error = toPublicError(thrown);
      ctx.state.notes.code = error.code;
      return await answerError(ctx, error);
    }
  }

  return async function root(ctx) {
    const requestId = crypto.randomUUID();
    const notes: RequestNotes = {};
    const { state } = ctx;
    state.services = services;
    state.requestId = requestId;
    state.notes = notes;
    if (probes.has(ctx.req)) return await answer(ctx);
    const { req: { method }, route, info } = ctx;
    const logWhenAnswered = observeRequest(services.log, { requestId, method, route, notes });
    const secured = await securePage(await answer(ctx), services.config.BASE_URL);
    const answered = complete(secured, requestId);
    const response = method === "HEAD" ? await withoutBody(answered) : answered;
    logWhenAnswered(response.status, info);
    return response;
  };
}

/** What every answer says. */
function complete(response: Response, requestId: string): Response {
  response.headers.set("x-request-id", requestId);
  // What was prepared has the others.
  if (!response.headers.has("access-control-allow-origin")) setHeaders(response, COMMON_HEADERS);
  return response;
}

/** What answers a HEAD: GET's headers, its length as well, which Deno would say is 0 (RFC 9110, section 8.6). */
async function withoutBody(response: Response): Promise<Response> {
  const { status, headers, body } = response;
  if (body === null) return response;
  if (headers.has("content-length")) await body.cancel();
  else headers.set("content-length", String((await response.bytes()).length));
  return new Response(null, { status, headers });
}

/**
 * JSON under `/api` and `/proxy` whatever the caller accepts (events contract, section 7), a page for
 * people elsewhere.
 */
async function answerError(ctx: Context<State>, error: PublicError): Promise<Response> {
  const { requestId, services: { config, log } } = ctx.state;
  countRefused(error.code, ctx.route);
  // The request's own line tells it.
  if (error.status >= 500 && !isBusy(error)) {
    log.error(error.message, { requestId, code: error.code, cause: error.cause });
  }
  const headers = {
    "cache-control": error.status === 404 ? `max-age=${NOT_FOUND_MAX_AGE_SECONDS}` : "no-store",
    ...error.headers,
  };
  const init = { status: error.status, headers };
  const path = pathOf(ctx.req.url);
  if (isUnder("/proxy", path) || path === "/up") {
    const refusedBy = { "x-refused-by": "foyer", ...headers };
    const body = proxyErrorBody(error, config.BASE_URL, requestId);
    return Response.json(body, { ...init, headers: refusedBy });
  }
  if (isUnder("/api", path)) return Response.json(errorBody(error, config.BASE_URL), init);
  return await answerErrorPage(ctx, error, init);
}

/** An error outside the APIs, as the caller reads it: a page, markdown or JSON. */
async function answerErrorPage(
  ctx: Context<State>,
  error: PublicError,
  { status, headers }: { status: number; headers: Record<string, string> },
): Promise<Response> {
  const { requestId, services: { config: { BASE_URL: baseUrl } } } = ctx.state;
  // Some answers depend on more, and say so.
  const init = { status, headers: { vary: "accept", ...headers } };
  if (prefersJson(ctx.req)) return Response.json(errorBody(error, baseUrl), init);
  if (choosePageType(ctx.req) === "text/markdown") {
    const type = { "content-type": "text/markdown; charset=utf-8" };
    const markdown = errorMarkdown(error, baseUrl, requestId);
    return new Response(markdown, { status, headers: { ...init.headers, ...type } });
  }
  const page = (
    <Page title={error.message}>
      <ErrorPage error={error} requestId={requestId} />
    </Page>
  );
  const config = { skipAppWrapper: true, skipInheritedLayouts: true };
  return await ctx.render(page, init, config);
}

function isUnder(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

function prefersJson(request: Request): boolean {
  const types = ["text/html", "text/markdown", "application/json"] as const;
  return chooseMediaType(request.headers.get("accept"), types) === "application/json";
}
