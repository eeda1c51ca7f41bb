/**
 * The security headers of pages. Inline styles and scripts are allowed by their hash, so that the same bytes can
 * be sent again and again; a nonce would have to be new each time.
 */

import { createHash } from "node:crypto";
import { type HeaderFields, setHeaders } from "../../lib/http/mod.ts";
import { FONT_SCRIPT } from "./font_loading.tsx";
import { sheetTexts } from "./sheets.tsx";

/** The end of a page with islands, where the runtime puts its own script; what an event says is never there. */
const BOOT_SCRIPT = /<script type="module"[^>]*>([^<]*\bboot\([^<]*)<\/script><\/body><\/html>\s*$/;
const NONCE = / nonce="[0-9a-f]{32}"/g;

/** A page without the nonces of its rendering, so that its bytes stay the same: hashes replace them. */
export function withoutNonces(html: string): string {
  return html.replaceAll(NONCE, "");
}

/**
 * The `Content-Security-Policy` of a rendered page. It allows our own style sheets, `looks` and scripts where the
 * page has them whole, and nothing else inline. They are looked for in the HTML since components choose them while
 * they render, and neither runtime says which, nor what its own script is.
 *
 * @param looks the rules of the events on the page.
 */
export function contentSecurityPolicy(html: string, looks = ""): string {
  const styles = [...sheetTexts(), looks].filter((text) => html.includes(`>${text}</style>`));
  const boot = BOOT_SCRIPT.exec(html)?.slice(1) ?? [];
  const scripts = [FONT_SCRIPT, ...boot].filter((text) => html.includes(`>${text}</script>`));
  return [
    "default-src 'none'",
    `style-src ${hashesOf(styles) || "'none'"}`,
    `script-src ${scripts.length === 0 ? "'none'" : `'self' ${hashesOf(scripts)}`}`,
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

/** The security headers of every page besides its policy. */
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

/** Adds the headers of a page to a response that is one and lacks them, its policy included. */
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
  headers.set("content-security-policy", contentSecurityPolicy(html));
  return new Response(html, { status, headers });
}

/** Each text as a source of a policy: its hash (CSP 3, section 2.3.1). */
function hashesOf(texts: readonly string[]): string {
  return texts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`)
    .join(" ");
}
