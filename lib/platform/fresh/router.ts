/** Finds the route of a path: exact paths by a map, patterns in their order. */

import type { RouteFile } from "./build.ts";

/** The route of a path. */
interface Match<Handler> {
  /** As `ctx.route` shows it: `/events/:idOrSlug`, `/docs/:path*`. */
  readonly pattern: string;
  readonly handler: Handler;
  readonly params: Record<string, string>;
}

const NO_PARAMS: Record<string, string> = Object.freeze(Object.create(null));

/** The routes of a build. */
export class Router<Handler> {
  readonly #exact = new Map<string, Match<Handler>>();
  readonly #dynamic: (Omit<Match<Handler>, "params"> & {
    /** The beginning of its paths: comparing it costs less than the regular expression. */
    readonly start: string;
    readonly regexp: RegExp;
    /** The names of its groups: named groups would take longer. */
    readonly names: readonly string[];
  })[] = [];

  /** @param handlerOf makes a route's handler from the function that its file exports. */
  constructor(files: readonly RouteFile[], handlerOf: (exported: unknown) => Handler) {
    for (const { path, module: { handler: exported } } of files.toSorted(byPrecedence)) {
      if (/\/_\w+$/.test(path)) continue;
      if (typeof exported !== "function") {
        throw new Error(
          `routes${path}: lib/platform/fresh knows only routes that export a function as \`handler\``,
        );
      }
      const pattern = patternOf(path);
      const handler = handlerOf(exported);
      if (pattern.includes(":")) {
        const start = pattern.replace(/\/?:.*$/, "");
        const names = [...pattern.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
        this.#dynamic.push({ pattern, handler, start, regexp: compile(pattern), names });
      } else {
        // An exact path also matches with a trailing slash.
        const match = { pattern, handler, params: NO_PARAMS };
        this.#exact.set(pattern, match).set(`${pattern}/`, match);
      }
    }
  }

  /**
   * The route of a path (encoded, slashes collapsed), or null.
   *
   * @throws {URIError} for a parameter that cannot be decoded.
   */
  match(path: string): Match<Handler> | null {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact;
    for (const { pattern, handler, start, regexp, names } of this.#dynamic) {
      if (!path.startsWith(start)) continue;
      const match = regexp.exec(path);
      if (match === null) continue;
      const params: Record<string, string> = {};
      for (const [at, name] of names.entries()) {
        // An encoded slash stays encoded. What cannot be decoded is an error, as in upstream.
        params[name] = decodeURI(match[at + 1] ?? "");
      }
      return { pattern, handler, params };
    }
    return null;
  }
}

/** The pattern of a route's file: `index` is not part of it, `[x]` is a parameter, `[...x]` is the rest. */
function patternOf(path: string): string {
  return path.replace(/^\/index$|(?<=.)\/index$/, "").replace(/\[\.\.\.(\w+)\]/g, ":$1*")
    .replace(/\[(\w+)\]/g, ":$1") || "/";
}

/** A parameter matches within one segment, `:x*` any number of segments that are not empty. */
function compile(pattern: string): RegExp {
  const source = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\/:(\w+)\*/g, "(?:/([^/]+(?:/[^/]+)*))?").replace(/:(\w+)/g, "([^/]+?)");
  return new RegExp(`^${source}$`);
}

/** Orders literals before parameters before rest parameters, folder by folder. */
function byPrecedence(a: RouteFile, b: RouteFile): number {
  const [left, right] = [a.path.split("/"), b.path.split("/")];
  const at = left.findIndex((segment, at) => segment !== right[at]);
  const [one = "", other = ""] = [left[at], right[at]];
  return rank(one) - rank(other) || (one < other ? -1 : 1);
}

function rank(segment: string): number {
  return segment.includes("[...") ? 2 : segment.includes("[") ? 1 : 0;
}
