/** Route patterns: from a file's path to a pattern, and from a pattern to what it matches. */

/** A pattern that was compiled. */
export interface Pattern {
  /** As routes print it: `/events/:idOrSlug`, `/docs/:path*`. */
  readonly text: string;
  /** The names of the parameters, in order; empty for an exact path. */
  readonly names: readonly string[];
  /** The first segment, if every path that matches begins with it. */
  readonly firstSegment: string | null;
  readonly regexp: RegExp;
}

/**
 * The pattern of a route's file: `(group)` folders and `index` leave the address, `[x]` is a
 * parameter, `[[x]]` an optional one, `[...x]` the rest.
 *
 * @param path relative to the routes folder, with a leading slash and without an extension.
 */
export function patternOfFile(path: string): string {
  const segments = path.split("/").slice(1).filter((segment) => !/^\(.*\)$/.test(segment));
  if (segments.at(-1) === "index") segments.pop();
  const pattern = segments.map((segment) =>
    segment
      .replace(/^\[\[(\w+)\]\]$/, ":$1?")
      .replace(/^\[\.\.\.(\w+)\]$/, ":$1*")
      .replace(/\[(\w+)\]/g, ":$1")
  );
  return `/${pattern.join("/")}`;
}

/** Compiles a pattern. Parameters match within one segment, `:x*` any number of them. */
export function compilePattern(text: string): Pattern {
  const names: string[] = [];
  const source = text.split("/").slice(1).map((segment) => {
    const whole = /^:(\w+)([?*])$/.exec(segment);
    if (whole !== null) {
      names.push(whole[1] ?? "");
      return whole[2] === "*" ? "(?:/(.+))?" : "(?:/([^/]+))?";
    }
    const parts = segment.split(/:(\w+)/).map((part, at) => {
      if (at % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      names.push(part);
      return "([^/]+?)";
    });
    return `/${parts.join("")}`;
  }).join("");
  const [, first = ""] = text.split("/");
  return {
    text,
    names,
    firstSegment: first === "" || first.includes(":") ? null : first,
    regexp: new RegExp(`^${source}$`),
  };
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
  if (!value.includes("%")) return value;
  try {
    return decodeURI(value);
  } catch {
    return value;
  }
}
