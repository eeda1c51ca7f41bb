/** Route patterns: made from files' paths, compiled, and matched. */

/** A compiled pattern. */
export interface Pattern {
  /** As `ctx.route` shows it: `/events/:idOrSlug`, `/docs/:path*`. */
  readonly text: string;
  /** The names of the parameters, in order; empty for an exact path. */
  readonly names: readonly string[];
  readonly regexp: RegExp;
}

/**
 * The pattern of a route's file: `(group)` folders and `index` are not part of the address, `[x]` is a parameter, also
 * within a segment, and `[...x]` is the rest.
 *
 * @param path relative to the routes folder, with a leading slash and without an extension.
 */
export function patternOfFile(path: string): string {
  const segments = path.split("/").slice(1).filter((segment) => !/^\(.*\)$/.test(segment));
  if (segments.at(-1) === "index") segments.pop();
  return `/${segments.join("/").replace(/\[\.\.\.(\w+)\]/g, ":$1*").replace(/\[(\w+)\]/g, ":$1")}`;
}

/** Compiles a pattern. A parameter matches within one segment, `:x*` any number of segments. */
export function compilePattern(text: string): Pattern {
  const names: string[] = [];
  const source = text.replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\/:(\w+)\*|:(\w+)/g, (_, rest, name) => {
      names.push(rest ?? name);
      return rest === undefined ? "([^/]+?)" : "(?:/(.+))?";
    });
  return { text, names, regexp: new RegExp(`^${source}$`) };
}

/**
 * The parameters of a path that matches, or null. Values are decoded as upstream does (`decodeURI`:
 * an encoded slash stays encoded); a value that cannot be decoded stays as it was sent.
 */
export function matchPattern(pattern: Pattern, path: string): Record<string, string> | null {
  const match = pattern.regexp.exec(path);
  if (match === null) return null;
  const params: Record<string, string> = Object.create(null);
  for (const [at, name] of pattern.names.entries()) params[name] = decode(match[at + 1] ?? "");
  return params;
}

function decode(value: string): string {
  try {
    return decodeURI(value);
  } catch {
    return value;
  }
}
