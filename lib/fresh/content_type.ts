/** Content types by extension. */

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=UTF-8",
  html: "text/html; charset=UTF-8",
  ico: "image/vnd.microsoft.icon",
  jpg: "image/jpeg",
  js: "text/javascript; charset=UTF-8",
  json: "application/json; charset=UTF-8",
  md: "text/markdown; charset=UTF-8",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=UTF-8",
  webmanifest: "application/manifest+json; charset=UTF-8",
  webp: "image/webp",
  woff2: "font/woff2",
  xml: "application/xml; charset=UTF-8",
};

/** The content type of a file's name; `text/plain` if its extension is not known. */
export function contentTypeOf(path: string): string {
  return TYPES[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? "text/plain";
}
