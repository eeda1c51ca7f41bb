/** Finds the route of a path: exact paths by a map, patterns in their order. */

import type { RouteFile } from "./build.ts";

/** The route of a path. */
interface Match<Handler> {
  /** As `ctx.route` shows it: `/events/:idOrSlug`, `/docs/:path*`. */
  readonly pattern: string;
  readonly handler: Handler;
  readonly params: Record<string, string>;
}

interface Pattern<Handler> extends Omit<Match<Handler>, "params"> {
  /** The names of the parameters, in order. */
  readonly names: readonly string[];
  readonly regexp: RegExp;
}

const NO_PARAMS: Record<string, string> = Object.freeze(Object.create(null));

/** The routes of a build. */
export class Router<Handler> {
  readonly #exact = new Map<string, Match<Handler>>();
  readonly #dynamic: Pattern<Handler>[] = [];

  /** @param handlerOf makes a route's handler from the function that its file exports. */
  constructor(files: readonly RouteFile[], handlerOf: (exported: unknown) => Handler) {
    for (const { path, module: { handler: exported } } of files.toSorted(byPrecedence)) {
      if (/\/_\w+$/.test(path)) continue;
      if (typeof exported !== "function") {
        throw new Error(
          `routes${path}: lib/fresh knows only routes that export a function as \`handler\``,
        );
      }
      const pattern = patternOf(path);
      const handler = handlerOf(exported);
      const compiled = compile(pattern);
      if (compiled.names.length > 0) this.#dynamic.push({ pattern, handler, ...compiled });
      else {
        // An exact path also matches with a trailing slash.
        const match = { pattern, handler, params: NO_PARAMS };
        this.#exact.set(pattern, match).set(`${pattern}/`, match);
      }
    }
  }

  /** The route of a path (encoded, slashes collapsed), or null. */
  match(path: string): Match<Handler> | null {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact;
    for (const { pattern, handler, names, regexp } of this.#dynamic) {
      const match = regexp.exec(path);
      if (match === null) continue;
      const params: Record<string, string> = Object.create(null);
      // An encoded slash stays encoded. What cannot be decoded is an error, as in upstream.
      for (const [at, name] of names.entries()) params[name] = decodeURI(match[at + 1] ?? "");
      return { pattern, handler, params };
    }
    return null;
  }
}

/** The path of a request's URL, with slash runs collapsed and dot segments resolved. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  const path = end === -1 ? url.slice(start) : url.slice(start, end);
  // Only a path that parsing would change is parsed.
  if (!/\/\/|\/\.|%2e|[\\#]|[^\x21-\x7e]/i.test(path)) return path;
  return new URL(url).pathname.replace(/\/\/+/g, "/");
}

/** The pattern of a route's file: `index` is not part of it, `[x]` is a parameter, `[...x]` is the rest. */
function patternOf(path: string): string {
  return path.replace(/^\/index$|(?<=.)\/index$/, "").replace(/\[\.\.\.(\w+)\]/g, ":$1*")
    .replace(/\[(\w+)\]/g, ":$1") || "/";
}

/** A parameter matches within one segment, `:x*` any number of segments. */
function compile(pattern: string): Pick<Pattern<never>, "names" | "regexp"> {
  const names: string[] = [];
  const source = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\/:(\w+)\*|:(\w+)/g, (_, rest, name) => {
      names.push(rest ?? name);
      return rest === undefined ? "([^/]+?)" : "(?:/(.+))?";
    });
  return { names, regexp: new RegExp(`^${source}$`) };
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
