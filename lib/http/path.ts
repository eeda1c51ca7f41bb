/**
 * The path of a URL, with slash runs collapsed and dot segments resolved. The host is ignored, since it may be
 * invalid in a URL.
 */
export function pathOf(url: string): string {
  const [, path = ""] = /^[^:]*:\/\/[^/?#]*([^?#]*)/.exec(url) ?? [];
  // Only a path that parsing would change is parsed.
  if (path !== "" && !/\/\/|\/\.|%2e|\\|[^\x21-\x7e]/i.test(path)) return path;
  return new URL(`http://localhost${path}`).pathname.replace(/\/\/+/g, "/");
}
