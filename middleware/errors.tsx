import { type Context, HttpError } from "fresh";
import { errorMarkdown, type State } from "../lib/operate/mod.ts";
import { chooseMediaType, choosePageType } from "../lib/platform/http/negotiate.ts";
import {
  errorBody,
  isBusy,
  NOT_FOUND_MAX_AGE_SECONDS,
  nothingHere,
  proxyErrorBody,
  PublicError,
  toPublicError,
} from "../lib/platform/http/errors.ts";
import { pathOf } from "../lib/platform/address.ts";
import { unknownAddress } from "../lib/proxy/mod.ts";
import { countRefused } from "../lib/platform/metrics.ts";
import { ErrorPage } from "../components/shared/ErrorPage.tsx";
import { PageFrame } from "../components/shared/PageFrame.tsx";
import { sheetStyle } from "../components/shared/sheets.tsx";

/** The response to an error of the middleware or a route. */
export async function answerError(ctx: Context<State>, thrown: unknown): Promise<Response> {
  const path = pathOf(ctx.req.url);
  // The framework found no route; a route's own 404 is a `PublicError`.
  const hasNoRoute = thrown instanceof HttpError && thrown.status === 404;
  const error = !hasNoRoute
    ? toPublicError(thrown)
    : isUnder("/proxy", path)
    ? unknownAddress(path, Object.keys(ctx.state.operations))
    : nothingHere();
  ctx.state.notes.code = error.code;
  return await answerPublicError(ctx, path, error);
}

/** JSON under `/api`, `/proxy` and `/hooks` regardless of `Accept`, a page elsewhere. */
async function answerPublicError(
  ctx: Context<State>,
  path: string,
  error: PublicError,
): Promise<Response> {
  const { requestId, services: { config, log } } = ctx.state;
  countRefused(error.code, ctx.route);
  // The request's own log line names every other error.
  if (error.status >= 500 && !isBusy(error)) {
    log.error(error.message, { requestId, code: error.code, cause: error.cause });
  }
  const headers = {
    "cache-control": error.status === 404 ? `max-age=${NOT_FOUND_MAX_AGE_SECONDS}` : "no-store",
    ...error.headers,
  };
  const init = { status: error.status, headers };
  if (isUnder("/proxy", path) || path === "/up") {
    const refusedBy = { "x-refused-by": "foyer", ...headers };
    const body = proxyErrorBody(error, config.BASE_URL, requestId);
    return Response.json(body, { ...init, headers: refusedBy });
  }
  if (path === "/mcp") return Response.json(messageError(error, config.BASE_URL), init);
  // No page is made for programs: a flood of forged notifications costs little.
  if (isUnder("/api", path) || isUnder("/hooks", path)) {
    return Response.json(errorBody(error, config.BASE_URL), init);
  }
  return await answerErrorPage(ctx, error, init);
}

/** An error before a message was understood (JSON-RPC 2.0, section 5.1). */
function messageError(error: PublicError, baseUrl: string) {
  const { message, hint = "", status, cause } = error;
  const code = cause instanceof SyntaxError ? -32_700 : status === 400 ? -32_600 : -32_000;
  const data = errorBody(error, baseUrl);
  return { jsonrpc: "2.0", id: null, error: { code, message: `${message} ${hint}`.trim(), data } };
}

/** An error outside the APIs in the type that the caller prefers: a page, markdown or JSON. */
async function answerErrorPage(
  ctx: Context<State>,
  error: PublicError,
  { status, headers }: { status: number; headers: Record<string, string> },
): Promise<Response> {
  const { requestId, services: { config: { BASE_URL: baseUrl } } } = ctx.state;
  // An error that depends on further headers brings its own `Vary`, which replaces this one.
  const init = { status, headers: { vary: "accept", ...headers } };
  if (prefersJson(ctx.req)) return Response.json(errorBody(error, baseUrl), init);
  if (choosePageType(ctx.req) === "text/markdown") {
    const type = { "content-type": "text/markdown; charset=utf-8" };
    const markdown = errorMarkdown(error, baseUrl, requestId);
    return new Response(markdown, { status, headers: { ...init.headers, ...type } });
  }
  const isOfMember = isUnder("/account", pathOf(ctx.req.url)) &&
    ctx.state.services.signIn !== null;
  const html = await ctx.state.renderPage(
    "/",
    <PageFrame
      site={ctx.state.site}
      title={error.message}
      hasAccounts={ctx.state.services.signIn !== null}
      head={sheetStyle("error")}
    >
      <ErrorPage
        error={error}
        requestId={requestId}
        isOfMember={isOfMember}
        isRepeatable={ctx.req.method !== "POST"}
      />
    </PageFrame>,
    { skipAppWrapper: true },
  );
  const type = { "content-type": "text/html; charset=utf-8" };
  return new Response(html, { status, headers: { ...init.headers, ...type } });
}

function isUnder(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

function prefersJson(request: Request): boolean {
  const types = ["text/html", "text/markdown", "application/json"] as const;
  return chooseMediaType(request.headers.get("accept"), types) === "application/json";
}
