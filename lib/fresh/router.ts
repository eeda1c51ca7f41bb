/** Finds the route of a path: exact paths by a map, patterns in the order of registration. */

import { compilePattern, matchPattern, type Pattern } from "./pattern.ts";

/** The route of a path. */
export interface Match<Endpoint> {
  readonly pattern: string;
  readonly endpoint: Endpoint;
  readonly params: Record<string, string>;
}

const NO_PARAMS: Record<string, string> = Object.freeze(Object.create(null));

/** The routes of an app. */
export class Router<Endpoint> {
  readonly #exact = new Map<string, Match<Endpoint>>();
  readonly #dynamic: { readonly pattern: Pattern; readonly endpoint: Endpoint }[] = [];

  /** Adds a route. An exact path also matches with a trailing slash. */
  add(text: string, endpoint: Endpoint): void {
    const pattern = compilePattern(text);
    if (pattern.names.length > 0) {
      this.#dynamic.push({ pattern, endpoint });
      return;
    }
    const match = { pattern: text, endpoint, params: NO_PARAMS };
    for (const path of text === "/" ? [text] : [text, `${text}/`]) {
      if (!this.#exact.has(path)) this.#exact.set(path, match);
    }
  }

  /** The route of a path (encoded, slashes collapsed), or null. */
  match(path: string): Match<Endpoint> | null {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact;
    for (const { pattern, endpoint } of this.#dynamic) {
      const params = matchPattern(pattern, path);
      if (params !== null) return { pattern: pattern.text, endpoint, params };
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
  // The host is the caller's and may be invalid.
  return new URL(`http://localhost${path}`).pathname.replace(/\/\/+/g, "/");
}
