/**
 * The headers that keep a page to itself. Styles and scripts inside a page are allowed by their hash, so
 * the same bytes can be sent again and again; a nonce would have to be new each time.
 */

import { createHash } from "node:crypto";
import { type HeaderLine, isComplete } from "../../lib/http/complete.ts";
import { FACE_LATER } from "./face.tsx";
import { sheetsIn } from "./sheets.tsx";

/** What of a page's inside may act, beside the files of this site. */
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
    `style-src 'self'${hashes(styles)}`,
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
export function pageHeaders(baseUrl: string): HeaderLine[] {
  const lines: HeaderLine[] = [
    ["x-content-type-options", "nosniff"],
    ["x-frame-options", "DENY"],
    ["referrer-policy", "strict-origin-when-cross-origin"],
    ["cross-origin-opener-policy", "same-origin"],
    ["permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"],
  ];
  if (baseUrl.startsWith("https://")) {
    lines.push(["strict-transport-security", "max-age=31536000; includeSubDomains"]);
  }
  return lines;
}

/** Gives an answer that is a page the headers of one; one without a policy gets the strictest that fits. */
export async function securePage(response: Response, baseUrl: string): Promise<Response> {
  if (isComplete(response)) return response;
  const isPage = response.headers.get("content-type")?.startsWith("text/html") ?? false;
  if (!isPage && !response.headers.has("content-security-policy")) return response;
  for (const [name, value] of pageHeaders(baseUrl)) response.headers.set(name, value);
  if (response.headers.has("content-security-policy")) return response;
  const html = withoutNonces(await response.text());
  const policy = contentSecurityPolicy({ styles: sheetsIn(html), scripts: scriptsIn(html) });
  response.headers.set("content-security-policy", policy);
  return new Response(html, { status: response.status, headers: response.headers });
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
