/** Addresses of static files that change with the build, so that browsers cache them for ever. */

/** The query parameter that carries the build's id. */
const ASSET_KEY = "__frsh_c";

let buildId: string | null = null;

/** Sets the id of the running build. */
export function setBuildId(id: string): void {
  buildId = id;
}

/** The immutable address of a static file; an address of another site stays unchanged. */
export function asset(path: string): string {
  if (buildId === null || !/^\/(?!\/)/.test(path) || path.includes(ASSET_KEY)) return path;
  const [, file = "", query = "", hash = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(path) ?? [];
  return `${file}${query === "" ? "?" : `${query}&`}${ASSET_KEY}=${buildId}${hash}`;
}
