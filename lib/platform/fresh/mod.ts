/**
 * The web runtime: the part of Fresh 2's API that Foyer uses, for machines that cannot install upstream Fresh. The app
 * imports it as `fresh`; with `deno.jsr.json` the same app runs on upstream. `tests/platform/fresh/runtime_test.ts` has the
 * behaviour that both show. Where the app has what upstream alone needs, a comment begins with "For upstream alone".
 *
 * The app is built on these facts of upstream 2.3, which hold here too:
 * - A route is found before any middleware acts, by the path as it was sent: case counts, escapes are not resolved,
 *   slash runs collapse. With a slash at the end, an exact path is found and a pattern is not. A parameter is decoded
 *   by `decodeURI`, so `%2F` stays; one that cannot be decoded throws (`middleware/request_guard.ts`).
 * - A function that a route file exports gets every method. A handler by method would answer 404 to the others, without
 *   `Allow` (`lib/platform/http/methods.ts`).
 * - Middleware acts on every path, with a route or without, and sees an error of the inside, an `HttpError` for a path
 *   without a route included, as the rejection of `ctx.next()` (`middleware/answer.ts`).
 * - `ctx.state` is a new object for each request. `ctx.req` is the server's own request, and may be replaced.
 * - The build's server calls `handler()` of the `app` that `main.ts` exports, once, after it attached the build.
 * - `asset` adds `__frsh_c` to the address of a file (`middleware/files.ts`).
 *
 * This runtime differs on purpose in the following; any other difference is a mistake.
 *
 * It leaves out the parts that the app does not use:
 * - A route exports a function as `handler`, which gets every method; anything else is refused at the start. There are no
 *   handlers by method, no components of routes, no layouts, middleware or error pages in files but `_app.tsx`, no
 *   groups and no optional parameters: each is refused at the start.
 * - An error that no middleware answers is thrown. Upstream answers it, outside of all middleware.
 * - `fsRoutes()` comes last: middleware that is added later would act on routes here, but not on upstream.
 * - A context has no `url`: on upstream it is that of the guard's stand-in. `ctx.req.url` is what was sent. `ctx.render`
 *   takes no status and no headers.
 * - `staticFiles()` gives a file's bytes and type. Conditions, caching, compression, methods and paths without a file
 *   are the app's (`middleware/files.ts`), on upstream too.
 * - Nothing is added to a page that the app would take away again: nonces, `traceparent`, `aria-current`. Nor are keys
 *   printed (`data-key`, `data-frsh-key`, comments).
 * - The addresses of images stay unchanged. Upstream adds the build, so each build fetches them again; ours name
 *   their version.
 * - No navigation by script, no partials and none of their parameters.
 * - A request has no spans but Deno's own; `foyer.request_id` is on the server's.
 * - Island props are what JSON can send: no dates, elements or signals. No island is inside another.
 * - The folders and the browsers to support are Fresh's defaults. Tests, links and
 *   folders that are no part of the app are not expected among its files. Each file of `islands/` has one island, its default
 *   export, with an identifier for a name.
 * - `asset` gets paths of this site without a query string. Style sheets in `static/` stay as they are: upstream adds
 *   the build to the addresses in their `url()`.
 * - The types of rare static files are those of `mrmime` (programs, disk images, `.rtf`, `.wav`, `.xslt`).
 * - `Head` replaces by key, and the title. Other elements are added, however alike they are.
 *
 * It does better, for the reason given:
 * - The script of a page waits for its first paint, so that the visible images are fetched first.
 * - An `<svg>`'s `<title>` never takes the page's. Upstream needs a key there.
 * - A path is cut out of the address without parsing it, and matched by regular expressions, which takes less time.
 * - `ctx.next()` gives the response itself where nothing is awaited: each promise costs time.
 * - The scripts of islands have numbers for names, so no name is part of an address.
 * - Addresses of scripts and files change with their content, and not with each build: browsers keep what a deployment
 *   leaves as it is, and two builders of one commit agree.
 */

export { App, HttpError } from "./app.ts";
export type { Context, Middleware } from "./context.ts";
export type { PageProps } from "./render.ts";
export { staticFiles } from "./static_files.ts";
