/** The path of a request, as routes see it. */

/** The path of a URL: slash runs collapsed, dot segments resolved. */
export function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/\/+/g, "/");
}
