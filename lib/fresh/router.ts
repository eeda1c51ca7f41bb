/** Which route a path belongs to: exact paths by a map, patterns in the order of registration. */

import { compilePattern, matchPattern, type Pattern } from "./pattern.ts";
import type { Method } from "./types.ts";

/** What was registered for one pattern. */
export interface Route<Handler> {
  readonly pattern: Pattern;
  readonly methods: Map<Method, Handler>;
}

/** A route that a path belongs to. */
export interface Match<Handler> {
  readonly route: Route<Handler>;
  readonly params: Record<string, string>;
}

const NO_PARAMS: Record<string, string> = Object.freeze(Object.create(null));

/** The routes of an app. */
export class Router<Handler> {
  readonly #exact = new Map<string, Match<Handler>>();
  readonly #byText = new Map<string, Route<Handler>>();
  readonly #dynamic: Route<Handler>[] = [];
  readonly #byFirstSegment = new Map<string, Route<Handler>[]>();

  /** Adds a handler; of two for one pattern and method the first stays. */
  add(method: Method, text: string, handler: Handler): void {
    const route = this.#byText.get(text) ?? this.#create(text);
    if (!route.methods.has(method)) route.methods.set(method, handler);
  }

  /** The route of a path (encoded, slashes collapsed), or null. */
  match(path: string): Match<Handler> | null {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact;
    const end = path.indexOf("/", 1);
    const first = end === -1 ? path.slice(1) : path.slice(1, end);
    for (const route of this.#byFirstSegment.get(first) ?? this.#dynamic) {
      const params = matchPattern(route.pattern, path);
      if (params !== null) return { route, params };
    }
    return null;
  }

  #create(text: string): Route<Handler> {
    const route: Route<Handler> = { pattern: compilePattern(text), methods: new Map() };
    this.#byText.set(text, route);
    if (route.pattern.names.length === 0) {
      const match = { route, params: NO_PARAMS };
      this.#exact.set(text, match);
      // An exact path answers with a slash at its end as well.
      if (text !== "/") this.#exact.set(`${text}/`, match);
      return route;
    }
    this.#dynamic.push(route);
    this.#index();
    return route;
  }

  /** For each first segment that some pattern begins with: those that can match, in order. */
  #index(): void {
    this.#byFirstSegment.clear();
    const generic = (route: Route<Handler>) => route.pattern.firstSegment === null;
    for (const { pattern: { firstSegment } } of this.#dynamic) {
      if (firstSegment === null || this.#byFirstSegment.has(firstSegment)) continue;
      this.#byFirstSegment.set(
        firstSegment,
        this.#dynamic.filter((route) =>
          generic(route) || route.pattern.firstSegment === firstSegment
        ),
      );
    }
  }
}

/** The path of a request's URL as routes see it: slash runs collapsed, dot segments resolved. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  const path = end === -1 ? url.slice(start) : url.slice(start, end);
  // Only what URL parsing could change needs it.
  if (!/\/\/|\/\.|%2e|[\\#]|[^\x21-\x7e]/i.test(path)) return path;
  return new URL(url).pathname.replace(/\/\/+/g, "/");
}
