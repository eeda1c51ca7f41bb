/**
 * The headers that keep a page to itself. Styles and scripts inside a page are allowed by their hash, so
 * the same bytes can be sent again and again; a nonce would have to be new each time.
 */

import { createHash } from "node:crypto";
import { type HeaderFields, setHeaders } from "../../lib/http/mod.ts";
import { FACE_LATER } from "./face.tsx";
import { sheetsIn } from "./sheets.tsx";

/** The inline styles and scripts of a page that its policy allows, besides the files of this site. */
export interface Allowed {
  /** The contents of its style elements. */
  readonly styles: readonly string[];
  /** The contents of its script elements. */
  readonly scripts: readonly string[];
}

/** The runtime's own script is the last thing in a body; what an event says can never be there. */
const BOOT_SCRIPT = /<script type="module"[^>]*>([^<]*\bboot\([^<]*)<\/script><\/body><\/html>$/;
const NONCE = / nonce="[0-9a-f]{32}"/g;

/** The scripts that stand in a rendered page: ours of its head, and what brings its islands to life. */
export function scriptsIn(html: string): readonly string[] {
  const boot = BOOT_SCRIPT.exec(html.trimEnd())?.[1];
  const later = html.includes(`>${FACE_LATER}</script>`) ? [FACE_LATER] : [];
  return boot === undefined ? later : [...later, boot];
}

/** A page without the nonces of its rendering: hashes take their place, and its bytes stay the same. */
export function withoutNonces(html: string): string {
  return html.replaceAll(NONCE, "");
}

/** The value of `Content-Security-Policy`. */
export function contentSecurityPolicy({ styles, scripts }: Allowed): string {
  const hashes = (texts: readonly string[]) => texts.map((text) => ` '${hashOf(text)}'`).join("");
  return [
    "default-src 'none'",
    styles.length === 0 ? "style-src 'none'" : `style-src${hashes(styles)}`,
    scripts.length === 0 ? "script-src 'none'" : `script-src 'self'${hashes(scripts)}`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** What every page has besides its policy. */
export function pageHeaders(baseUrl: string): HeaderFields {
  return {
    "x-frame-options": "DENY",
    "referrer-policy": "strict-origin-when-cross-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ...baseUrl.startsWith("https://") &&
      { "strict-transport-security": "max-age=31536000; includeSubDomains" },
  };
}

/**
 * Gives an answer that is a page what its bytes and headers lack of one: a page without a policy gets the
 * strictest that fits.
 */
export function securePage(response: Response, baseUrl: string): Response | Promise<Response> {
  const { headers } = response;
  const hasPolicy = headers.has("content-security-policy");
  const isPage = hasPolicy || (headers.get("content-type")?.startsWith("text/html") ?? false);
  // The headers of `pageHeaders` come together.
  if (!isPage || headers.has("x-frame-options")) return response;
  setHeaders(response, pageHeaders(baseUrl));
  return hasPolicy ? response : withPolicy(response);
}

async function withPolicy(response: Response): Promise<Response> {
  const { status, headers } = response;
  const html = withoutNonces(await response.text());
  const policy = contentSecurityPolicy({ styles: sheetsIn(html), scripts: scriptsIn(html) });
  headers.set("content-security-policy", policy);
  return new Response(html, { status, headers });
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
