/** The path of a request, as routes see it. */

/**
 * The path of a URL: slash runs collapsed, dot segments resolved. The host is not looked at: nothing
 * here depends on it, and it may be one that no URL can have.
 */
export function pathOf(url: string): string {
  const [, path = ""] = /^[^:]*:\/\/[^/?#]*([^?#]*)/.exec(url) ?? [];
  // Only what parsing a URL could change needs it.
  if (path !== "" && !/\/\/|\/\.|%2e|\\|[^\x21-\x7e]/i.test(path)) return path;
  return new URL(`http://localhost${path}`).pathname.replace(/\/\/+/g, "/");
}
