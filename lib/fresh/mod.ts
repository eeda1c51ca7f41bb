/**
 * The web runtime: the part of Fresh 2's API that Foyer uses, for machines that cannot install upstream Fresh. The app
 * imports it as `fresh`; with `deno.jsr.json` the same app runs on upstream. `tests/fresh/` has the behaviour that both
 * show. This runtime differs on purpose in the following; everything else is a mistake.
 *
 * What it leaves out, and refuses where it can, because the app does not use it:
 * - A route exports a function as `handler`. There are no handlers by method, no components of routes, no layouts,
 *   middleware or error pages in files but `_app.tsx`, no partials, no `fresh-partial`, no navigation by script.
 * - A context has no `url`: on upstream it is the stand-in's (`middleware/door.ts`). `ctx.req.url` is what was sent.
 * - `staticFiles()` gives a file's bytes and type. Conditions, caching, compression and methods are the app's
 *   (`middleware/files.ts`).
 * - Pages have no nonces: the app allows inline code by hashes. Links get no `aria-current`, and images no build id: the
 *   app says both itself. There is no `traceparent` in a page, and a request has no spans but Deno's own.
 * - Responses have no `Link` with modules to preload; the app replaces the headers of rendered pages.
 * - An island's props are what devalue can send; elements and signals are not among them.
 *
 * What it does better, for the reason given:
 * - The script of a page waits for its first paint, so that the visible images are fetched first.
 * - A key gives no comments in a page, and an island's comments name it only: a list of 300 cards is shorter by a tenth.
 * - An `<svg>`'s `<title>` never takes the page's, with or without a key.
 * - Routing parses no URL: the path is cut out of the text, and a malformed host moves nothing.
 * - Methods are not routed: a route's handler gets every method.
 */

export { App } from "./app.ts";
export type { Context, HandlerFn, Middleware } from "./context.ts";
export { HttpError } from "./error.ts";
export type { PageProps } from "./render.ts";
export { staticFiles } from "./static_files.ts";
