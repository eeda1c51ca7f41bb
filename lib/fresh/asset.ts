/** Addresses of static files that change with the build, so that browsers keep them for ever. */

/** The query parameter that carries the build's id. */
export const ASSET_KEY = "__frsh_c";

let buildId: string | null = null;

/** Sets the id of the running build. */
export function setBuildId(id: string): void {
  buildId = id;
}

/**
 * The address of a static file with the build's id: such an address is immutable. Relative,
 * protocol-relative and absolute addresses stay as they are.
 */
export function asset(path: string): string {
  if (buildId === null || !path.startsWith("/") || path.startsWith("//")) return path;
  const [, file = "", query = "", hash = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(path) ?? [];
  if (new URLSearchParams(query).has(ASSET_KEY)) return path;
  return `${file}${query === "" ? "?" : `${query}&`}${ASSET_KEY}=${buildId}${hash}`;
}

/** {@linkcode asset} for each address of a `srcset`. */
export function assetSrcSet(srcset: string): string {
  return srcset.split(",").map((part) => part.replace(/\S+/, (address) => asset(address))).join(
    ",",
  );
}
