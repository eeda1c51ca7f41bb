/** Addresses of static files that change with the build, so that browsers keep them for ever. */

/** The query parameter that carries the build's id. */
export const ASSET_KEY = "__frsh_c";

let buildId: string | null = null;

/** Sets the id of the build that runs. */
export function setBuildId(id: string): void {
  buildId = id;
}

/** The immutable address of a static file; what is not a path of this site stays as it is. */
export function asset(path: string): string {
  if (buildId === null || !/^\/(?!\/)/.test(path) || path.includes(ASSET_KEY)) return path;
  const [, file = "", query = "", hash = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(path) ?? [];
  return `${file}${query === "" ? "?" : `${query}&`}${ASSET_KEY}=${buildId}${hash}`;
}
