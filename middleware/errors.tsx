import { type Context, HttpError } from "fresh";
import { errorMarkdown } from "../lib/operate/documents/listings.ts";
import type { State } from "../lib/operate/state.ts";
import { chooseMediaType, choosePageType } from "../lib/platform/http/negotiate.ts";
import {
  errorBody,
  errorInWords,
  isBusy,
  NOT_FOUND_MAX_AGE_SECONDS,
  nothingHere,
  proxyErrorBody,
  PublicError,
  toPublicError,
} from "../lib/platform/http/errors.ts";
import { pathOf } from "../lib/platform/address.ts";
import { unknownAddress } from "../lib/proxy/unknown_address.ts";
import { retryAdvice } from "../lib/proxy/wait.ts";
import { countRefused } from "../lib/platform/metrics.ts";
import { ErrorPage } from "../components/shared/ErrorPage.tsx";
import { PageFrame } from "../components/shared/PageFrame.tsx";

/** The types of an error outside the APIs; the first one is the default. */
const TYPES = ["text/html", "text/markdown", "application/json"] as const;

/**
 * The response to an error of the middleware or a route: JSON under `/api`, `/proxy` and `/hooks` and for programs
 * regardless of `Accept`, elsewhere a page, markdown or JSON, as the caller prefers.
 */
export async function answerError(ctx: Context<State>, thrown: unknown): Promise<Response> {
  const { req, route, state: { requestId, notes, services: { config, log } } } = ctx;
  const { BASE_URL: baseUrl } = config;
  const path = pathOf(req.url);
  const error = publicErrorOf(ctx, path, thrown);
  notes.code = error.code;
  countRefused(error.code, route);
  // The request's own log line names every other error.
  if (error.status >= 500 && !isBusy(error)) {
    log.error(error.message, { requestId, code: error.code, cause: error.cause });
  }
  const { status } = error;
  const headers = {
    "cache-control": status === 404 ? `max-age=${NOT_FOUND_MAX_AGE_SECONDS}` : "no-store",
    ...error.headers,
  };
  if (isUnder("/proxy", path) || isUnder("/up", path)) {
    const all = { "x-refused-by": "foyer", ...retryAdvice(headers), ...headers };
    return Response.json(proxyErrorBody(error, baseUrl, requestId), { status, headers: all });
  }
  if (isUnder("/mcp", path)) {
    return Response.json(messageError(error, baseUrl), { status, headers });
  }
  // No page is made for programs: a flood of forged notifications costs little.
  if (isUnder("/api", path) || isUnder("/hooks", path) || isForProgram(req, path)) {
    return Response.json(errorBody(error, baseUrl), { status, headers });
  }
  // An error that depends on further headers brings its own `Vary`, which replaces this one.
  const varying = { vary: "accept", ...headers };
  if (chooseMediaType(req.headers.get("accept"), TYPES) === "application/json") {
    return Response.json(errorBody(error, baseUrl), { status, headers: varying });
  }
  if (isBusy(error)) {
    // No page is rendered: a refusal must cost less than the request that it refuses.
    return new Response(`${errorInWords(error)}\n`, { status, headers: varying });
  }
  const type = choosePageType(req) ?? "text/html";
  const text = type === "text/markdown"
    ? errorMarkdown(error, baseUrl, requestId)
    : await errorPage(ctx, path, error);
  const typed = { ...varying, "content-type": `${type}; charset=utf-8` };
  return new Response(text, { status, headers: typed });
}

/** Whether a program asks: it sends JSON or a key, or the address is for programs alone. */
function isForProgram({ headers }: Request, path: string): boolean {
  return path === "/oembed" || isUnder("/.well-known", path) ||
    /^application\/(?:[\w.-]+\+)?json\b/i.test(headers.get("content-type") ?? "") ||
    headers.has("authorization") || headers.has("x-api-key");
}

function publicErrorOf({ state }: Context<State>, path: string, thrown: unknown): PublicError {
  // The framework found no route; a route's own 404 is a `PublicError`.
  const hasNoRoute = thrown instanceof HttpError && thrown.status === 404;
  if (!hasNoRoute) return toPublicError(thrown);
  const isOfProxy = isUnder("/proxy", path);
  return isOfProxy ? unknownAddress(path, Object.keys(state.operations)) : nothingHere();
}

/** An error before a message was understood (JSON-RPC 2.0, section 5.1). */
function messageError(error: PublicError, baseUrl: string) {
  const { status, cause } = error;
  const code = cause instanceof SyntaxError
    ? -32_700
    : status === 400 || status === 422
    ? -32_600
    : -32_000;
  const data = errorBody(error, baseUrl);
  return { jsonrpc: "2.0", id: null, error: { code, message: errorInWords(error), data } };
}

function errorPage(ctx: Context<State>, path: string, error: PublicError): Promise<string> {
  const { req, state: { site, requestId, renderPage, services } } = ctx;
  const hasAccounts = services.signIn !== null;
  return renderPage(
    "/",
    <PageFrame
      site={site}
      title={error.message}
      hasAccounts={hasAccounts}
    >
      <ErrorPage
        error={error}
        requestId={requestId}
        isOfMember={hasAccounts && isUnder("/account", path)}
        isRepeatable={req.method !== "POST"}
      />
    </PageFrame>,
    { skipAppWrapper: true },
  );
}

function isUnder(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
