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

/** A route whose path has parameters. */
interface Dynamic<Handler> extends Omit<Match<Handler>, "params"> {
  readonly regexp: RegExp;
  /** The names of its groups: named groups would take longer. */
  readonly names: readonly string[];
}

/**
 * The first part of a pattern that upstream reads in another way: files of Fresh that are no routes, groups, optional
 * and neighbouring parameters, names that are no identifiers, and characters that an address would have encoded.
 */
const UNKNOWN = /\/_\w+$|[^\w/.:*~-]/;

/** The routes of a build. */
export class Router<Handler> {
  readonly #exact = new Map<string, Match<Handler>>();
  readonly #dynamic: Dynamic<Handler>[] = [];

  /** @param handlerOf makes a route's handler from the function that its file exports. */
  constructor(files: readonly RouteFile[], handlerOf: (exported: unknown) => Handler) {
    for (const { path, module: { handler: exported } } of files.toSorted(byPrecedence)) {
      if (path === "/_app") continue;
      const pattern = patternOf(path);
      // What upstream would obey, and this runtime would not, such as a guard, must not be passed over.
      if (UNKNOWN.test(pattern)) {
        throw new Error(
          `routes${path}: lib/platform/fresh knows no file of this name, no (group) and no [[optional]]; ` +
            "middleware is added in app.ts",
        );
      }
      if (typeof exported !== "function") {
        throw new Error(
          `routes${path}: lib/platform/fresh knows only routes that export a function as \`handler\``,
        );
      }
      const handler = handlerOf(exported);
      if (pattern.includes(":")) {
        const names = [...pattern.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
        this.#dynamic.push({ pattern, handler, regexp: compile(pattern), names });
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
   * @throws {URIError} for a parameter that cannot be decoded, as upstream does.
   */
  match(path: string): Match<Handler> | null {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact;
    for (const route of this.#dynamic) {
      const values = route.regexp.exec(path);
      if (values !== null) return matchOf(route, values);
    }
    return null;
  }
}

function matchOf<Handler>(
  { pattern, handler, names }: Dynamic<Handler>,
  values: RegExpExecArray,
): Match<Handler> {
  const params: Record<string, string> = {};
  for (let at = 0; at < names.length; at++) {
    const value = values[at + 1] ?? "";
    // An encoded slash stays encoded.
    params[names[at]!] = value.includes("%") ? decodeURI(value) : value;
  }
  return { pattern, handler, params };
}

/** The pattern of a route's file: `index` is not part of it, `[x]` is a parameter, a segment `[...x]` the rest. */
function patternOf(path: string): string {
  return path.replace(/\/index$/, "").replace(/(?<=\/)\[\.\.\.(\w+)\]$/, ":$1*")
    .replace(/(?<!\])\[(\w+)\](?!\[)/g, ":$1") || "/";
}

/** A parameter matches within one segment, `:x*` any number of segments that are not empty. */
function compile(pattern: string): RegExp {
  const source = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\/:(\w+)\*/g, "(?:/([^/]+(?:/[^/]+)*))?").replace(/:(\w+)/g, "([^/]+)");
  return new RegExp(`^${source}$`);
}

/**
 * Orders literals before parameters with a literal part, such as `[id].ics`, before parameters before rest parameters,
 * folder by folder. (Upstream orders the second and the third by their names: here both orders agree.)
 */
function byPrecedence(a: RouteFile, b: RouteFile): number {
  const [left, right] = [a.path.split("/"), b.path.split("/")];
  const at = left.findIndex((segment, at) => segment !== right[at]);
  const [one = "", other = ""] = [left[at], right[at]];
  return rank(one) - rank(other) || (one < other ? -1 : 1);
}

function rank(segment: string): number {
  if (!segment.includes("[")) return 0;
  if (segment.includes("[...")) return 3;
  return /^\[\w+\]$/.test(segment) ? 2 : 1;
}
